"""``torchgrade grade``: a class, or one file.

    submissions ──► to_grade ──► ClassRun: judges ──► records, marks as they come ──► tables ──► how the class stands

    tests in cells:   exercises, if there are some ──► judges ──► records ─┐
                      submissions ──► jailed kernels ──────────────────────┴──► marks

nbgrader takes as long to import as a judge takes to get ready, so both happen at the same time: modules that import nbgrader are
imported inside functions, once a run has begun.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from torchgrade.cli.shared import (
    cause_of,
    count,
    end,
    ending_in_order,
    handed_in,
    one_a_core,
    print_summary,
    take_turn,
    teller,
    ungraded_lines,
    workers_for,
)
from torchgrade.course import Course, Submission
from torchgrade.jail import choose_wall
from torchgrade.judge.environment import has_gpu
from torchgrade.record import Record, Results
from torchgrade.report.mark import Standing
from torchgrade.report.pages import record_text
from torchgrade.report.presentation import number
from torchgrade.report.terminal import State, print_class_table, progress_for, state_of, state_of_mark
from torchgrade.runs import Begun, ClassRun, EventLog, Regrade, to_grade
from torchgrade.runs.cluster import in_cluster
from torchgrade.runs.reuse import is_of_what_is_there

if TYPE_CHECKING:
    from torchgrade.classic.grading import Marked
    from torchgrade.cli.commands import ClassRequest, FileRequest
    from torchgrade.report.mark import Mark


def grade_file(course: Course, request: FileRequest) -> None:
    """Grade one file without the gradebook, and print; exits with 1 if it could not be read or a check was left open."""
    from torchgrade.judge.judge import Judge

    notebook = request.notebook
    assignment = course.require_assignment(request.assignments[0])
    with Judge(course, jail=not request.unsafe_no_jail) as judge:
        record = judge.grade(assignment, notebook.stem, notebook, seed=request.seed, checks=request.checks)
    click.echo(json.dumps(record.to_json(), indent=1) if request.as_json else record_text(record))
    if cause := cause_of(record):
        click.echo(f"Problem: left ungraded: {cause}", err=True)
    if cause or not record.readable:
        raise SystemExit(1)


def grade_class(course: Course, request: ClassRequest) -> None:
    """Grade what is new or changed, enter the marks, print them. Exits with 1 if there was a problem."""
    if course.kind.tests_in_cells:
        _grade_tests_in_cells(course, request)
    else:
        _grade_checks(course, request)


# ---- checks in graders/


def _grade_checks(course: Course, request: ClassRequest) -> None:
    only = request.only or ""
    there = handed_in(course, request.assignments, request.students)  # report what is wrong before waiting for anything
    with contextlib.ExitStack() as ours:
        take_turn(ours, course, request.assignments)
        by_assignment = {each: course.handed_in(each, request.students) for each in there.students}
        chosen = [submission for submissions in by_assignment.values() for submission in submissions]
        regrades = {}
        if request.regrade:
            regrades = {each: Regrade(course, each, [one.student for one in handed]) for each, handed in by_assignment.items()}
        todo = to_grade(course, chosen, jail=not request.unsafe_no_jail, regrades=regrades, only=only)
        run = _begin(course, todo, request)

        unchanged = sorted(set(chosen) - set(todo))
        others = "graded again before" if len(todo) < len(chosen) and request.regrade else "others" if only else "unchanged"
        tell = teller(quiet=request.quiet, err=True)
        tell(f"{count(len(chosen), 'submission')} of {', '.join(by_assignment)}: {len(todo)} to grade, {len(unchanged)} {others}")

        results = Results(course.results)
        before = {} if request.quiet else {each: results.read(each.student, each.assignment) for each in todo}
        with ending_in_order(run.finish) as signals:
            from torchgrade.gradebook import require_released
            from torchgrade.gradebook.handout import require_graders_as_released

            require_released(course, by_assignment)
            require_graders_as_released(course, (each.assignment for each in todo))
            problems = grade_and_enter(course, run, todo=todo, unchanged=unchanged, quiet=request.quiet)
        records = {each: results.read(each.student, each.assignment) for each in chosen}
        if not request.quiet:
            _print_marks(course, records, before)
        problems += ungraded_lines(record for record in records.values() if record is not None)
        for problem in problems:
            click.echo(f"Problem: {problem}", err=True)
    if not signals:
        for regrade in regrades.values():
            regrade.end()
    end(signals, problems=bool(problems))
    there.end()


def _begin(course: Course, todo: list[Submission], request: ClassRequest) -> ClassRun:
    """The run of what has to be done; its judges start to get ready now. Raises if this machine cannot grade as asked."""
    jail, complete = not request.unsafe_no_jail, request.only == "provisional"
    if todo and request.ray is None and jail:
        choose_wall().require()
    if todo and complete and not has_gpu():
        raise click.ClickException(
            f"{count(len(todo), 'provisional submission')} {'waits' if len(todo) == 1 else 'wait'} for a GPU, and this machine "
            "has none. Run this command on a machine where torchgrade doctor finds one, with the same results folder; what is "
            "decided stays"
        )
    if request.ray is None:
        judges = workers_for(course, {submission.assignment for submission in todo}, request.workers)
        return ClassRun(course, todo, workers=judges, jail=jail, complete=complete)
    in_that = functools.partial(in_cluster, address=request.ray)
    return ClassRun(course, todo, workers=request.workers or len(todo), jail=jail, judges=in_that)


def grade_and_enter(
    course: Course,
    run: ClassRun,
    *,
    todo: Sequence[Submission],
    unchanged: Sequence[Submission] = (),
    quiet: bool,
    enter: bool = True,
) -> list[str]:
    """Do the run, which grades ``todo``, and enter all marks as they come; return a line for each problem.

    The ``unchanged`` submissions are looked at, too: an earlier run may have ended before their marks were entered. Without
    ``enter``, records are made but nothing is written to the gradebook.
    """
    from torchgrade.gradebook.recording import MarkBook

    problems: list[str] = []
    log = EventLog(course.results / "events.jsonl")
    log.write("run", submissions=len(todo), unchanged=len(unchanged))
    with contextlib.ExitStack() as ours:
        ours.enter_context(contextlib.closing(run))
        progress = ours.enter_context(progress_for(len(todo), quiet=quiet))
        book = ours.enter_context(MarkBook(course)) if enter else None
        if book is not None:
            for submission in unchanged:
                book.enter(submission)
        for event in run:
            name, facts = str(event.submission), event.submission._asdict()
            if isinstance(event, Begun):
                progress.begun(name)
                log.write("begun", **facts)
                continue
            progress.done(name, record := event.record)
            if event.error:
                log.write("error", **facts, error=event.error)
                problems.append(f"{event.submission.student}: {event.error}")
            if record is not None:
                marks = {"status": record.status.value, "points": record.points, "max_points": record.max_points}
                same = {"same_as": event.same_as.student} if event.same_as else {}
                log.write("graded", **facts, **marks, seconds=round(record.seconds, 3), **same)
                if book is not None:
                    book.enter(record)
    problems += book.problems if book is not None else []
    log.write("end", problems=len(problems))
    return problems


def _print_marks(course: Course, found: Mapping[Submission, Record | None], before: Mapping[Submission, Record | None]) -> None:
    """Print a table for each assignment, then how the class stands in each.

    ``before``: the records that the submissions had before they were to be graded. If a submission still has the same record, it
    was not graded, for example because the run was stopped; if that record is of what is there now, it is a mark all the same.
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
    """The gradebook's marks; none if it cannot be read, which was reported when marks should have been entered."""
    from torchgrade.gradebook import GradebookError
    from torchgrade.gradebook.marks import marks_in
    from torchgrade.gradebook.store import reading_gradebook

    try:
        with reading_gradebook(course) as book:
            return marks_in(book, assignment, records)
    except GradebookError:
        return {}


# ---- tests in the notebooks' own cells


def _grade_tests_in_cells(course: Course, request: ClassRequest) -> None:
    """Grade each assignment's class; a line for every student, the marks last."""
    if request.ray or request.only or request.unsafe_no_jail:
        raise click.UsageError("--ray, --only and --unsafe-no-jail do not work with tests in the notebook's own cells")
    from torchgrade.classic.fork_server import start_fork_server

    start_fork_server()  # first: the other imports take as long as the fork server's own
    assignments, students = request.assignments, request.students
    chosen = handed_in(course, assignments, students)  # report what is wrong with the request before waiting
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
                marked, found = _grade_one(grading, assignment, submissions)
                if request.regrade and not signals:
                    grading.regrades[assignment].end()
                states[assignment] = {each.student: State.NOT_GRADED for each in submissions}
                states[assignment] |= {one.student: state_of_mark(one.mark) for one in marked if one.mark is not None}
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
    """By assignment: the regrade to be done."""
    notes: Mapping[Submission, str] = dataclasses.field(default_factory=dict)
    """Lines for the student, to be put into the records of those who get one."""
    ending: threading.Event = dataclasses.field(default_factory=threading.Event)
    _run: ClassRun | None = None

    def finish(self) -> None:
        """Begin nothing more; finish grading what is in flight."""
        self.ending.set()
        if self._run is not None:
            self._run.finish()

    def grade(self, assignment: str, submissions: Sequence[Submission]) -> tuple[list[Marked], list[str]]:
        """Grade those of these that are new or changed, and report progress; return the marks, by student, and the problems.

        A gradebook that cannot be used is a problem; marks that were entered before it are still there.
        """
        from torchgrade.classic.grading import grade
        from torchgrade.gradebook import GradebookError

        problems = self._ask_checks(submissions)
        students = [submission.student for submission in submissions]
        marked: list[Marked] = []
        stop, regrade = self.ending.is_set, self.regrades.get(assignment)
        try:
            for one in grade(self.course, assignment, students, workers=self.workers, regrade=regrade, stop=stop):
                marked.append(one)
                if not self.quiet and not one.unchanged:
                    click.echo(f"{len(marked)} of {len(students)}  {one.student}: {one.problem or _points(one)}", err=True)
        except GradebookError as error:
            problems.append(str(error))
        marked.sort(key=lambda one: one.student)  # they came in the order in which they ended
        return marked, problems + [f"{one.student}: {line}" for one in marked for line in one.problems]

    def _ask_checks(self, submissions: Iterable[Submission]) -> list[str]:
        """Make the records that are missing, if there are exercises; return the problems."""
        from torchgrade.classic.basis import to_judge
        from torchgrade.gradebook.handout import require_graders_as_released

        todo = to_judge(self.course, submissions, regrades=self.regrades)
        if not todo or self.ending.is_set():
            return []
        require_graders_as_released(self.course, [todo[0].assignment])
        if not self.quiet:
            what = f"{count(len(todo), 'submission')} of {todo[0].assignment}"
            click.echo(f"{what}: their checks first, then the tests in their cells", err=True)
        self._run = ClassRun(self.course, todo, workers=self.workers, notes=self.notes)
        if self.ending.is_set():  # a Ctrl-C may have come while the run was made
            self._run.finish()
        # The marks are entered later, once the notebooks have run as well.
        return grade_and_enter(self.course, self._run, todo=todo, quiet=self.quiet, enter=False)


def _grade_one(grading: ClassicGrading, assignment: str, submissions: Sequence[Submission]) -> tuple[list[Marked], list[str]]:
    """Grade one assignment's class and print it; return the marks and the problems."""
    began = time.monotonic()
    marked, problems = grading.grade(assignment, submissions)
    graded = sum(not one.unchanged for one in marked)
    if not grading.quiet:
        seconds = time.monotonic() - began
        click.echo(f"{assignment}: {graded} graded in {seconds:.1f} s, {len(marked) - graded} unchanged", err=True)
        for one in marked:
            click.echo(f"{one.student:<24} {_points(one)}")
    return marked, problems


def _points(one: Marked) -> str:
    if one.mark is None:
        return "not graded"
    waits = {Standing.BY_HAND: "needs manual grading", Standing.TO_CONFIRM: "to be confirmed in Formgrader"}
    status = waits.get(one.mark.standing, "" if one.mark.standing is Standing.FINAL else one.mark.standing.value)
    total = f"{number(one.mark.points)} of {number(one.mark.max_points)}"
    return ", ".join(filter(None, [total, status, one.mark.note]))
