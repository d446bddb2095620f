"""Where a record was made, and digests of all that its marks rest on."""

from __future__ import annotations

import functools
import json
import os
import platform
from pathlib import Path
from typing import Any

import torch

import torchgrade
from torchgrade.course import Course
from torchgrade.record import Digests, digest

_PACKAGE = Path(torchgrade.__file__).parent


def describe_environment(*, jail: bool, group: bool) -> dict[str, Any]:
    """The machine and versions, for the record; ``jail`` and ``group``: whether submissions were walled in, and how far."""
    found: dict[str, Any] = {
        "torchgrade": torchgrade.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "device": "cpu",
        "jail": "bubblewrap" if jail else "none (--unsafe-no-jail)",
        "tree_limits": "control group" if group else "each process alone",
    }
    if torch.cuda.is_available():
        found |= {"device": "cuda", "gpu": torch.cuda.get_device_name(), "cuda": torch.version.cuda}
    return found


@functools.cache
def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def digests(course: Course, assignment: str, notebook: bytes, *, jail: bool) -> Digests:
    """Digests of the submission, of the checks with the assignment and its references, of the engine, and of the settings."""
    graders = [course.assignments / assignment / f"{assignment}.ipynb"]
    graders += sorted((course.graders / assignment).glob("*.py"))
    graders += sorted((course.solutions / assignment).glob("*/reference.py"))
    settings = {name: getattr(course.limits, name) for name in course.limits.trait_names(config=True)}
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return Digests(
        notebook=digest(notebook),
        graders=digest(*_contents(graders)),
        engine=_engine(),
        settings=digest(json.dumps([settings, jail, device, torch.__version__], sort_keys=True)),
    )


@functools.cache
def _engine() -> str:
    """The parts of this package that decide marks; a new feedback page regrades nobody."""
    parts = ("course", "grading", "notebook", "record", "sandbox")
    return digest(*_contents([path for part in parts for path in sorted((_PACKAGE / part).rglob("*.py"))]))


def _contents(paths: list[Path]) -> list[bytes]:
    found = []
    for path in paths:
        found += [path.name.encode(), path.read_bytes()]
    return found
