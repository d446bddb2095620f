"""A side of a race: a function in a jail of its own, that jail's processor clock, and a batch of rounds between sides.

    odd rounds    reference · student · student · reference · [baseline]      inputs fresh for every call, not known before the
    even rounds   reference · student · [baseline] · student · reference      clock starts; as many calls a sample on each side

A side that follows itself finds its data in the cache and is up to a fifth faster. In this order, that happens equally often to
the reference and to the student; when the student stood once between two references, the reference seemed 1.2 times as fast as
itself.

    wall        ├── question … answer, in the judge's hands ──┤
    processor   ├── … ─────────────────────────────────────────── … until the side's next question ──┤
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any

from torchgrade.checks.generators import seed_all
from torchgrade.jail import StudentFunction
from torchgrade.jail.resources.process_tree import ProcessTree
from torchgrade.judge.environment import has_gpu
from torchgrade.judge.race.samples import Batch, Samples

ROUNDS = 21
LEAST_ROUNDS = 5
MOST_SECONDS_A_BATCH = 2.0
OVER_BY = ((1.5, 5, 0.3), (3.0, 2, 0.1), (3.0, 1, 1.0))
"""A student who is this many times over the limit needs only this many rounds, once they have taken this many seconds: noise is
never three-fold by both clocks."""
BASELINE_SECONDS = 0.4
"""Once the slow side has had this many seconds of a batch, it sits out the rest."""
SETTLE_SECONDS = 2e-3
REST_WITHIN_SECONDS = 0.1
"""Clearing up after an answer takes far less, and a process that waits its turn on a full machine has had it by then."""

Inputs = tuple[Any, ...]


class Side:
    """A function that is timed, and the processes that run it."""

    def __init__(self, name: str, function: StudentFunction) -> None:
        self.name, self.function = name, function
        self.processes: ProcessTree | None = None
        self._open: tuple[Samples, float, float, float, int] | None = None

    def start(self, core: int | None) -> str:
        """Watch the side's processes from now on, once they have answered; return in words how their time is counted."""
        self.processes = self.function.process_tree()
        if self.processes is None:
            return "one process"
        if core is not None:
            self.processes.pin(core)
        self.processes.prefer()
        return "control group" if self.processes.account() else "/proc"

    def stop(self) -> None:
        """Let go of the processes."""
        if self.processes is not None:
            self.processes.close()
            self.processes = None

    def clock(self) -> float:
        """Processor seconds of all the side's processes."""
        return time.process_time() if self.processes is None else self.processes.processor_seconds()

    def reaped(self) -> float:
        """Processor seconds that :meth:`clock` leaves out."""
        return 0.0 if self.processes is None else self.processes.reaped_seconds()

    def run(self, inputs: list[Inputs], samples: Samples) -> list[Any]:
        """Time one call for each tuple of arguments; the mean goes to ``samples``."""
        self.settle()
        started, asked = self.clock(), time.perf_counter()
        results = [self.function(*arguments) for arguments in inputs]
        answered = time.perf_counter()
        samples.wall.append((answered - asked) / len(inputs))
        self._open = (samples, started, self.clock(), answered, len(inputs))
        return results

    def still_running(self) -> bool:
        """Return whether one of the side's threads still runs after a wait of :data:`REST_WITHIN_SECONDS`."""
        until = time.perf_counter() + REST_WITHIN_SECONDS
        while self.processes is not None and self.processes.busy():
            if time.perf_counter() > until:
                return True
            time.sleep(SETTLE_SECONDS)
        return False

    def settle(self) -> None:
        """Close the last sample's account: whatever the side did after its answer is part of it."""
        if self._open is not None:
            (samples, started, then, answered, calls), self._open = self._open, None
            now = self.clock()
            samples.processor.append((now - started) / calls)
            samples.after.append((now - then) / calls)
            samples.rest.append((time.perf_counter() - answered) / calls)


class Draw:
    """Draws the arguments of one call after another, each from a fresh seed.

    The generators that graders draw from can be run forwards by anybody who has seen enough of their output. The seeds come from
    the check's secret seed by a one-way function, which cannot.
    """

    def __init__(self, make_inputs: Callable[[], Inputs], secret: int) -> None:
        self._make, self._secret, self._count = make_inputs, secret, 0
        self._cuda = has_gpu()

    def __call__(self) -> Inputs:
        """The arguments of one call."""
        self._count += 1
        digest = hashlib.sha256(repr((self._secret, "race", self._count)).encode()).digest()
        seed = int.from_bytes(digest[:8], "big") >> 1
        seed_all(seed, cuda=self._cuda)
        return self._make()


def run_batch(
    sides: dict[str, Side],
    draw: Draw,
    verify: Callable[..., None],
    inner: int,
    *,
    excess: Callable[[Batch], float] = lambda _: 0.0,
) -> Batch:
    """One batch of ``student``, ``reference``, perhaps ``baseline`` and ``transfer``; each of the student's results is verified.

    ``excess`` says how many times over a limit the student is.
    """
    batch = Batch()
    reference, unverified = sides["reference"], (sides.get("baseline"), sides.get("transfer"))
    reaped = {side: side.reaped() for side in sides.values()}
    started = time.perf_counter()
    for number in range(ROUNDS):
        for side, samples in _order(sides, batch, number, with_baseline=sum(batch.baseline.wall) * inner < BASELINE_SECONDS):
            inputs = [draw() for _ in range(inner)]
            results = side.run(inputs, samples)
            if side not in unverified:  # the reference's results too, so that the judge does the same work after each
                for result, arguments in zip(results, inputs, strict=True):
                    verify(result, *arguments)
        if _is_enough(sides, batch, number + 1, time.perf_counter() - started, excess):
            break
    time.sleep(SETTLE_SECONDS)
    for side in sides.values():
        side.settle()
    batch.still_running = sides["student"].still_running()
    for name, samples in (("student", batch.student), ("reference", batch.first), ("baseline", batch.baseline)):
        if (one := sides.get(name)) is not None:
            samples.reaped = (one.reaped() - reaped[one]) / (len(samples.wall) * inner * (2 if one is reference else 1))
    batch.second.reaped = batch.first.reaped
    return batch


def _order(sides: dict[str, Side], batch: Batch, number: int, *, with_baseline: bool) -> list[tuple[Side, Samples]]:
    halves = (batch.first, batch.second) if number % 2 else (batch.second, batch.first)
    student = sides["student"], batch.student
    order = [(sides["reference"], halves[0]), student, student, (sides["reference"], halves[1])]
    if "baseline" in sides and with_baseline:
        order.insert(4 if number % 2 else 2, (sides["baseline"], batch.baseline))
    if "transfer" in sides:
        order.append((sides["transfer"], batch.transfer))
    return order


def _is_enough(sides: dict[str, Side], batch: Batch, rounds: int, elapsed: float, excess: Callable[[Batch], float]) -> bool:
    if rounds >= LEAST_ROUNDS and elapsed > MOST_SECONDS_A_BATCH:
        return True
    least = [times for times, least_rounds, seconds in OVER_BY if rounds >= least_rounds and elapsed > seconds]
    if not least:
        return False
    for side in sides.values():
        side.settle()
    return excess(batch) > min(least)
