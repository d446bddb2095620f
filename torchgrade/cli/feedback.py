"""``torchgrade feedback``."""

from __future__ import annotations

from pathlib import Path

import click

from torchgrade.cli.printing import quietly, teller


@click.command("feedback", short_help="Write a page for each student who is graded.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
@quietly
@click.pass_obj
def command(folder: Path, assignments: tuple[str, ...], students: tuple[str, ...], quiet: bool) -> None:
    """Write a page for each student whose submission of ASSIGNMENT is graded."""
    from torchgrade.course import find_course  # noqa: PLC0415
    from torchgrade.gradebook import GradebookError, feedback  # noqa: PLC0415

    course, tell = find_course(folder), teller(quiet=quiet)
    chosen = {assignment: course.handed_in(assignment, students) for assignment in assignments}
    problems = []
    for assignment, submissions in chosen.items():
        try:
            pages = feedback(course, assignment, [submission.student for submission in submissions])
        except GradebookError as error:
            problems.append(str(error))
            continue
        for page in pages:
            tell(str(page))
        tell(f"{len(pages)} pages in {course.feedback}")
    if problems:
        raise click.ClickException("\n".join(problems))
