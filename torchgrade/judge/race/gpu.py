"""The form that a race takes on a GPU: the same clock, with the cost of the way to the device and back taken out.

    student, reference, baseline    ├── question · inputs to the device │ the work │ result back · answer ──┤
    transfer, in its own jail       ├── question · inputs to the device │          │ result back · answer ──┤

The clock stays the judge's: a process that works for the student cannot be trusted to wait for the device before it reads a
clock. The proof that the work is done, on whichever stream, is its result: copied back, in the judge's hands, and verified. One
more side is given the same inputs and returns a tensor of the same size without doing any work; its time is subtracted. If that
time is most of the whole, nothing can be told, and the grader's author is told so. Device time is a single clock, so its least
value and its median are the two statistics that must agree, in place of wall time and processor time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from torchgrade.checks.declared import GraderError, UndecidedError
from torchgrade.checks.observing import tensors_in
from torchgrade.jail.resources.gpu import list_gpus
from torchgrade.judge.race.rivals import Racers
from torchgrade.judge.race.samples import Batch, Samples, digits
from torchgrade.judge.race.sides import Inputs, Side
from torchgrade.record.measurements import RaceConditions

IDLE = """
_kept = []


def keep(result):
    _kept[:] = [result]


def idle(*arguments):
    return _kept[0]
"""
"""A solution that does nothing but carry the inputs to the device and a result back."""
LEAST_SHARE = 0.5
"""The reference must work at least this many times as long as the transfer takes, or the transfer's noise decides the race."""
STEADY = 0.05
"""The clocks are steady once the times of the last calls are this close to their median."""
STEADY_CALLS = 5
MOST_WARM_UP_CALLS = 100
MOST_WARM_UP_SECONDS = 3.0
_LEAST_SECONDS = 1e-7
_BELOW_ROOFLINE = 0.5  # what the judge measures is what a simple kernel reaches, not the most that the device can do


def device_among(arguments: Inputs) -> torch.device | None:
    """The device that a call's arguments are on, unless that is the processor."""
    return next((tensor.device for tensor in tensors_in(list(arguments)) if tensor.device.type != "cpu"), None)


class OnDevice:
    """Where a race runs: a GPU. Each GPU has one race at a time; ``cuda`` and ``cuda:0`` are the same one."""

    core = None

    def __init__(self, device: torch.device, *, moved: float = 0.0, operations: float = 0.0) -> None:
        self.device, self._least = device, {"moved": moved, "operations": operations}
        self.lane = _lane(device)
        self._about: RaceConditions = {}

    def prepare(self, reference: Side, draw: Callable[[], Inputs]) -> RaceConditions:
        """Warm up; return what the record says of that; :meth:`require_sense` later adds the transfer's time in microseconds."""
        calls, steady = warm_up(reference, draw)
        self._roofline = Roofline.on(self.device, **self._least)  # now that the clocks have risen, and nothing else is running
        self._about = {"calls_a_sample": 1, "device": str(self.device), "warm_up_calls": calls, "steady": steady}
        return self._about

    def net(self, batches: Sequence[Batch]) -> list[Batch]:
        """The batches in device time."""
        return without_transfer(batches)

    def require_sense(self, batches: Sequence[Batch], net: Sequence[Batch]) -> None:
        """Raise if the device time of complete batches says nothing, or is impossible."""
        self._about["transfer"] = digits([min(batches[-1].transfer.wall)])[0]
        require_work(batches, self.device)
        self._roofline.check(net)


def _lane(device: torch.device) -> str:
    """The lane of a device, with the same name in all processes of a machine: each judge may see a different GPU as its first."""
    gpus, index = list_gpus(), device.index or 0
    return f"{device.type}:{gpus[index].name if index < len(gpus) else index}"


def transfer_of(stack: contextlib.ExitStack, racers: Racers, result: Any, draw: Callable[[], Inputs]) -> Side:
    """The side that is given the same inputs as all others, and returns ``result`` without any work."""
    session = racers.session_of(IDLE, role="transfer")
    stack.callback(session.end_check)
    student = racers.student(session, who="transfer")
    student.keep(result)
    student.idle(*draw())
    return Side("transfer", student.idle)


def warm_up(reference: Side, draw: Callable[[], Inputs]) -> tuple[int, bool]:
    """Call until the times are steady, as a device's are once its clocks have risen: how many calls it took, and if they are.

    If they never become steady, the race begins all the same: in each batch the reference is held against itself.
    """
    samples, started = Samples(), time.perf_counter()
    while len(samples.wall) < MOST_WARM_UP_CALLS and time.perf_counter() - started < MOST_WARM_UP_SECONDS:
        reference.run([draw()], samples)
        last = samples.wall[-STEADY_CALLS:]
        middle = statistics.median(last)
        if len(last) == STEADY_CALLS and all(abs(seconds - middle) <= STEADY * middle for seconds in last):
            return len(samples.wall), True
    return len(samples.wall), False


def without_transfer(batches: Sequence[Batch]) -> list[Batch]:
    """The same batches in device time: the time that the transfer takes is subtracted from each sample.

    If the least time counts, that is the transfer's least time in all batches; if the median counts, its median in the same
    batch.
    """
    least = min(seconds for batch in batches for seconds in batch.transfer.wall)
    return [_without(batch, least, statistics.median(batch.transfer.wall)) for batch in batches]


def _without(batch: Batch, least: float, usual: float) -> Batch:
    def net(samples: Samples) -> Samples:
        return dataclasses.replace(
            samples,
            wall=[max(seconds - least, _LEAST_SECONDS) for seconds in samples.wall],
            processor=[max(seconds - usual, _LEAST_SECONDS) for seconds in samples.wall],
            reaped=0.0,
        )

    return dataclasses.replace(
        batch,
        student=net(batch.student),
        first=net(batch.first),
        second=net(batch.second),
        baseline=net(batch.baseline),
    )


def require_work(batches: Iterable[Batch], device: torch.device) -> None:
    """Raise :class:`GraderError` if the transfer takes so much of the reference's time that no ratio means anything."""
    batches = list(batches)
    transfer = min(seconds for batch in batches for seconds in batch.transfer.wall)
    work = min(seconds for batch in batches for seconds in (*batch.first.wall, *batch.second.wall)) - transfer
    if work < LEAST_SHARE * transfer:
        raise GraderError(
            f"on {device} the reference works for {1e3 * max(work, 0):.2f} ms, and carrying inputs and result takes "
            f"{1e3 * transfer:.2f} ms: too little to be told from it. Race a probe that draws its inputs on the device and calls "
            "the function many times"
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Roofline:
    """The least time for a call: ``moved`` bytes at ``bandwidth`` bytes/s, ``operations`` at ``arithmetic`` operations/s."""

    moved: float = 0.0
    operations: float = 0.0
    bandwidth: float = 1.0
    arithmetic: float = 1.0

    @classmethod
    def on(cls, device: torch.device, *, moved: float, operations: float) -> Roofline:
        """The roofline of a device, whose rates are measured once."""
        if not (moved or operations):
            return cls()
        bandwidth, arithmetic = _rates(device)
        return cls(moved, operations, bandwidth, arithmetic)

    @property
    def seconds(self) -> float:
        """The greater of the two times: they may overlap."""
        return max(self.moved / self.bandwidth, self.operations / self.arithmetic)

    def check(self, batches: Sequence[Batch]) -> None:
        """Raise :class:`UndecidedError` if some side was faster in these batches (of device time) than the device can be."""
        for who, sides in (("your code", [b.student for b in batches]), ("the reference", [b.first + b.second for b in batches])):
            least = min(seconds for samples in sides for seconds in samples.wall)
            if least < _BELOW_ROOFLINE * self.seconds:
                raise UndecidedError(
                    f"{who} seemed to take {1e6 * least:.1f} µs, less than the device needs at best "
                    f"({1e6 * self.seconds:.1f} µs): the measurement is wrong, and will be made again"
                )


@functools.cache
def _rates(device: torch.device) -> tuple[float, float]:
    """Bytes/s of a large copy, read and written; operations/s of a large product of matrices in half precision."""
    on_a_gpu = device.type == "cuda"
    side = 8192 if on_a_gpu else 512
    source = torch.zeros(64 << 20 if on_a_gpu else 4 << 20, dtype=torch.int32, device=device)
    matrix = torch.zeros(side, side, dtype=torch.float16 if on_a_gpu else torch.float32, device=device)
    copy = _least_seconds(source.clone, device)
    product = _least_seconds(lambda: matrix @ matrix, device)
    return 2 * source.numel() * source.element_size() / copy, 2 * side**3 / product


def _least_seconds(call: Callable[[], Any], device: torch.device) -> float:
    times = []
    for _ in range(8):
        started = time.perf_counter()
        call()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        times.append(time.perf_counter() - started)
    return min(times)
