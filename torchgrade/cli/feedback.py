"""``torchgrade feedback``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("feedback")
@click.argument("assignment")
@click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
@click.pass_obj
def command(folder: Path, assignment: str, students: tuple[str, ...]) -> None:
    """Write a page for each student whose submission of ASSIGNMENT is graded."""
    from torchgrade.course import CourseError, find_course  # noqa: PLC0415
    from torchgrade.gradebook import feedback  # noqa: PLC0415

    course = find_course(folder)
    known = course.students(course.require_assignment(assignment))
    for student in students:
        if student not in known:
            raise CourseError(f"{student} has not handed in {assignment}; there are: {', '.join(known) or 'none'}")
    pages = feedback(course, assignment, list(students) or None)
    for page in pages:
        click.echo(str(page))
    click.echo(f"{len(pages)} pages in {course.feedback}")
