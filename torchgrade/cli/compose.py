"""``torchgrade compose``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("compose", short_help="Write a submission from solution files, to try things out.")
@click.argument("assignment")
@click.option("--exercise", "-e", "exercises", multiple=True, metavar="E=FILE", help="Put FILE into the solution cell of E.")
@click.option("--output", "-o", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The notebook to write.")
@click.pass_obj
def command(folder: Path, assignment: str, exercises: tuple[str, ...], output: Path) -> None:
    """Write a submission of ASSIGNMENT with the given files as solution cells, for trying things out."""
    from torchgrade.course import find_course  # noqa: PLC0415
    from torchgrade.files import make_folder  # noqa: PLC0415
    from torchgrade.notebook import assignment_of_course, compose, write_notebook  # noqa: PLC0415

    course = find_course(folder)
    solutions = {}
    for item in exercises:
        name, equals, file = item.partition("=")
        if not equals:
            raise click.BadParameter(f"expected EXERCISE=FILE, not {item!r}", param_hint="--exercise")
        try:
            solutions[name] = Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.ClickException(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from error
    source = assignment_of_course(course, course.require_assignment(assignment))
    composed = compose(source, solutions)
    try:
        make_folder(output.parent)
    except OSError as error:
        raise click.ClickException(f"cannot make the folder {output.parent}: {error.strerror or error}") from error
    write_notebook(composed, output)
    click.echo(f"wrote {output}")
