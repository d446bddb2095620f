"""``torchgrade doctor``."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("doctor", short_help="Say what this machine can do, and what is missing.")
@click.argument("assignment", required=False)
@click.option("--attack", is_flag=True, help="Attack this machine's own jail, in fifteen bounded ways, and say what held.")
@click.pass_obj
def command(folder: Path, assignment: str | None, attack: bool) -> None:
    """Say what this machine can do: the jail and its limits, GPU, versions, a small exercise graded; what is missing.

    With ASSIGNMENT, say instead which tests in its notebooks' own cells could become checks.
    """
    if assignment is not None and attack:
        raise click.UsageError("--attack does not go with an ASSIGNMENT")
    if assignment is not None:
        _list_tests(folder, assignment)
        return
    if attack:
        _attack(folder)
        return
    from torchgrade.jail.diagnose.doctor import examine  # noqa: PLC0415

    findings = examine()
    if not any(finding.good is False for finding in findings):
        from torchgrade.cli.trial import try_grading  # noqa: PLC0415

        findings.append(try_grading())
    for finding in findings:
        sign = {True: "ok     ", False: "MISSING", None: "note   "}[finding.good]
        click.echo(f"{sign}  {finding.what}: {finding.found}")
        if finding.remedy:
            click.echo(f"         {finding.remedy}")
    if any(finding.good is False for finding in findings):
        sys.exit(1)


def _list_tests(folder: Path, assignment: str) -> None:
    from torchgrade.authoring import find_tests  # noqa: PLC0415
    from torchgrade.course import find_course  # noqa: PLC0415

    found = find_tests(find_course(folder), assignment)
    for cell in found:
        what = f"no: {cell.obstacle}" if cell.obstacle else f"could become a check of {', '.join(cell.tests)}"
        click.echo(f"{cell.notebook}: {cell.name} ({cell.points:g} points): {what}")
    able = sum(not cell.obstacle for cell in found)
    if not found:
        click.echo(f"No tests stand in the cells of {assignment}.")
    elif able:
        click.echo(
            f"{able} of {len(found)} could become checks, which run apart from the student's code and cannot be beaten by it. "
            "torchgrade new ASSIGNMENT EXERCISE makes the place for one; docs/authoring.md goes on from there."
        )


def _attack(folder: Path) -> None:
    from torchgrade.course import CourseError, find_course  # noqa: PLC0415
    from torchgrade.jail.diagnose.attack_check import attack  # noqa: PLC0415

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
