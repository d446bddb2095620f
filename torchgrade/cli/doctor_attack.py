"""The work of ``torchgrade doctor --attack``: this machine's jail, attacked."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from torchgrade.course import CourseError, find_course
from torchgrade.jail.diagnose.attack_check import attack


def attack_jail(folder: Path) -> None:
    """Print a line for each attack. Exits with 1 where one was not held."""
    try:
        course: Path | None = find_course(folder).root
    except CourseError:
        course = None
    tried = attack(course)
    for each in tried:
        sign = "held  " if each.held else "BROKEN"
        click.echo(f"{sign}  {each.name} ({each.wall}){': ' + each.detail if each.detail else ''}")
    broken = sum(not each.held for each in tried)
    click.echo(f"{len(tried)} attacks, {broken} not held." if broken else f"{len(tried)} attacks, all held.")
    if broken:
        sys.exit(1)
