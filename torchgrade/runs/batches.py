"""What a run grades: a class's submissions, whose records go to the disk, or solutions for the audit, whose records come back."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterable, Mapping

from torchgrade.course import Course
from torchgrade.record import Record
from torchgrade.runs.pool import Task, in_judges


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """What became of one submission: graded, or why not (our fault, in one line)."""

    student: str
    error: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Attempt:
    """A solution cell to be graded against the checks of its exercise, with the seed of the run.

    ``to_first_failure``: no check runs after one that failed.
    """

    exercise: str
    text: str
    seed: int
    to_first_failure: bool = False


def grade_all(
    course: Course, assignment: str, students: Iterable[str], *, workers: int = 1, jail: bool = True
) -> Generator[Done]:
    """Grade these students' submissions; each is told of once its record is written, in the order in which they end.

    What is wrong with a submission is in its record. A :class:`Done` with an error is one that we could not grade. A record is on
    disk before anyone hears of it, so that an end at any moment loses only what was in flight. Closing the iterator stops that.
    """
    run = in_judges(
        course, {student: Task("grade_submission", (assignment, student)) for student in students}, workers=workers, jail=jail
    )
    return (Done(student, answer.error) for student, answer in run)


def grade_attempts(
    course: Course, assignment: str, attempts: Mapping[str, Attempt], *, workers: int = 1
) -> Generator[tuple[str, Record | str]]:
    """Grade solution cells; for each its key, and its record or in one line why there is none."""
    tasks = {key: Task("grade_attempt", (assignment, attempt)) for key, attempt in attempts.items()}
    for key, answer in in_judges(course, tasks, workers=workers):
        yield key, answer.error or Record.from_json(answer.value)
