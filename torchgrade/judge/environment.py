"""The machine that a record was made on, and digests of everything that its marks rest on."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import os
import platform
import re
from pathlib import Path
from typing import Any

import torchgrade
from torchgrade.course import Course
from torchgrade.jail import SandboxError, choose_wall
from torchgrade.jail.resources.gpu import driver_version, list_gpus
from torchgrade.notebook import DataFiles, read_data_files
from torchgrade.record import Digests, digest

_PACKAGE = Path(torchgrade.__file__).parent


def has_gpu() -> bool:
    """Return whether torch finds a GPU here. If the driver lists none, torch is not imported, since that would take a second.

    This does not set up CUDA, which would fix the visible GPUs for good: a judge chooses its own GPU later.
    """
    if not list_gpus():
        return False
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    import torch  # noqa: PLC0415

    return torch.cuda.is_available()


def use_device(device: str) -> None:
    """Grade on ``cpu``, on ``cuda``, or (``auto``) on a GPU if there is one: here, and in the processes that this one starts.

    Call it before torch is imported. Raises :class:`SandboxError` if a GPU is asked for and there is none.
    """
    if device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    elif device == "cuda" and not has_gpu():
        raise SandboxError("--device cuda: torch sees no GPU on this machine; torchgrade doctor says more")


def describe_environment(*, jail: bool, group: bool) -> dict[str, Any]:
    """The machine and versions, for the record; ``jail`` and ``group``: whether submissions were walled in, and how far."""
    found: dict[str, Any] = {
        "torchgrade": torchgrade.__version__,
        "python": platform.python_version(),
        "torch": importlib.metadata.version("torch"),
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "device": "cpu",
        "jail": choose_wall(jail=jail).name,
        "tree_limits": "control group" if group else "each process alone",
    }
    if has_gpu():
        import torch  # noqa: PLC0415

        found |= {"device": "cuda", "gpu": torch.cuda.get_device_name(), "driver": _driver(), "cuda": torch.version.cuda}
    return found


@functools.cache
def _driver() -> str:
    return driver_version() or "unknown"


@functools.cache
def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def digests(course: Course, assignment: str, notebook: bytes = b"", *, jail: bool) -> Digests:
    """Digests of the submission, the checks (with assignment, data files, and what they race against), engine and settings.

    All but the first are the same for every submission of an assignment. Whether there is a GPU is not part of them: if a record
    was completed on a machine with a GPU, grading again on a machine without one does not make it better.
    """
    graders = [course.assignments / assignment / f"{assignment}.ipynb"]
    graders += sorted((course.graders / assignment).glob("*.py"))
    graders += _raced_against(course.solutions / assignment, graders[1:])
    data = read_data(course, assignment)
    return Digests(
        notebook=digest(notebook),
        graders=digest(*_contents(graders), *([data.digest] if data.files else [])),
        engine=engine_digest(),
        settings=settings_digest(course, jail=jail),
    )


def settings_digest(course: Course, *, jail: bool) -> str:
    """Return a digest of the course's limits, of whether there is a jail, and of torch's version."""
    settings = {name: getattr(course.limits, name) for name in course.limits.trait_names(config=True)}
    return digest(json.dumps([settings, jail, importlib.metadata.version("torch")], sort_keys=True))


def read_data(course: Course, assignment: str) -> DataFiles:
    """The files beside the assignment's notebook; raises ``NotebookError`` if they cannot be given to submissions."""
    return read_data_files(course.assignments / assignment, ignored=course.ignored, most_bytes=course.limits.data_bytes)


def _raced_against(bank: Path, graders: list[Path]) -> list[Path]:
    """The references, and those files of the bank whose names are in a grader: ``race(..., baseline="chaffs/loop.py")``."""
    named = set(re.findall(r"[\"'](?:wheats/|chaffs/)?(\w+)(?:\.py)?[\"']", "".join(path.read_text("utf-8") for path in graders)))
    return sorted(path for path in bank.glob("*/**/*.py") if path.stem in named | {"reference"})


@functools.cache
def engine_digest() -> str:
    """Return a digest of the parts of this package that decide marks, with pytest's settings; a new page regrades nobody."""
    rooms = ("checks", "jail", "judge", "notebook", "record")
    files = [_PACKAGE / "course.py", *(path for room in rooms for path in sorted((_PACKAGE / room).rglob("*")) if path.is_file())]
    # What the doctor says decides no mark.
    return digest(*_contents([path for path in files if not {"__pycache__", "diagnose"}.intersection(path.parts)]))


def _contents(paths: list[Path]) -> list[bytes]:
    found = []
    for path in paths:
        found += [path.name.encode(), path.read_bytes()]
    return found
