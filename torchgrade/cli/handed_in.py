"""The submissions that a command is asked to look at."""

from __future__ import annotations

import click

from torchgrade.course import Course, CourseError, Submission


def handed_in(
    course: Course, assignments: tuple[str, ...], students: tuple[str, ...] = (), *, tell: bool = False
) -> list[Submission]:
    """Return the submissions for all of these, by :meth:`Course.handed_in`; :class:`CourseError` where one has none.

    ``tell``: print which folders are passed over.
    """
    chosen = []
    for assignment in dict.fromkeys(assignments):
        for line in course.passed_over(assignment) if tell else ():
            click.echo(f"Problem: {line}", err=True)
        found = course.handed_in(assignment, students)
        if not found:
            raise CourseError(f"nothing was handed in for {assignment}: {course.submitted} has no <student>/{assignment}")
        chosen += found
    return chosen
