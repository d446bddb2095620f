"""The work of ``torchgrade compose``: a submission from solution files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from torchgrade.course import Course
from torchgrade.files import make_folder
from torchgrade.notebook import assignment_of_course, compose, write_notebook


def compose_submission(course: Course, assignment: str, items: Iterable[str], output: Path) -> None:
    """Write a submission to ``output``. Each item is ``EXERCISE=FILE``: the file's text goes into that solution cell."""
    solutions = {}
    for item in items:
        name, equals, file = item.partition("=")
        if not equals:
            raise click.BadParameter(f"expected EXERCISE=FILE, not {item!r}", param_hint="--exercise")
        try:
            solutions[name] = Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.ClickException(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from error
    composed = compose(assignment_of_course(course, course.require_assignment(assignment)), solutions)
    try:
        make_folder(output.parent)
    except OSError as error:
        raise click.ClickException(f"cannot make the folder {output.parent}: {error.strerror or error}") from error
    write_notebook(composed, output)
    click.echo(f"wrote {output}")
