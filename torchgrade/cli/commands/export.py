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
    submissions = [each for assignment in assignments for each in course.handed_in(assignment, students)]
    if to == "gradescope":
        if not course.kind.whole_records:
            raise click.UsageError(
                "--to gradescope is for courses of checks alone; canvas and moodle take the marks of every course"
            )
        from torchgrade.cli.export_results import export_results

        export_results(course, submissions, output or Path("gradescope"), quiet=quiet)
    else:
        from torchgrade.cli.export_marks import export_marks

        export_marks(course, to, output or Path(f"{to}.csv"), assignments, students, quiet=quiet)
