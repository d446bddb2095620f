"""``race``: from a grader's call to an outcome. The parts are beside it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import torch

from torchgrade.grading.checks import CheckFailed, UndecidedError, award, measured
from torchgrade.grading.race.field import REFERENCE, Racers, Rival, field_of
from torchgrade.grading.race.quiet import core_to_race_on, quiet_lane
from torchgrade.grading.race.samples import Batch, Samples
from torchgrade.grading.race.sides import Draw, Inputs, Side, run_batch
from torchgrade.grading.race.verdict import Curve, Limit, Verdict, decide, limits_of
from torchgrade.grading.race.words import as_measurements, in_words
from torchgrade.sandbox import StudentFunction
from torchgrade.sandbox.outside import as_usual, prefer

LEAST_SECONDS = 0.5e-3
MOST_CALLS_A_SAMPLE = 64
PAUSE_SECONDS = 0.15
"""Between two batches; twice as long after each that was unclear, since what disturbs it may take its time."""
LONGEST_PAUSE = 0.6
BUDGET_SECONDS = 20.0
"""A race that has not decided itself in this time, its wait for the lane apart, is ungraded."""


def race(
    function: StudentFunction,
    *,
    make_inputs: Callable[[], Inputs],
    verify: Callable[..., None],
    at_most: float | None = None,
    at_least: float | None = None,
    full_marks_at: float | None = None,
    no_marks_at: float | None = None,
    reference: Rival = REFERENCE,
    baseline: Rival | None = None,
) -> None:
    """Fail if ``function`` is slower than is allowed. Times are ratios to the instructor's code, measured in one run.

    ``at_most``: so many times the time of ``reference``. ``at_least``: so many times as fast as ``baseline``. Either, or both.
    ``full_marks_at`` and ``no_marks_at`` give part marks instead: times the reference, or, with a baseline, times as fast as
    that; between the two the share falls in a straight line with the logarithm of the ratio, in tenths, rounded up.

    ``function`` is a function of ``student``, or ``student.probe(probes.f)``. ``reference`` and ``baseline`` name a solution of
    the exercise's bank (``"reference"``, ``"chaffs/loop.py"``), or are a function of ``probes.py``, which is then run beside the
    reference solution with the same arguments.
    ``make_inputs`` draws the arguments of one call, afresh each time, from torch's, NumPy's or Python's own generator.
    ``verify(result, *arguments)`` raises for a wrong result; every timed result of the student's is verified.

    Raises :class:`UndecidedError` when the machine is too noisy or too busy to tell, :class:`CheckFailed` with the ratio in
    words.
    """
    __tracebackhide__ = True
    limits, curve = limits_of(at_most, at_least, full_marks_at, no_marks_at, baseline=baseline is not None)
    field = field_of("race")
    with contextlib.ExitStack() as stack:
        sides = {"student": Side("student", function), "reference": _rival(stack, field, function, reference, "reference")}
        if baseline is not None:
            sides["baseline"] = _rival(stack, field, function, baseline, "baseline")
        verdict, batches = _run(stack, sides, Draw(make_inputs, torch.initial_seed()), verify, limits, curve)
    words = in_words(verdict, batches, curve)
    if verdict.outcome == "ungraded":
        raise UndecidedError("the machine was too busy to time your code fairly; this check will be run again")
    if verdict.outcome == "failed":
        raise CheckFailed(words)
    if verdict.outcome == "partly":
        award(verdict.share, words)


def _rival(stack: contextlib.ExitStack, field: Racers, function: StudentFunction, rival: Rival, role: str) -> Side:
    """A side that does what ``function`` does, in another notebook."""
    probe = rival if callable(rival) else None
    session = field.session(REFERENCE if callable(rival) else rival, role=role)
    stack.callback(session.end_check)
    student = field.student(session, who=f"{role} solution")
    return Side(role, function.of(student) if probe is None else student.probe(probe))


def _run(
    stack: contextlib.ExitStack,
    sides: dict[str, Side],
    draw: Draw,
    verify: Callable[..., None],
    limits: list[Limit],
    curve: Curve | None,
) -> tuple[Verdict, list[Batch]]:
    for side in sides.values():  # the first call of a process pays for what is set up once
        arguments = draw()
        result = side.function(*arguments)
        if side.name != "baseline":
            verify(result, *arguments)
    waited = stack.enter_context(quiet_lane())
    core = core_to_race_on()
    for side in sides.values():
        stack.callback(side.stop)
    clocks = {side.name: side.start(core) for side in sides.values()}
    if preferred := prefer():
        stack.callback(as_usual)
    inner = inner_count(sides["reference"], draw)
    about = {"calls_a_sample": inner, "clock": clocks["student"], "core": core, "waited": round(waited, 3)}
    about["priority"] = "real time" if preferred else "as usual"
    beyond = limits if curve is None else [Limit(curve.other, curve.none)]
    batches: list[Batch] = []
    started, pause = time.perf_counter(), PAUSE_SECONDS
    while True:
        batches.append(run_batch(sides, draw, verify, inner, excess=lambda batch: max(limit.excess(batch) for limit in beyond)))
        verdict = decide(batches, limits, curve, spent=time.perf_counter() - started > BUDGET_SECONDS)
        if verdict is not None:
            measured("race", as_measurements(verdict, batches, limits, curve, about))
            return verdict, batches
        time.sleep(pause)
        if not any(limit.call(batches[-1]).value == "over" for limit in limits):
            pause = min(2 * pause, LONGEST_PAUSE)


def inner_count(reference: Side, draw: Draw) -> int:
    """Calls a sample, the same for all sides, so that a sample of the reference is long enough for the clock."""
    samples = Samples()
    for _ in range(5):
        reference.run([draw()], samples)
    reference.settle()
    return max(1, min(MOST_CALLS_A_SAMPLE, -int(-LEAST_SECONDS // min(samples.wall))))
