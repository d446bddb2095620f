"""The marks of a class in a course of checks: into the gradebook as they come, and onto the terminal once all are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from torchgrade.cli.printing import print_summary
from torchgrade.course import Course, Submission
from torchgrade.gradebook import GradebookError, grade_and_record, require_released
from torchgrade.gradebook.handout import require_graders_as_released
from torchgrade.gradebook.marks import marks_in
from torchgrade.gradebook.store import reading_gradebook
from torchgrade.record import Record
from torchgrade.report.mark import Mark
from torchgrade.report.terminal import State, print_class_table, progress_for, state_of
from torchgrade.runs import ClassRun
from torchgrade.runs.reuse import is_of_what_is_there


def enter_marks(
    course: Course,
    run: ClassRun,
    *,
    chosen: Sequence[Submission],
    todo: Sequence[Submission],
    unchanged: Sequence[Submission],
    quiet: bool,
) -> list[str]:
    """Do the run, which grades ``todo`` of those that were chosen, and enter the marks; the problems, a line each."""
    require_released(course, (submission.assignment for submission in chosen))
    require_graders_as_released(course, (submission.assignment for submission in todo))
    progress = progress_for(len(todo), quiet=quiet)
    return grade_and_record(course, run, unchanged=unchanged, todo=todo, progress=progress)


def print_marks(course: Course, found: Mapping[Submission, Record | None], before: Mapping[Submission, Record | None]) -> None:
    """Print a table an assignment, then how the class stands in each.

    ``before``: the records that those to be graded had. Who has the same one still was not graded, as when the run was stopped; a
    record that is of what is there now is a mark all the same.
    """
    by_assignment: dict[str, dict[Submission, Record | None]] = {}
    for submission, record in found.items():
        by_assignment.setdefault(submission.assignment, {})[submission] = record
    states: dict[str, dict[str, State]] = {}
    for assignment, records in by_assignment.items():
        if len(by_assignment) > 1:
            click.echo(f"\n{assignment}")
        left = {each.student for each, record in records.items() if each in before and before[each] == record}
        left = {each for each in left if not _is_valid(course, records[Submission(assignment, each)])}
        marks = _marks(course, assignment, {each.student: record for each, record in records.items()})
        print_class_table([r for r in records.values() if r is not None], not_graded=left, marks=marks)
        states[assignment] = {
            each.student: State.NOT_GRADED if each.student in left else state_of(record, marks.get(each.student))
            for each, record in records.items()
        }
    print_summary(course, states)


def _is_valid(course: Course, record: Record | None) -> bool:
    return record is not None and not record.is_blank and is_of_what_is_there(course, record)


def _marks(course: Course, assignment: str, records: Mapping[str, Record | None]) -> Mapping[str, Mark]:
    """The gradebook's marks; none where it cannot be read, which was a problem when marks were to be entered."""
    try:
        with reading_gradebook(course) as book:
            return marks_in(book, assignment, records)
    except GradebookError:
        return {}
