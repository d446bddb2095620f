"""``race``: from a grader's call to an outcome. The parts are in the modules beside this one."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import torch

from torchgrade.checks.declared import CheckFailed, UndecidedError
from torchgrade.checks.notes import award, measured
from torchgrade.jail import StudentFunction
from torchgrade.jail.resources.process_tree import as_usual, prefer
from torchgrade.judge.race.gpu import OnDevice, device_among, transfer_of
from torchgrade.judge.race.lane import core_to_race_on, quiet_lane
from torchgrade.judge.race.rivals import REFERENCE, Racers, Rival, require_racers
from torchgrade.judge.race.samples import Batch, Samples
from torchgrade.judge.race.sentences import as_measurements, in_words
from torchgrade.judge.race.sides import Draw, Inputs, Side, run_batch
from torchgrade.judge.race.verdict import Curve, Limit, Verdict, decide, limits_of
from torchgrade.record.measurements import RaceConditions

LEAST_SECONDS = 0.5e-3
MOST_CALLS_A_SAMPLE = 64
PAUSE_SECONDS = 0.15
"""Seconds between two batches; twice as long after each unclear one, since whatever disturbs it may take its time."""
LONGEST_PAUSE = 0.6
BUDGET_SECONDS = 20.0
"""Seconds, not counting the wait for the lane, after which a race that is still undecided stays ungraded."""


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
    device: torch.device | None = None,
    moved: float = 0.0,
    operations: float = 0.0,
    hint: str = "",
) -> None:
    """Fail if ``function`` is slower than is allowed. Times are ratios to the instructor's code, measured in one run.

    ``at_most``: at most this many times the time of ``reference``. ``at_least``: at least this many times as fast as
    ``baseline``. Give either one, or both. ``full_marks_at`` and ``no_marks_at`` give part marks instead. They are multiples of
    the reference's time or, with a baseline, how many times as fast as that; between the two, the share falls in a straight line
    with the logarithm of the ratio, in tenths, rounded up.

    ``function`` is a function of ``student``, or ``student.probe(probes.f)``. ``reference`` and ``baseline`` name a solution of
    the exercise's bank (``"reference"``, ``"chaffs/loop.py"``), or are a function of ``probes.py``, which is then run beside the
    reference solution with the same arguments.
    ``make_inputs`` draws the arguments of one call, afresh each time, from torch's, NumPy's or Python's own generator.
    ``verify(result, *arguments)`` raises for a wrong result; every timed result of the student's is verified.

    On a GPU (if the arguments are tensors there, or ``device`` says so), the time for the way to it and back is measured as well
    and subtracted from all others, and each device has one race at a time. ``moved`` bytes of its memory, or ``operations`` in
    half precision, are what each call takes at the least: they bound how fast it can be, and anything that seems faster was
    measured wrongly.

    Raises :class:`UndecidedError` if the machine is too noisy or too busy to tell, and :class:`CheckFailed` with the ratio in
    words.
    """
    __tracebackhide__ = True
    limits, curve = limits_of(at_most, at_least, full_marks_at, no_marks_at, baseline=baseline is not None)
    racers = require_racers("race")
    with contextlib.ExitStack() as stack:
        sides = {"student": Side("student", function), "reference": _rival(stack, racers, function, reference, "reference")}
        if baseline is not None:
            sides["baseline"] = _rival(stack, racers, function, baseline, "baseline")
        draw = Draw(make_inputs, torch.initial_seed())
        device, result = _introduce(sides, draw, verify, device)
        where: OnProcessor | OnDevice = OnProcessor()
        if device is not None:
            where = OnDevice(device, moved=moved, operations=operations)
            sides["transfer"] = transfer_of(stack, racers, result, draw)
        verdict, batches = _run(stack, sides, draw, verify, limits, curve, where)
    sentence = in_words(verdict, batches, curve)
    if verdict.outcome == "ungraded":
        raise UndecidedError("the machine was too busy to time your code fairly; this check will be run again")
    if verdict.outcome == "failed":
        raise CheckFailed(sentence, hint=hint)
    if verdict.outcome == "partly":
        award(verdict.share, sentence, hint=hint)


def _rival(stack: contextlib.ExitStack, racers: Racers, function: StudentFunction, rival: Rival, role: str) -> Side:
    """A side that does what ``function`` does, but in another notebook."""
    probe = rival if callable(rival) else None
    session = racers.session(REFERENCE if callable(rival) else rival, role=role)
    stack.callback(session.end_check)
    student = racers.student(session, who=f"{role} solution")
    return Side(role, function.of(student) if probe is None else student.probe(probe))


class OnProcessor:
    """Where a race runs: this machine's processor, on a core of its own if there are enough."""

    lane = "processor"

    def __init__(self) -> None:
        self.core = core_to_race_on()

    def prepare(self, reference: Side, draw: Draw) -> RaceConditions:
        """How many calls a sample has, in the form in which the record says it."""
        return {"calls_a_sample": inner_count(reference, draw)}

    def net(self, batches: list[Batch]) -> list[Batch]:
        """The batches that decide: here, the measured ones themselves."""
        return batches

    def require_sense(self, batches: list[Batch], net: list[Batch]) -> None:
        """Do nothing: on a processor, every time means something."""


def _introduce(
    sides: dict[str, Side], draw: Draw, verify: Callable[..., None], device: torch.device | None
) -> tuple[torch.device | None, Any]:
    """Call each side once, since a process's first call pays for set-up: the device, and the result of the reference."""
    results = {}
    for side in sides.values():
        arguments = draw()
        device = device or device_among(arguments)
        results[side.name] = result = side.function(*arguments)
        if side.name != "baseline":
            verify(result, *arguments)
    return device, results["reference"]


def _run(
    stack: contextlib.ExitStack,
    sides: dict[str, Side],
    draw: Draw,
    verify: Callable[..., None],
    limits: list[Limit],
    curve: Curve | None,
    where: OnProcessor | OnDevice,
) -> tuple[Verdict, list[Batch]]:
    waited = stack.enter_context(quiet_lane(where.lane))
    for side in sides.values():
        stack.callback(side.stop)
    clocks = {side.name: side.start(where.core) for side in sides.values()}
    if preferred := prefer():
        stack.callback(as_usual)
    about = where.prepare(sides["reference"], draw)
    about |= {"clock": clocks["student"], "core": where.core, "waited": round(waited, 3)}
    about["priority"] = "real time" if preferred else "as usual"
    beyond = limits if curve is None else [Limit(curve.other, curve.none)]
    raw: list[Batch] = []

    def excess(batch: Batch) -> float:
        return max(limit.excess(where.net([*raw, batch])[-1]) for limit in beyond)

    started, pause = time.perf_counter(), PAUSE_SECONDS
    while True:
        raw.append(run_batch(sides, draw, verify, about["calls_a_sample"], excess=excess))
        batches = where.net(raw)
        where.require_sense(raw, batches)
        verdict = decide(batches, limits, curve, spent=time.perf_counter() - started > BUDGET_SECONDS)
        if verdict is not None:
            measured("race", as_measurements(verdict, batches, limits, curve, about))
            return verdict, batches
        time.sleep(pause)
        if not any(limit.call(batches[-1]).value == "over" for limit in limits):
            pause = min(2 * pause, LONGEST_PAUSE)


def inner_count(reference: Side, draw: Draw) -> int:
    """Calls in a sample, the same for all sides, so that a sample of the reference is long enough for the clock."""
    samples = Samples()
    for _ in range(5):
        reference.run([draw()], samples)
    reference.settle()
    return max(1, min(MOST_CALLS_A_SAMPLE, -int(-LEAST_SECONDS // min(samples.wall))))
