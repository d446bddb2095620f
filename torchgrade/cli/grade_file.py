"""``torchgrade grade ASSIGNMENT --notebook FILE``: one file, without the gradebook."""

from __future__ import annotations

import json

import click

from torchgrade.cli.grade_requests import FileRequest
from torchgrade.cli.left_open import cause_of
from torchgrade.course import Course
from torchgrade.judge.judge import Judge
from torchgrade.report.pages import record_text


def grade_file(course: Course, request: FileRequest) -> None:
    """Grade and print; the exit status is 1 where the file could not be read or a check was left open."""
    notebook = request.notebook
    assignment = course.require_assignment(request.assignments[0])
    with Judge(course, jail=not request.unsafe_no_jail) as judge:
        record = judge.grade(assignment, notebook.stem, notebook, seed=request.seed, checks=request.checks)
    click.echo(json.dumps(record.to_json(), indent=1) if request.as_json else record_text(record))
    if cause := cause_of(record):
        click.echo(f"Problem: left ungraded: {cause}", err=True)
    if cause or not record.readable:
        raise SystemExit(1)
