"""The work of ``torchgrade feedback``: a page for each student who is graded."""

from __future__ import annotations

from collections.abc import Iterable

import click

from torchgrade.cli.handed_in import handed_in
from torchgrade.cli.printing import teller
from torchgrade.course import Course
from torchgrade.gradebook import GradebookError, feedback


def write_pages(course: Course, assignments: Iterable[str], students: tuple[str, ...], *, quiet: bool) -> None:
    """Write the pages of these students, or of all; the problems, if there were any, come last."""
    tell = teller(quiet=quiet)
    chosen = handed_in(course, assignments, students, some=False)
    problems = []
    for assignment, theirs in chosen.students.items():
        try:
            pages = feedback(course, assignment, theirs)
        except GradebookError as error:
            problems.append(str(error))
            continue
        for page in pages:
            tell(str(page))
        tell(f"{len(pages)} pages in {course.feedback}")
    if problems:
        raise click.ClickException("\n".join(problems))
    chosen.end()
