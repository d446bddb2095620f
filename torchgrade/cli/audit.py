"""The work of ``torchgrade audit``: audits, printed and kept."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import click

from torchgrade.audit import Choice, audit, audit_folder, digest_of, keep
from torchgrade.cli.machine import workers_for
from torchgrade.cli.printing import teller
from torchgrade.course import Course, CourseError
from torchgrade.files import write_whole
from torchgrade.report import audit_page, print_audit
from torchgrade.report.audit_document import AuditDocument


def audit_assignments(
    course: Course, assignments: Iterable[str], choice: Choice, *, workers: int | None, output: Path | None, quiet: bool
) -> None:
    """Audit each assignment once. Exits with 1 where a problem was found."""
    chosen = [course.require_assignment(assignment) for assignment in dict.fromkeys(assignments)]
    found = 0
    for assignment in chosen:
        document = run_audit(course, assignment, choice, workers=workers, output=output, quiet=quiet)
        found += sum(len(exercise["problems"]) for exercise in document["exercises"])
    if found:
        raise SystemExit(1)


def run_audit(
    course: Course,
    assignment: str,
    choice: Choice,
    *,
    workers: int | None = None,
    output: Path | None = None,
    quiet: bool = False,
) -> AuditDocument:
    """Audit, print (``quiet``: problems alone), keep; the document. Raises :class:`CourseError` where it cannot be kept."""
    digest = digest_of(course, assignment)
    with click.progressbar(length=1, label="auditing", file=io.StringIO() if quiet else None) as bar:

        def on_progress(done: int, everything: int) -> None:
            bar.length = everything
            bar.update(done - bar.pos)

        result = audit(
            course,
            assignment,
            choice,
            workers=workers_for(course, (assignment,), workers),
            digest=digest,
            on_progress=on_progress,
        )
    document = result.to_json()
    print_audit(document, problems_only=quiet)
    if result.complete or output is not None:
        target = output or audit_folder(course)
        try:
            written = keep(document, target), _keep_page(audit_page(document), target, assignment)
        except OSError as error:
            raise CourseError(f"cannot write {error.filename or target}: {error.strerror or error}") from error
        teller(quiet=quiet)(f"written: {written[0]} and {written[1]}")
    return document


def _keep_page(page: str, folder: Path, assignment: str) -> Path:
    """Write the page beside the document; where it is. Raises :class:`OSError`."""
    path = folder / f"{assignment}.html"
    write_whole(path, page)
    return path
