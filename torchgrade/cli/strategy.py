"""The strategy of a kind of course: what the commands do where kinds differ.

    course.kind ──► by_kind ──► Strategy ──┬─► torchgrade grade: the class
                                           ├─► torchgrade watch: the steps of a look
                                           ├─► torchgrade history: the gradings of a submission
                                           └─► torchgrade report and export: an entry a student

Each method imports what it opens: no command needs all of it, and some of it takes seconds to load.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from torchgrade.course import Course, Submission

if TYPE_CHECKING:
    import datetime as dt

    from torchgrade.cli.grade_requests import ClassRequest
    from torchgrade.report.class_figures import Entry
    from torchgrade.runs import Due


class History(NamedTuple):
    """The gradings of a submission: for programs, as JSON, and for people. Both are empty where there was none.

    ``damaged`` are the files in which there should be one, and is none that this version can read.
    """

    data: object
    text: str
    damaged: Sequence[Path] = ()


class Stoppable(Protocol):
    """A run of submissions that can be asked to end."""

    def finish(self) -> None:
        """Begin nothing more; what is in flight is graded to its end."""
        ...


class WatchSteps(Protocol):
    """The steps of one look of ``torchgrade watch`` that differ between kinds of course. A new object for each look."""

    def outdated(self, submissions: Sequence[Submission], at: dt.datetime) -> list[Submission]:
        """Return the submissions whose marks would be others, were they graded now."""
        ...

    def basis(self, submission: Submission) -> object:
        """Return all that the grading of a submission rests on; once it is another, what failed is tried again."""
        ...

    def due(self, submissions: Sequence[Submission], assignments: Sequence[str], at: dt.datetime) -> Due:
        """Sort out which submissions are graded now, in which order, and which wait."""
        ...

    def grade(self, found: Due, undone: Sequence[Submission], begun: Callable[[Stoppable], None]) -> list[str]:
        """Grade what is due, and enter the marks, also of what was graded before and is ``undone``; the problems.

        ``begun`` is told of each run before it grades anything.
        """
        ...

    def stamp_to_show(self, submission: Submission) -> str:
        """Return the stamp of the marks for what was handed in last; empty where there are none."""
        ...


class Strategy(abc.ABC):
    """The work of the commands for one course, where kinds differ."""

    def __init__(self, course: Course) -> None:
        self.course = course

    @abc.abstractmethod
    def grade(self, request: ClassRequest) -> None:
        """Grade what is new or changed, enter the marks, print them. Exits with 1 where there was a problem."""

    @abc.abstractmethod
    def watch_steps(self, workers: int, *, quiet: bool) -> WatchSteps:
        """Return the steps of the next look."""

    @abc.abstractmethod
    def history(self, assignment: str, student: str) -> History:
        """Return every grading that a submission had."""

    @abc.abstractmethod
    def entries(self, assignment: str, students: Sequence[str]) -> Iterator[Entry]:
        """Yield each student's record and mark; neither of them where they are of an earlier hand-in alone."""
