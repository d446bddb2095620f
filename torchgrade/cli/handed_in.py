"""The submissions that a command is asked to look at, and those that it has to pass over."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import click

from torchgrade.course import Course, CourseError, Submission


@dataclasses.dataclass(frozen=True, slots=True)
class HandedIn:
    """The submissions for several assignments, or those of them that the students ``only`` made.

    ``passed_over`` is a line for each folder whose name can be no student's, each of which was printed.
    """

    students: Mapping[str, list[str]]
    only: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()

    @property
    def submissions(self) -> list[Submission]:
        """All of them, in order."""
        return [Submission(assignment, student) for assignment, students in self.students.items() for student in students]

    def end(self) -> None:
        """Exit with 1, after a line that counts them, where submissions were passed over; for the end of a command."""
        if self.passed_over:
            lost = len(self.passed_over)
            were = f"of {lost + len(self.submissions)} submissions {'was' if lost == 1 else 'were'}"
            click.echo(f"Problem: {lost} {were} passed over, for the names of their folders", err=True)
            raise SystemExit(1)


def handed_in(course: Course, assignments: Iterable[str], only: tuple[str, ...] = (), *, some: bool = True) -> HandedIn:
    """Return the submissions for all of these, by :meth:`Course.handed_in`, having printed which folders are passed over.

    ``some``: raise :class:`CourseError` for an assignment for which nothing was handed in.
    """
    students: dict[str, list[str]] = {}
    passed_over: list[str] = []
    for assignment in dict.fromkeys(assignments):
        course.require_assignment(assignment)
        lines = course.passed_over(assignment) if not only else []
        for line in lines:
            click.echo(f"Problem: {line}", err=True)
        passed_over += lines
        students[assignment] = [submission.student for submission in course.handed_in(assignment, only)]
        if some and not students[assignment]:
            raise CourseError(f"nothing was handed in for {assignment}: {course.submitted} has no <student>/{assignment}")
    return HandedIn(students, only, tuple(passed_over))
