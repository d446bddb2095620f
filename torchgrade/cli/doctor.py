"""``torchgrade doctor``."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("doctor")
@click.option("--attack", is_flag=True, help="Attack this machine's own jail, in a dozen bounded ways, and say what held.")
@click.pass_obj
def command(folder: Path, attack: bool) -> None:
    """Say what this machine can do: the jail and its limits, GPU, versions; what is missing, and how to get it."""
    if attack:
        _attack(folder)
        return
    from torchgrade.sandbox.doctor import examine  # noqa: PLC0415

    findings = examine()
    for finding in findings:
        sign = {True: "ok     ", False: "MISSING", None: "note   "}[finding.good]
        click.echo(f"{sign}  {finding.what}: {finding.found}")
        if finding.remedy:
            click.echo(f"         {finding.remedy}")
    if any(finding.good is False for finding in findings):
        sys.exit(1)


def _attack(folder: Path) -> None:
    from torchgrade.course import CourseError, find_course  # noqa: PLC0415
    from torchgrade.sandbox.attack_check import attack  # noqa: PLC0415

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
