"""``torchgrade grade`` in a classic course.

assignment with exercises ──► judges ──► records ─┐
submissions ──► jailed kernels ───────────────────┴──► marks
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections.abc import Iterable, Mapping, Sequence

import click

from torchgrade.classic.basis import to_judge
from torchgrade.classic.grading import Marked, grade
from torchgrade.cli.grade_requests import ClassRequest
from torchgrade.cli.handed_in import handed_in
from torchgrade.cli.machine import one_a_core
from torchgrade.cli.printing import count, print_summary
from torchgrade.cli.taking_turns import end, ending_in_order, take_turn
from torchgrade.course import Course, Submission
from torchgrade.gradebook import GradebookError, grade_and_record
from torchgrade.gradebook.handout import require_graders_as_released
from torchgrade.report.mark import Standing
from torchgrade.report.presentation import number
from torchgrade.report.terminal import State, progress_for, state_of_mark
from torchgrade.runs import ClassRun, Regrade


def grade_classic(course: Course, request: ClassRequest) -> None:
    """Grade each assignment's class; a line for every student, the marks last. Exits with 1 where there was a problem."""
    assignments, students = request.assignments, request.students
    chosen = handed_in(course, assignments, students)  # what is wrong with the request is said before any waiting
    grading = ClassicGrading(course, request.workers or one_a_core(), quiet=request.quiet)
    states: dict[str, dict[str, State]] = {}
    problems: list[str] = []
    with contextlib.ExitStack() as ours:
        take_turn(ours, course, assignments)
        with ending_in_order(grading.finish) as signals:
            for assignment in dict.fromkeys(assignments):
                submissions = course.handed_in(assignment, students)
                if request.regrade:
                    grading.regrades[assignment] = Regrade(course, assignment, [each.student for each in submissions])
                marked, found = _grade(grading, assignment, submissions)
                if request.regrade and not signals:
                    grading.regrades[assignment].end()
                states[assignment] = {each.student: State.NOT_GRADED for each in submissions}
                states[assignment] |= {one.student: _state(one) for one in marked}
                problems += found
    if not request.quiet:
        print_summary(course, states)
    for problem in problems:
        click.echo(f"Problem: {problem}", err=True)
    end(signals, problems=bool(problems))
    chosen.end()


@dataclasses.dataclass
class ClassicGrading:
    """Grades classes of one course, until it is told to finish."""

    course: Course
    workers: int
    quiet: bool = False
    regrades: dict[str, Regrade] = dataclasses.field(default_factory=dict)
    """By assignment: the regrade that is to be done."""
    notes: Mapping[Submission, str] = dataclasses.field(default_factory=dict)
    """Lines for students, for the records of those who get one."""
    ending: threading.Event = dataclasses.field(default_factory=threading.Event)
    _run: ClassRun | None = None

    def finish(self) -> None:
        """Begin nothing more; what is in flight is graded to its end."""
        self.ending.set()
        if self._run is not None:
            self._run.finish()

    def grade(self, assignment: str, submissions: Sequence[Submission]) -> tuple[list[Marked], list[str]]:
        """Grade what is new or changed of these, saying so as it happens; the marks of each, by student, and the problems.

        A gradebook that cannot be used is a problem; marks that were entered before are there.
        """
        problems = self._ask_checks(submissions)
        students, marked = [submission.student for submission in submissions], []
        stop = self.ending.is_set
        try:
            for one in grade(
                self.course, assignment, students, workers=self.workers, regrade=self.regrades.get(assignment), stop=stop
            ):
                marked.append(one)
                if not self.quiet and not one.unchanged:
                    click.echo(f"{len(marked)} of {len(students)}  {one.student}: {one.problem or _points(one)}", err=True)
        except GradebookError as error:
            problems.append(str(error))
        marked.sort(key=lambda one: one.student)  # they came in the order in which they ended
        return marked, problems + [f"{one.student}: {line}" for one in marked for line in one.problems]

    def _ask_checks(self, submissions: Iterable[Submission]) -> list[str]:
        """Make the records that are missing, where there are exercises; the problems."""
        todo = to_judge(self.course, submissions, regrades=self.regrades)
        if not todo or self.ending.is_set():
            return []
        require_graders_as_released(self.course, [todo[0].assignment])
        if not self.quiet:
            what = f"{count(len(todo), 'submission')} of {todo[0].assignment}"
            click.echo(f"{what}: their checks first, then the tests in their cells", err=True)
        self._run = ClassRun(self.course, todo, workers=self.workers, notes=self.notes)
        if self.ending.is_set():  # while it was made
            self._run.finish()
        progress = progress_for(len(todo), quiet=self.quiet)
        # The marks are entered once the notebooks have run, too.
        return grade_and_record(self.course, self._run, unchanged=(), todo=todo, progress=progress, enter=_only_graded)


def _only_graded(_: Course, graded: Iterable[object]) -> list[str]:
    for _submission in graded:
        pass
    return []


def _grade(grading: ClassicGrading, assignment: str, submissions: Sequence[Submission]) -> tuple[list[Marked], list[str]]:
    """Grade and print one assignment's class; the marks and the problems."""
    began = time.monotonic()
    marked, problems = grading.grade(assignment, submissions)
    graded = sum(not one.unchanged for one in marked)
    if not grading.quiet:
        seconds = time.monotonic() - began
        click.echo(f"{assignment}: {graded} graded in {seconds:.1f} s, {len(marked) - graded} unchanged", err=True)
        for one in marked:
            click.echo(f"{one.student:<24} {_points(one)}")
    return marked, problems


def _state(one: Marked) -> State:
    return state_of_mark(one.mark) if one.mark is not None else State.NOT_GRADED


def _points(one: Marked) -> str:
    if one.mark is None:
        return "not graded"
    waits = {Standing.BY_HAND: "needs manual grading", Standing.TO_CONFIRM: "to be confirmed in Formgrader"}
    status = waits.get(one.mark.standing, "" if one.mark.standing is Standing.FINAL else one.mark.standing.value)
    total = f"{number(one.mark.points)} of {number(one.mark.max_points)}"
    return ", ".join(filter(None, [total, status, one.mark.note]))
