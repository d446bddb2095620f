"""``torchgrade feedback``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("feedback")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], students: tuple[str, ...]) -> None:
    """Write a page for each student whose submission of ASSIGNMENT is graded."""
    from torchgrade.course import find_course  # noqa: PLC0415
    from torchgrade.gradebook import GradebookError, feedback  # noqa: PLC0415

    course = find_course(folder)
    chosen = {assignment: course.handed_in(assignment, students) for assignment in assignments}
    problems = []
    for assignment, submissions in chosen.items():
        try:
            pages = feedback(course, assignment, [submission.student for submission in submissions])
        except GradebookError as error:
            problems.append(str(error))
            continue
        for page in pages:
            click.echo(str(page))
        click.echo(f"{len(pages)} pages in {course.feedback}")
    if problems:
        raise click.ClickException("\n".join(problems))
