"""Parts that several commands share: which submissions, whose turn it is, how many judges, and what is printed."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import re
import signal
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from torchgrade.course import Course, CourseError, Submission
from torchgrade.errors import cannot
from torchgrade.jail.resources.gpu import list_gpus
from torchgrade.record import Outcome, Record, RecordError
from torchgrade.report.terminal import State, summary_line
from torchgrade.report.text import few_of, one_line
from torchgrade.runs import first_signal, turn

# ---- which submissions


@dataclasses.dataclass(frozen=True, slots=True)
class HandedIn:
    """The submissions for several assignments, or only those of the students named by ``only``.

    ``passed_over`` has a line for each folder whose name cannot be a student's; each line was printed.
    """

    students: Mapping[str, list[str]]
    only: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()

    @property
    def submissions(self) -> list[Submission]:
        """All of them, in order."""
        return [Submission(assignment, student) for assignment, students in self.students.items() for student in students]

    def end(self) -> None:
        """For the end of a command: if submissions were passed over, print how many, and exit with 1."""
        if self.passed_over:
            lost = len(self.passed_over)
            were = f"of {lost + len(self.submissions)} submissions {'was' if lost == 1 else 'were'}"
            click.echo(f"Problem: {lost} {were} passed over, because of the names of their folders", err=True)
            raise SystemExit(1)


def handed_in(course: Course, assignments: Iterable[str], only: tuple[str, ...] = (), *, some: bool = True) -> HandedIn:
    """Return the submissions for all of these, as :meth:`Course.handed_in` has them; print which folders are passed over.

    ``some``: there must be some for each assignment; raise :class:`CourseError` if nothing was handed in for one.
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


# ---- whose turn it is, and an orderly end


def take_turn(ours: contextlib.ExitStack, course: Course, assignments: Iterable[str]) -> None:
    """Wait until no other run has the same assignment; until the end of ``ours``, the next run waits for this one.

    Raises :class:`torchgrade.record.RecordError` if results cannot be written: before an hour of grading, not after it.
    """
    _require_writable(course.results)
    try:
        ours.enter_context(turn(course.results, assignments, tell=lambda line: click.echo(line, err=True)))
    except KeyboardInterrupt:
        click.echo("\nStopped waiting; this run has graded nothing.", err=True)
        raise SystemExit(128 + signal.SIGINT) from None


@contextlib.contextmanager
def ending_in_order(finish: Callable[[], None]) -> Iterator[list[int]]:
    """Within the block, the first Ctrl-C calls ``finish`` and says so. Gives the list of signals that came."""

    def told() -> None:
        finish()
        click.echo("\nFinishing what is in flight; Ctrl-C again stops at once.", err=True)

    signals: list[int] = []
    try:
        with first_signal(told) as signals:
            yield signals
    except KeyboardInterrupt:
        click.echo(
            "\nStopped at once. What was graded is kept; the same command grades what was in flight, and the rest.", err=True
        )
        raise SystemExit(128 + (signals[-1] if signals else signal.SIGINT)) from None


def end(signals: Sequence[int], *, problems: bool) -> None:
    """End the command: its exit status is that of the signal, or 1 if there were problems."""
    if signals:
        click.echo("Stopped. Nothing that was graded is lost; the same command goes on where this one stopped.", err=True)
        raise SystemExit(128 + signals[0])
    if problems:
        raise SystemExit(1)


def _require_writable(results: Path) -> None:
    with cannot(f"write to {results}", RecordError, then="Nothing was graded."):
        results.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=results) as file:
            file.write(b"\0" * 65536)
            file.flush()
            os.fsync(file.fileno())


# ---- number of judges on this machine

_MOST_WORKERS = 4


def workers_for(course: Course, assignments: Iterable[str], asked: int | None) -> int:
    """As many judges as were asked for; else one per GPU if these assignments' checks use one; else one per core, at most 4."""
    if asked is not None:
        return asked
    gpus = list_gpus()
    if gpus and any(_uses_device(course, assignment) for assignment in assignments):
        return len(gpus)
    return one_a_core()


def one_a_core() -> int:
    """As many judges as there are cores, at most 4."""
    return min(_MOST_WORKERS, os.cpu_count() or 1)


def _uses_device(course: Course, assignment: str) -> bool:
    """Whether a grader takes the fixture ``device`` or has a check that needs a GPU: either way, the word is in its text."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((course.graders / assignment).glob("*.py")))
    return any(re.search(r"\b(device|gpu)\b", text) for text in texts)


# ---- printed lines


def teller(*, quiet: bool, err: bool = False) -> Callable[[str], None]:
    """A function that prints a line, or nothing if the command is to be quiet."""
    return (lambda _: None) if quiet else functools.partial(click.echo, err=err)


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 submission``, ``2 submissions``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shown(path: Path) -> str:
    """A path as seen from the working folder if it is below that; otherwise in full."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def print_summary(course: Course, states: Mapping[str, Mapping[str, State]]) -> None:
    """Print, for each assignment, a line on how its class stands, then the commands that come next and where their pages will be.

    ``states``: by assignment and student. This repeats what a long table has scrolled out of sight.
    """
    click.echo()
    for assignment, students in states.items():
        click.echo(summary_line(assignment, students))
    names = " ".join(states)
    one = len(states) == 1
    found = {state for students in states.values() for state in students.values()}
    several = names if one else "ASSIGNMENT"
    following = []
    if State.MANUAL in found or State.TO_CONFIRM in found:
        following.append(("jupyter lab", "Formgrader, for what is graded by hand"))
    if State.PROVISIONAL in found and course.kind.whole_records:
        following.append((f"torchgrade grade {names} --only provisional", "on a machine with a GPU"))
    following.append((f"torchgrade feedback {names}", f"a page per student: {shown(course.feedback)}/STUDENT/{several}/"))
    following.append((f"torchgrade report {names}", f"the class: {shown(course.results / 'reports')}/{several}.html"))
    width = max(len(command) for command, _ in following)
    for command, what in following:
        click.echo(f"  {command:<{width}}  {what}")


def ungraded_lines(records: Iterable[Record]) -> list[str]:
    """A line for each assignment and cause: who is left ungraded, why, and the command that tries again.

    As long as something is left ungraded through no fault of a submission, the class is not graded.
    """
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for record in records:
        if cause := cause_of(record):
            found[record.assignment, cause].append(record.student)
    return [
        f"left ungraded: {few_of(students, 'others')}. {cause}  [torchgrade grade {assignment} --only ungraded tries again]"
        for (assignment, cause), students in found.items()
    ]


def cause_of(record: Record) -> str:
    """Why checks that are worth points could not be decided (of a traceback, only what was raised); empty if all were decided."""
    check = next((check for check in record.checks if check.is_open and check.outcome is Outcome.UNGRADED), None)
    if check is None:
        return ""
    return one_line(f"{check.name}: {check.cause or check.message}", limit=400)
