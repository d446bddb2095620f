"""Options that several commands share, and the course that a command is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from torchgrade.course import Course


def course_at(folder: Path) -> Course:
    """Return the course of ``folder``. Raises :class:`CourseError` where there is none, before anything slow is imported."""
    from torchgrade.course import find_course

    return find_course(folder)


quietly = click.option("--quiet", "-q", is_flag=True, help="Print problems only.")
"""The option ``--quiet``: what went well is not printed, nor how far it is."""


def _use(_context: click.Context, _option: click.Parameter, device: str) -> None:
    from torchgrade.judge.environment import use_device

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
