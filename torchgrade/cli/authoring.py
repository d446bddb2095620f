"""The commands that an author begins with: ``torchgrade init``, ``new`` and ``compose``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from torchgrade.authoring import Founding, found_course, new_exercise
from torchgrade.course import Course
from torchgrade.files import make_folder
from torchgrade.notebook import assignment_of_course, compose, write_notebook


def make_course(folder: Path, *, yes: bool) -> None:
    """Show what will be written, ask if somebody else's files would change (unless ``yes``), write, and say what comes next."""
    founding = found_course(folder)
    click.echo(f"{founding.folder}: {founding.what}")
    if founding.asks:
        _ask(founding, yes=yes)
    written = founding.write() if founding.new or founding.changed else []
    for path in written:
        click.echo(str(path.relative_to(founding.folder)) if path.is_relative_to(founding.folder) else str(path))
    click.echo("Next:" if written else "Nothing was changed. Next:")
    if Path.cwd() != founding.folder.resolve():
        click.echo(f"  cd {shlex.quote(str(founding.folder))}")
    for line in founding.next:
        click.echo(f"  {line}")


def _ask(founding: Founding, *, yes: bool) -> None:
    click.echo(f"\n{founding.diff()}")
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.ClickException("nothing was written: there is no terminal to ask you on. Give --yes to make this change")
    if not click.confirm("Make this change?"):
        raise click.ClickException("nothing was written")


def write_exercise(course: Course, assignment: str, exercise: str, *, kind: str) -> None:
    """Write the skeleton and print the names of its files; ``kind`` is ``function`` or ``class``."""
    known = assignment in course.assignment_names()
    for path in new_exercise(course, assignment, exercise, kind=kind):
        click.echo(str(path.relative_to(course.root)) if path.is_relative_to(course.root) else str(path))
    if known:
        click.echo(f"{exercise} is at the end of the notebook. Add it to the table in the introduction, too.")
    click.echo(f"It works as it is: torchgrade audit {assignment} --exercise {exercise}. Now make it yours, file by file.")


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
