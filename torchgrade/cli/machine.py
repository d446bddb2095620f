"""Questions of commands that grade about the machine: on which device, and by how many judges at a time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from torchgrade.course import Course

_MOST_WORKERS = 4


def _use(_context: click.Context, _option: click.Parameter, device: str) -> None:
    from torchgrade.judge.environment import use_device  # noqa: PLC0415 - slow imports only where they are used

    use_device(device)


on_device = click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    expose_value=False,
    callback=_use,
    help="Where to grade; auto takes a GPU if there is one.",
)
"""The option ``--device``; it holds for this process and for those that it starts, from when the command line was read."""

judges_at_once = click.option(
    "--workers",
    "-j",
    type=click.IntRange(1, 256),
    default=None,
    help="Judges at a time; by default one a core, at most 4, and where checks use a GPU one for each.",
)
"""The option ``--workers``."""


def workers_for(course: Course, assignments: Iterable[str], asked: int | None) -> int:
    """As many judges as were asked for; else one a GPU where checks of these assignments use one, or one a core, at most 4."""
    from torchgrade.jail.resources.gpu import list_gpus  # noqa: PLC0415

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
