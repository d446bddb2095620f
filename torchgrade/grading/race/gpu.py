"""The form that a race takes on a GPU: device time, between synchronisations of the whole device on both sides.

    warm up until steady ──► each sample:   fresh inputs · flush the cache · synchronise │ call │ synchronise ──► device time
                                                                                         └ all streams, not the current one alone
    then the same batches and verdict as on a processor, with least and median device time for the two statistics

A time below what the memory or the arithmetic takes at best (:class:`Roofline`) is no record but an error: the work was not done
within the clock. What knows a device is :class:`DeviceClock` alone; the rest runs anywhere, and is tested with a made-up device.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable
from typing import Any, Protocol

import torch

from torchgrade.grading.checks import CheckFailed, UndecidedError, measured
from torchgrade.grading.race.quiet import quiet_lane
from torchgrade.grading.race.samples import Batch, Samples
from torchgrade.grading.race.verdict import Limit, Verdict, decide
from torchgrade.grading.race.words import as_measurements, in_words

ROUNDS = 21
STEADY = 0.05
"""The clocks are steady once the last calls' times lie within this of their median."""
STEADY_CALLS = 5
MOST_WARM_UP_CALLS = 200
PAUSE_SECONDS = 0.15
_BELOW_ROOFLINE = 0.95  # the figures of a data sheet are rounded


class DeviceClock(Protocol):
    """What a race needs of a device."""

    def name(self) -> str:
        """As in ``cuda:0``; there is one race at a time on each."""
        ...

    def synchronize(self) -> None:
        """Return once all work on the device is done, on every stream."""
        ...

    def seconds(self) -> float:
        """A steady clock; only differences mean anything."""
        ...

    def flush_cache(self) -> None:
        """Push everything out of the device's last cache."""
        ...

    def default_stream_idle(self) -> bool:
        """Whether the stream that the caller's code is expected on has nothing left to do."""
        ...

    def idle(self) -> bool:
        """Whether no stream of the device has anything left to do."""
        ...


class CudaClock:
    """A CUDA device, in the process that uses it."""

    def __init__(self, index: int = 0) -> None:
        self._device = torch.device("cuda", index)
        cache = int(getattr(torch.cuda.get_device_properties(self._device), "L2_cache_size", 0)) or (64 << 20)
        self._flush = torch.empty(2 * cache, dtype=torch.int8, device=self._device)

    def name(self) -> str:
        """The device, as torch writes it."""
        return str(self._device)

    def synchronize(self) -> None:
        """The device, not a stream: work on other streams is waited for."""
        torch.cuda.synchronize(self._device)

    def seconds(self) -> float:
        """The host's clock: read on both sides of a synchronised device, it bounds what any stream did between."""
        return time.perf_counter()

    def flush_cache(self) -> None:
        """Write twice the cache's size."""
        self._flush.zero_()

    def default_stream_idle(self) -> bool:
        """Ask the default stream without waiting."""
        return bool(torch.cuda.default_stream(self._device).query())

    def idle(self) -> bool:
        """Wait for the device, and tell whether there was anything to wait for: CUDA has no question to all streams at once."""
        started = time.perf_counter()
        torch.cuda.synchronize(self._device)
        return time.perf_counter() - started < 20e-6  # noqa: PLR2004 - a synchronisation with nothing to wait for


@dataclasses.dataclass(frozen=True, slots=True)
class Roofline:
    """The least that a call can take: ``moved`` bytes at ``bandwidth`` bytes/s, ``operations`` at ``arithmetic`` operations/s."""

    moved: float = 0.0
    bandwidth: float = 1.0
    operations: float = 0.0
    arithmetic: float = 1.0

    @property
    def seconds(self) -> float:
        """The greater of the two times: they may overlap."""
        return max(self.moved / self.bandwidth, self.operations / self.arithmetic)

    def check(self, least: float, who: str) -> None:
        """Raise if ``least`` seconds are fewer than physics allows."""
        if least < _BELOW_ROOFLINE * self.seconds:
            raise UndecidedError(
                f"{who} seemed to take {1e6 * least:.1f} µs, less than the device needs at best ({1e6 * self.seconds:.1f} µs): "
                "the measurement is wrong, and will be made again"
            )


@dataclasses.dataclass(slots=True)
class Timed:
    """One synchronised call: what it returned, its device time, and whether it used other streams than the default one."""

    result: Any
    seconds: float
    other_streams: bool


def timed(call: Callable[..., Any], inputs: tuple[Any, ...], clock: DeviceClock) -> Timed:
    """Time ``call`` with a cold cache, from a device that has nothing to do to one that has nothing to do again.

    Other streams show where the default stream has run dry and the device has not; their work is waited for, and counts.
    """
    clock.flush_cache()
    clock.synchronize()
    started = clock.seconds()
    result = call(*inputs)
    other_streams = clock.default_stream_idle() and not clock.idle()
    clock.synchronize()
    return Timed(result, clock.seconds() - started, other_streams)


def warm_up(call: Callable[..., Any], draw: Callable[[], tuple[Any, ...]], clock: DeviceClock) -> int:
    """Call until the times are steady; how many calls that took. Raises :class:`UndecidedError` if they never are."""
    times: list[float] = []
    while len(times) < MOST_WARM_UP_CALLS:
        times.append(timed(call, draw(), clock).seconds)
        last = times[-STEADY_CALLS:]
        middle = statistics.median(last)
        if len(last) == STEADY_CALLS and all(abs(seconds - middle) <= STEADY * middle for seconds in last):
            return len(times)
    raise UndecidedError("the GPU's clocks did not become steady; this check will be run again")


def race_on_device(
    student: Callable[..., Any],
    reference: Callable[..., Any],
    *,
    draw: Callable[[], tuple[Any, ...]],
    verify: Callable[..., None],
    at_most: float,
    clock: DeviceClock,
    roofline: Roofline | None = None,
    pause: float = PAUSE_SECONDS,
) -> None:
    """Fail if ``student`` takes more than ``at_most`` times the device time of ``reference``; else as :func:`race` does."""
    limits = [Limit("reference", at_most)]
    bound = roofline or Roofline()
    with quiet_lane(clock.name()) as waited:
        warmed = {who: warm_up(call, draw, clock) for who, call in (("reference", reference), ("student", student))}
        batches: list[Batch] = []
        streams = False
        verdict: Verdict | None = None
        while verdict is None:
            if batches:
                time.sleep(pause)
            batch, several = _batch(student, reference, draw, verify, clock)
            streams = streams or several
            for who, samples in (("your code", batch.student), ("the reference", batch.first + batch.second)):
                bound.check(min(samples.wall), who)
            batches.append(batch)
            verdict = decide(batches, limits)
    about = {
        "device": clock.name(),
        "clock": "device",
        "other_streams": streams,
        "warm_up_calls": warmed,
        "waited": round(waited, 3),
    }
    measured("race", as_measurements(verdict, batches, limits, None, about))
    if verdict.outcome == "ungraded":
        raise UndecidedError("the GPU was too busy to time your code fairly; this check will be run again")
    if verdict.outcome == "failed":
        raise CheckFailed(in_words(verdict, batches))


def _batch(
    student: Callable[..., Any],
    reference: Callable[..., Any],
    draw: Callable[[], tuple[Any, ...]],
    verify: Callable[..., None],
    clock: DeviceClock,
) -> tuple[Batch, bool]:
    """Rounds in the order of a race on the processor; device time stands for both statistics: its least, and its median."""
    batch, several = Batch(), False
    for number in range(ROUNDS):
        halves = (batch.first, batch.second) if number % 2 else (batch.second, batch.first)
        for call, samples in ((reference, halves[0]), (student, batch.student), (student, batch.student), (reference, halves[1])):
            inputs = draw()
            one = timed(call, inputs, clock)
            _note(samples, one.seconds)
            if call is student:
                several = several or one.other_streams
            verify(one.result, *inputs)
    return batch, several


def _note(samples: Samples, seconds: float) -> None:
    samples.wall.append(seconds)
    samples.processor.append(seconds)
