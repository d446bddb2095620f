"""The wall: student code runs in a jail, and only data crosses.

    WarmWorker   a jailed process that has torch imported          Session   one submission in a fork of it
    Student      what the notebook defines, as a grader sees it    Wall      what stands around the worker: bubblewrap's jail

Anything else that its calls raise and return (faults, observations) comes from :mod:`torchgrade.checks`. The names are looked up
on first use, because the worker inside the jail must not hold the judge's side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchgrade.checks.faults import (
        BadAnswer,
        Died,
        NotDefined,
        Raised,
        SandboxError,
        StudentFault,
        TimedOut,
    )
    from torchgrade.checks.observing import Observation
    from torchgrade.jail.bounds import Bounds
    from torchgrade.jail.fake import FakeWorker
    from torchgrade.jail.loading import CellError
    from torchgrade.jail.protocol.remote_student import Student, StudentFunction
    from torchgrade.jail.session import Session
    from torchgrade.jail.wall import View, Wall
    from torchgrade.jail.wall_choice import choose_wall
    from torchgrade.jail.worker import WarmWorker

_MODULES = {
    "checks.faults": ("BadAnswer", "Died", "NotDefined", "Raised", "SandboxError", "StudentFault", "TimedOut"),
    "checks.observing": ("Observation",),
    "jail.bounds": ("Bounds",),
    "jail.fake": ("FakeWorker",),
    "jail.protocol.remote_student": ("Student", "StudentFunction"),
    "jail.loading": ("CellError",),
    "jail.session": ("Session",),
    "jail.wall": ("View", "Wall"),
    "jail.wall_choice": ("choose_wall",),
    "jail.worker": ("WarmWorker",),
}

__all__ = [
    "BadAnswer",
    "Bounds",
    "CellError",
    "Died",
    "FakeWorker",
    "NotDefined",
    "Observation",
    "Raised",
    "SandboxError",
    "Session",
    "Student",
    "StudentFault",
    "StudentFunction",
    "TimedOut",
    "View",
    "Wall",
    "WarmWorker",
    "choose_wall",
]


def __getattr__(name: str) -> Any:
    import importlib  # noqa: PLC0415 - see above

    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"torchgrade.{module}"), name)
    raise AttributeError(f"module 'torchgrade.jail' has no attribute {name!r}")
