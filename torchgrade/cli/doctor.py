"""``torchgrade doctor``: what this machine can do, whether a mark comes out at the end, and which attacks its jail holds.

If something is missing from an installation, the doctor must be able to say so. So everything that may be missing is imported
only where it is tried.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from torchgrade.course import CONFIG, CourseError, find_course
from torchgrade.jail.diagnose.doctor import Finding, examine


def examine_machine(folder: Path) -> None:
    """Print the findings, those about the course's configuration first. Exits with 1 if something that is needed is missing."""
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
    """Read the course's configuration as every command will; outside a course, find nothing."""
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
    """Grade the skeleton of ``torchgrade new`` twice: its reference should get all points, and its stub none."""
    try:
        right, untouched = _grade_skeleton()
    except Exception as error:  # noqa: BLE001 - whatever it is, it prevents grading
        said = str(error).strip().rpartition("\n")[2] or type(error).__name__
        return Finding("grading", "does not work", good=False, remedy=said)
    told = f"a right answer gets {right:.0%} of the points, an untouched stub {untouched:.0%}"
    if (right, untouched) != (1.0, 0.0):
        return Finding(
            "grading", told, good=False, remedy="These should be 100% and 0%: torchgrade is incomplete, install it again."
        )
    return Finding("grading", told)


_CONFIG = "from torchgrade.gradebook import configure\n\nc = get_config()\nconfigure(c)\n"
_ASSIGNMENT, _EXERCISE = "trial", "row_means"


def _grade_skeleton() -> tuple[float, float]:
    """The shares of the points that a right answer and an untouched stub get, in a course made for this purpose.

    If the installation lacks anything (a file, a plugin, a library), it is raised here, before a class is graded with it.
    """
    import nbformat

    from torchgrade.authoring import new_exercise
    from torchgrade.cli.shared import cause_of
    from torchgrade.judge.judge import Judge
    from torchgrade.notebook import NotebookFile, assignment_of_course, compose

    with tempfile.TemporaryDirectory(prefix="torchgrade-doctor-") as folder:
        root = Path(folder)
        root.joinpath("nbgrader_config.py").write_text(_CONFIG, encoding="utf-8")
        course = find_course(root)
        new_exercise(course, _ASSIGNMENT, _EXERCISE)
        source = assignment_of_course(course, _ASSIGNMENT)
        reference = (course.solutions / _ASSIGNMENT / _EXERCISE / "reference.py").read_text(encoding="utf-8")
        shares = []
        with Judge(course) as judge:
            for answers in ({_EXERCISE: reference}, {}):
                notebook = nbformat.writes(compose(source, answers)).encode()
                record = judge.grade(_ASSIGNMENT, "doctor", NotebookFile("trial.ipynb", notebook))
                if cause := cause_of(record):
                    raise RuntimeError(cause)
                shares.append(record.points / record.max_points)
        return shares[0], shares[1]


def attack_jail(folder: Path) -> None:
    """Print a line for each attack. Exits with 1 if the jail did not hold one of them."""
    from torchgrade.jail.diagnose.attack_check import attack

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
