"""``torchgrade export``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.commands.options import course_at, quietly


@click.command("export", short_help="Write the marks for Canvas, Moodle or Gradescope.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option("--to", type=click.Choice(["canvas", "moodle", "gradescope"]), required=True, help="For whom.")
@click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="The file; for Gradescope, the folder.")
@quietly
@click.pass_obj
def command(
    folder: Path, assignments: tuple[str, ...], to: str, students: tuple[str, ...], output: Path | None, quiet: bool
) -> None:
    """Write the marks of ASSIGNMENT for a learning platform: a CSV file, or a results.json a student for Gradescope."""
    course = course_at(folder)
    if to == "gradescope" and not course.kind.whole_records:
        raise click.UsageError("--to gradescope is for courses of checks alone; canvas and moodle take the marks of every course")
    from torchgrade.cli.export import export_marks, export_results
    from torchgrade.cli.handed_in import handed_in

    chosen = handed_in(course, assignments, students, some=False)
    if to == "gradescope":
        export_results(course, output or Path("gradescope"), chosen, quiet=quiet)
    else:
        export_marks(course, to, output or Path(f"{to}.csv"), chosen, quiet=quiet)
    chosen.end()
