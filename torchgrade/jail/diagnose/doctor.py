"""What this machine can do for a grading run: each point is tried, not assumed."""

from __future__ import annotations

import dataclasses
import os
import platform
import shutil
import time
from importlib import metadata
from typing import TYPE_CHECKING

from torchgrade.checks.faults import SandboxError, StudentFault
from torchgrade.jail.resources.gpu import choose_gpu, driver_version, list_gpus
from torchgrade.jail.wall import View, Wall
from torchgrade.jail.wall_choice import choose_wall

if TYPE_CHECKING:
    from torchgrade.jail.session import Session
    from torchgrade.jail.worker import WarmWorker


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. ``good`` is false if grading needs this and it is missing, ``None`` if it is only worth knowing."""

    what: str
    found: str
    good: bool | None = True
    remedy: str = ""


_LEAST_DISK = 100_000_000
_TOLD_SECONDS = 3.0
_PACKAGES = (
    "torch",
    "numpy",
    "safetensors",
    "pytest",
    "nbgrader",
    "nbformat",
    "ipython",
    "traitlets",
    "pebble",
    "click",
    "rich",
)


def examine(wall: Wall | None = None) -> list[Finding]:
    """Try everything that grading needs, behind ``wall`` or the wall that this machine uses."""
    wall = wall or choose_wall()
    findings = [Finding("Python", f"{platform.python_version()} on {platform.system()} {platform.release()}")]
    findings += _packages()
    if platform.system() != "Linux":
        return [
            *findings,
            Finding("jail", "none", good=False, remedy="Grading needs Linux; check() in notebooks works here."),
        ]
    why = wall.why_missing()
    findings += _jail(wall, why)
    findings += _gpu(wall, jailed=why is None)
    free = shutil.disk_usage(".").free
    findings.append(Finding("free disk here", f"{free / 1e9:.1f} GB", good=free > _LEAST_DISK))
    return findings


def _packages() -> list[Finding]:
    found, absent = [], []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            absent.append(package)
    findings = [Finding("packages", ", ".join(found))]
    if absent:
        findings.append(
            Finding("packages", f"without {', '.join(absent)}", good=False, remedy="pip install 'torchgrade[grading]'")
        )
    return findings


def _jail(wall: Wall, why_missing: str | None) -> list[Finding]:
    if why_missing is not None:
        return [Finding("jail", "does not start", good=False, remedy=why_missing)]
    return [Finding("jail", wall.describe()), *_session(wall)]


def _session(wall: Wall) -> list[Finding]:
    """Run a real submission in a real jail and let it look around."""
    from torchgrade.jail.protocol.remote_student import Student  # noqa: PLC0415 - imports torch
    from torchgrade.jail.session import Session  # noqa: PLC0415
    from torchgrade.jail.worker import WarmWorker  # noqa: PLC0415

    try:
        worker = WarmWorker(wall=wall)
    except SandboxError as error:
        return [Finding("warm worker", "does not start", good=False, remedy=str(error))]
    findings = []
    try:
        cell = {"number": 1, "grade_id": None, "source": _PROBES, "python": _PROBES}
        with Session(worker, [cell]) as session:
            student = Student(session.exchange, seed=0)
            for what, name in (
                ("no network", "network"),
                ("own processes only", "processes"),
                ("no capabilities", "powers"),
            ):
                seen = getattr(student, name)()
                findings.append(Finding(what, "held" if not seen else f"but: {seen}", good=not seen))
        if worker.group is not None:
            findings.append(Finding("limits of a whole submission", "memory and processes, by control group"))
        else:
            findings.append(
                Finding(
                    "limits of a whole submission",
                    "none; memory and processor time are limited for each process alone",
                    good=None,
                    remedy="A submission that forks may take them several times. Run as root, or in a delegated control group.",
                )
            )
        if os.geteuid() == 0:
            findings.append(
                Finding(
                    "user",
                    "root",
                    good=None,
                    remedy="It works; an ordinary user with user namespaces is one wall more.",
                )
            )
    except (SandboxError, StudentFault) as error:
        findings.append(Finding("a session", "does not work", good=False, remedy=str(error)))
    finally:
        worker.close()
    return findings


_PROBES = """
import os

def network():
    return [name for line in open("/proc/net/dev").readlines()[2:] if (name := line.split(":")[0].strip()) != "lo"]

def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) > 20]

def powers():
    for line in open("/proc/self/status"):
        if line.startswith(("CapEff", "CapBnd", "CapPrm")) and int(line.split()[1], 16):
            return line.strip()
    return ""
"""


def _gpu(wall: Wall, *, jailed: bool) -> list[Finding]:
    import torch  # noqa: PLC0415

    gpus, driver = list_gpus(), driver_version() or "unknown"
    if not gpus:
        return [Finding("GPU", "none: checks that need one are deferred, their submissions provisional", good=None)]
    if not torch.cuda.is_available():
        why = f"torch {torch.__version__} cannot use it, with driver {driver}: checks that need one are deferred"
        remedy = "Install a torch that is made for CUDA, and a driver that is new enough for it."
        return [Finding("GPU", why, good=None, remedy=remedy)]
    told = f"{torch.cuda.get_device_name()}, {len(gpus)} in all, driver {driver}, CUDA {torch.version.cuda}"
    return [Finding("GPU", told), *(_gpu_in_the_jail(wall) if jailed else [])]


def _gpu_in_the_jail(wall: Wall) -> list[Finding]:
    """Let an empty submission set up CUDA."""
    from torchgrade.jail.session import Session  # noqa: PLC0415 - imports torch
    from torchgrade.jail.worker import WarmWorker  # noqa: PLC0415

    worker = WarmWorker(wall=wall, view=View(gpu=choose_gpu()))
    try:
        with Session(worker, []) as session:
            session.set_up_gpu()
            limited = _is_told_of(session, worker)
    except (SandboxError, StudentFault) as error:
        return [Finding("GPU in the jail", "does not work", good=False, remedy=str(error))]
    finally:
        worker.close()
    if limited:
        return [Finding("GPU in the jail", "works; its memory is limited from outside")]
    unseen = "works; its memory is limited by torch's own allocator alone"
    remedy = "There is no nvidia-smi, or it tells nothing of our processes, as in a container: docs/gpu.md says more."
    return [Finding("GPU in the jail", unseen, good=None, remedy=remedy)]


def _is_told_of(session: Session, worker: WarmWorker) -> bool:
    """Return whether the driver soon reports the memory that a process of this session holds."""
    until = time.monotonic() + _TOLD_SECONDS
    while worker.gpu_memory is not None and worker.gpu_memory.is_known and time.monotonic() < until:
        if worker.gpu_memory.held().keys() & set(session.process_tree().members()):
            return True
        time.sleep(0.1)
    return False
