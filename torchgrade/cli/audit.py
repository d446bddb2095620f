"""``torchgrade audit`` and ``release``: the graders are graded, and an assignment that passed goes out."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from torchgrade.audit import Choice, audit, audit_folder, keep, standing
from torchgrade.cli.shared import teller, workers_for
from torchgrade.course import Course, CourseError
from torchgrade.errors import cannot
from torchgrade.files import write_whole
from torchgrade.gradebook import release
from torchgrade.gradebook.cells import has_checks
from torchgrade.gradebook.handout import require_fit
from torchgrade.report.audit import AuditDocument, audit_page, print_audit, problems_in


def audit_assignments(
    course: Course, assignments: Iterable[str], choice: Choice, *, workers: int | None, output: Path | None, quiet: bool
) -> None:
    """Audit each assignment once. Exits with 1 if a problem was found."""
    chosen = [course.require_assignment(assignment) for assignment in dict.fromkeys(assignments)]
    found = 0
    for assignment in chosen:
        document = run_audit(course, assignment, choice, workers=workers, output=output, quiet=quiet)
        found += len(problems_in(document))
    if found:
        raise SystemExit(1)


def audit_what_changed(course: Course, choice: Choice, *, workers: int | None, quiet: bool) -> None:
    """Audit each assignment whose kept audit is not current, and name the others. Exits with 1 if a problem was found."""
    found = [standing(course, assignment) for assignment in _with_checks(course, ())]
    for each in found:
        if each.is_current:
            teller(quiet=quiet)(f"{each.assignment}: the audit in {audit_folder(course)} is current")
    changed = [each.assignment for each in found if not each.is_current]
    audit_assignments(course, changed, choice, workers=workers, output=None, quiet=quiet)


def check_audits(course: Course, assignments: Iterable[str]) -> None:
    """Print a line for each assignment whose kept audit is not of the assignment as it is now. Exits with 1 if there is any."""
    problems = [each.problem for name in _with_checks(course, assignments) if (each := standing(course, name)).problem]
    for problem in problems:
        click.echo(f"Error: {problem}", err=True)
    if problems:
        raise SystemExit(1)


def sample_assignments(course: Course, assignments: Iterable[str], *, workers: int | None, quiet: bool) -> None:
    """Grade a sample of each exercise whose kept audit was made with another engine. Exits with 1 if a problem was found."""
    found = [standing(course, assignment) for assignment in _with_checks(course, assignments)]
    for each in found:
        if each.same_engine:
            teller(quiet=quiet)(f"{each.assignment}: audited with this engine; no sample is needed")
    others = [each.assignment for each in found if not each.same_engine]
    audit_assignments(course, others, Choice(repeats=1, quick=True, sample=True), workers=workers, output=None, quiet=quiet)


def _with_checks(course: Course, assignments: Iterable[str]) -> list[str]:
    """These assignments, or else all assignments of the course that have checks to be audited."""
    chosen = [course.require_assignment(assignment) for assignment in dict.fromkeys(assignments)]
    return chosen or [name for name in course.assignment_names() if has_checks(course, name)]


def run_audit(
    course: Course,
    assignment: str,
    choice: Choice,
    *,
    workers: int | None = None,
    output: Path | None = None,
    quiet: bool = False,
) -> AuditDocument:
    """Audit, print (if ``quiet``, only problems), keep; return the document. Raises :class:`CourseError` if it cannot be kept."""
    with click.progressbar(length=1, label="auditing", file=io.StringIO() if quiet else None) as bar:

        def on_progress(done: int, everything: int) -> None:
            bar.length = everything
            bar.update(done - bar.pos)

        result = audit(
            course,
            assignment,
            choice,
            workers=workers_for(course, (assignment,), workers),
            on_progress=on_progress,
        )
    document = result.to_json()
    print_audit(document, problems_only=quiet)
    if result.complete or output is not None:
        target = output or audit_folder(course)
        with cannot(f"write to {target}", CourseError):
            written = keep(document, target), _keep_page(audit_page(document), target, assignment)
        teller(quiet=quiet)(f"written: {written[0]} and {written[1]}")
    return document


def _keep_page(page: str, folder: Path, assignment: str) -> Path:
    """Write the page beside the document and return its path. Raises :class:`OSError`."""
    path = folder / f"{assignment}.html"
    write_whole(path, page)
    return path


# ---- releases


def release_assignments(course: Course, assignments: Sequence[str], *, audit: bool, quiet: bool) -> None:
    """Release each assignment. One that has checks is audited first, unless an earlier audit holds or none is wanted."""
    tell = teller(quiet=quiet)
    for assignment in assignments:
        course.require_assignment(assignment)
    for assignment in assignments:
        checked = has_checks(course, assignment)
        if checked:
            require_fit(course, assignment)
        if checked and audit and not standing(course, assignment).is_current:
            _require_audit(course, assignment, quiet=quiet)
        audited = "not audited (--no-audit)" if not audit else "audited: no problems" if checked else "no checks to be audited"
        lines = [*release(course, assignment), audited]
        _log(course, assignment, lines)
        for line in lines:
            tell(line)


def _require_audit(course: Course, assignment: str, *, quiet: bool) -> None:
    document = run_audit(course, assignment, Choice(), quiet=quiet)
    count = len(problems_in(document))
    if count:
        raise click.ClickException(
            f"not released: the audit of {assignment} found {count} problems. Fix them, or release it as it is with --no-audit."
        )


def _log(course: Course, assignment: str, lines: list[str]) -> None:
    """Log one line per release: when, what, and whether it was audited."""
    when = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    path = course.results / "releases.log"
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{when} {assignment}: {'; '.join(lines)}\n")
    except OSError as error:
        raise CourseError(f"{assignment} is released, but {path} cannot be written: {error.strerror or error}") from error
