"""The work of ``torchgrade feedback``: a page for each student who is graded."""

from __future__ import annotations

from collections.abc import Iterable

import click

from torchgrade.cli.printing import teller
from torchgrade.course import Course
from torchgrade.gradebook import GradebookError, feedback


def write_pages(course: Course, assignments: Iterable[str], students: tuple[str, ...], *, quiet: bool) -> None:
    """Write the pages of these students, or of all; the problems, if there were any, come last."""
    tell = teller(quiet=quiet)
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
