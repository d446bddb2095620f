"""How many judges a command starts at a time on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from torchgrade.course import Course
from torchgrade.jail.resources.gpu import list_gpus

_MOST_WORKERS = 4


def workers_for(course: Course, assignments: Iterable[str], asked: int | None) -> int:
    """As many judges as were asked for; else one a GPU where checks of these assignments use one, or one a core, at most 4."""
    if asked is not None:
        return asked
    gpus = list_gpus()
    if gpus and any(_uses_device(course, assignment) for assignment in assignments):
        return len(gpus)
    return one_a_core()


def one_a_core() -> int:
    """As many judges as there are cores, at most 4."""
    return min(_MOST_WORKERS, os.cpu_count() or 1)


def _uses_device(course: Course, assignment: str) -> bool:
    """Return whether a grader takes the fixture ``device`` or has a check that needs a GPU: the word stands in it."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((course.graders / assignment).glob("*.py")))
    return any(re.search(r"\b(device|gpu)\b", text) for text in texts)
