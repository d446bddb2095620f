"""The work of ``torchgrade doctor``: what this machine can do, and whether a mark comes out at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from torchgrade.course import CourseError, find_course
from torchgrade.course.folder import CONFIG
from torchgrade.jail.diagnose.doctor import Finding, examine


def examine_machine(folder: Path) -> None:
    """Print the findings, those on the course's configuration first. Exits with 1 where something that is needed is missing."""
    findings = [*_configuration(folder), *examine()]
    if not any(finding.good is False for finding in findings):
        findings.append(_trial())
    for finding in findings:
        sign = {True: "ok     ", False: "MISSING", None: "note   "}[finding.good]
        click.echo(f"{sign}  {finding.what}: {finding.found}")
        if finding.remedy:
            click.echo(f"         {finding.remedy}")
    if any(finding.good is False for finding in findings):
        sys.exit(1)


def _configuration(folder: Path) -> Iterator[Finding]:
    """Read a course's configuration as every command will; nothing outside of a course."""
    start = folder.resolve()
    if not any((each / CONFIG).is_file() for each in (start, *start.parents)):
        return
    try:
        course = find_course(folder)
        _ = course.limits, course.watch, course.pages, course.audits
    except CourseError as error:
        yield Finding("course", "its configuration cannot be used", good=False, remedy=str(error))
        return
    path = course.root / CONFIG
    if not course.is_configured:
        yield Finding("course", str(path), good=False, remedy="It does not call configure(c): see torchgrade docs settings")
    else:
        yield Finding("course", str(path))


def _trial() -> Finding:
    """Grade the skeleton of ``torchgrade new`` twice: its reference, which has all points, and its stub, which has none."""
    try:
        from torchgrade.cli.trial import grade_skeleton  # noqa: PLC0415 - what an installation lacks shows here

        right, untouched = grade_skeleton()
    except Exception as error:  # noqa: BLE001 - whatever it is, it stands in the way of grading
        said = str(error).strip().rpartition("\n")[2] or type(error).__name__
        return Finding("grading", "does not work", good=False, remedy=said)
    told = f"a right answer has {right:.0%} of the points, an untouched stub {untouched:.0%}"
    if (right, untouched) != (1.0, 0.0):
        return Finding(
            "grading", told, good=False, remedy="These should be 100% and 0%: torchgrade is not whole, install it again."
        )
    return Finding("grading", told)
