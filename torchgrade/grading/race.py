"""Speed as a ratio to the instructor's own solution, measured in one run, each in a jail of its own.

    round:  reference · student · reference     (then the other way round), inputs fresh, results checked by the judge
    batch:  rounds; the lower wall times and the medians of processor time give two ratios
    pass    both at most the limit in one batch          fail    both over it in three batches, spaced
    else    the reference differs from itself, or the two ratios disagree: another batch, then ungraded

The clock is the judge's and runs until the result is in its hands. A shared machine may slow everything down; the minimum of
many short samples and processor time hardly mind (see the design's table of what other statistics do).
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Self

import torch

from torchgrade.course import Course
from torchgrade.grading.checks import CheckFailed, GraderError, UndecidedError, measured
from torchgrade.grading.plan import read_probes
from torchgrade.notebook import Assignment, compose, take_program
from torchgrade.sandbox import Session, Student, StudentFault, StudentFunction, WarmWorker
from torchgrade.sandbox.proxy import Exchange

ROUNDS = 21
LEAST_SECONDS = 0.5e-3
SELF_BOUNDS = (0.8, 1.25)
BATCHES_TO_FAIL = 3
MOST_BATCHES = 8
MOST_SECONDS_A_BATCH = 2.0
PAUSE_SECONDS = 0.15


class Racers:
    """Gives races the reference's process. ``exercise`` is set to the exercise whose check runs."""

    def __init__(self, worker: WarmWorker, course: Course, assignment: Assignment) -> None:
        self._worker, self._course, self._assignment = worker, course, assignment
        self._sessions: dict[str, Session] = {}
        self.exercise = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._sessions.values():
            session.end()

    def reference(self) -> Session:
        """A session of the exercise's reference solution; it knows nothing of the student."""
        session = self._sessions.get(self.exercise)
        if session is None:
            path = self._course.solutions / self._assignment.name / self.exercise / "reference.py"
            try:
                text = path.read_text(encoding="utf-8")
            except OSError as error:
                raise GraderError(f"a race needs the reference solution: {path}: {error.strerror}") from error
            notebook = compose(self._assignment, {self.exercise: text})
            probes = read_probes(self._course, self._assignment.name)
            session = Session(self._worker, take_program(self._assignment, notebook).to_wire(), probes=probes)
            self._sessions[self.exercise] = session
        return session


racers: ContextVar[Racers | None] = ContextVar("racers", default=None)


@dataclasses.dataclass(slots=True)
class Samples:
    """Wall and processor seconds of one side."""

    wall: list[float] = dataclasses.field(default_factory=list)
    processor: list[float] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Batch:
    """One batch: the student, and the reference twice, so that it can be held against itself."""

    student: Samples = dataclasses.field(default_factory=Samples)
    first: Samples = dataclasses.field(default_factory=Samples)
    second: Samples = dataclasses.field(default_factory=Samples)

    @property
    def ratios(self) -> tuple[float, float]:
        """Student to reference: by least wall time, and by median processor time."""
        reference = Samples(self.first.wall + self.second.wall, self.first.processor + self.second.processor)
        return _ratios(self.student, reference)

    @property
    def steady(self) -> bool:
        """Whether the reference agrees with itself."""
        low, high = SELF_BOUNDS
        return all(low <= ratio <= high for ratio in _ratios(self.first, self.second))


def _ratios(one: Samples, other: Samples) -> tuple[float, float]:
    wall = min(one.wall) / max(min(other.wall), 1e-9)
    return wall, statistics.median(one.processor) / max(statistics.median(other.processor), 1e-9)


def race(
    function: StudentFunction,
    *,
    make_inputs: Callable[[], tuple[Any, ...]],
    verify: Callable[..., None],
    at_most: float,
) -> None:
    """Fail if ``function`` takes more than ``at_most`` times as long as the exercise's reference solution.

    ``make_inputs`` draws the arguments of one call, afresh each time. ``verify(result, *arguments)`` raises for a wrong result;
    every timed result is verified. Raises :class:`UndecidedError` when the machine is too noisy to tell.
    """
    __tracebackhide__ = True
    field = racers.get()
    if field is None:
        raise GraderError("race runs in a grading run only; a public check cannot time a student against the reference")
    session = field.reference()
    session.begin_check()
    try:
        _race(function, session, make_inputs, verify, at_most)
    finally:
        session.end_check()


def _as_ours(exchange: Exchange) -> Exchange:
    """The reference's failures are ours, not the student's."""

    def asked(
        request: dict[str, Any], tensors: list[torch.Tensor], seconds: float | None = None
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        try:
            return exchange(request, tensors, seconds)
        except StudentFault as fault:
            raise GraderError(f"the reference solution failed in a race: {fault}") from fault

    return asked


class _Lane:
    """One side of a race: a function in its process, and that process's clocks."""

    def __init__(self, function: StudentFunction) -> None:
        self.function = function

    def run(self, inputs: list[tuple[Any, ...]], samples: Samples) -> list[Any]:
        """Time one call for each tuple of arguments; the mean goes to ``samples``."""
        processor, wall = self.function.processor_seconds(), time.perf_counter()
        results = [self.function(*arguments) for arguments in inputs]
        samples.wall.append((time.perf_counter() - wall) / len(inputs))
        samples.processor.append((self.function.processor_seconds() - processor) / len(inputs))
        return results


def _race(
    function: StudentFunction,
    session: Session,
    make_inputs: Callable[[], tuple[Any, ...]],
    verify: Callable[..., None],
    at_most: float,
) -> None:
    referee = Student(_as_ours(session.exchange), seed=1, processor_seconds=session.processor_seconds)
    reference, student = _Lane(getattr(referee, function.__name__)), _Lane(function)
    for lane in (reference, student):  # the first call of a process pays for what is set up once
        arguments = make_inputs()
        verify(lane.function(*arguments), *arguments)
    inner = _inner_count(reference, make_inputs)
    over, batches = 0, []
    for number in range(MOST_BATCHES):
        if number:
            time.sleep(PAUSE_SECONDS)
        batch = _run_batch(student, reference, make_inputs, verify, inner)
        batches.append(batch)
        ratios = batch.ratios
        measured("ratios", [list(each.ratios) for each in batches])
        measured("at_most", at_most)
        measured("seconds", {"student": min(batch.student.wall), "reference": min(batch.first.wall + batch.second.wall)})
        if max(ratios) <= at_most:
            return
        # A student far over the limit is over it even when the reference wavers.
        if min(ratios) > at_most and (batch.steady or min(ratios) > 3 * at_most):
            over += 1
        if over == BATCHES_TO_FAIL:
            ratio = min(min(each.ratios) for each in batches)
            raise CheckFailed(f"{ratio:.1f} times as slow as the reference solution; at most {at_most:g} times is allowed")
    raise UndecidedError("the machine was too busy to time your code fairly; this check will be run again")


def _inner_count(reference: _Lane, make_inputs: Callable[[], tuple[Any, ...]]) -> int:
    """Calls a sample, the same for both sides, so that a sample of the reference is long enough for the clock."""
    samples = Samples()
    for _ in range(5):
        reference.run([make_inputs()], samples)
    return max(1, min(64, round(LEAST_SECONDS / min(samples.wall))))


def _run_batch(
    student: _Lane,
    reference: _Lane,
    make_inputs: Callable[[], tuple[Any, ...]],
    verify: Callable[..., None],
    inner: int,
) -> Batch:
    batch = Batch()
    started = time.perf_counter()
    for number in range(ROUNDS):
        order = [(reference, batch.first), (student, batch.student), (reference, batch.second)]
        for lane, samples in order if number % 2 else reversed(order):
            inputs = [make_inputs() for _ in range(inner)]
            results = lane.run(inputs, samples)
            if lane is student:
                for result, arguments in zip(results, inputs, strict=True):
                    verify(result, *arguments)
        if time.perf_counter() - started > MOST_SECONDS_A_BATCH and number >= 2:  # noqa: PLR2004 - three samples at least
            break
    return batch
