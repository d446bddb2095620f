"""Public checks: benchmark. You may read and run them; `check("benchmark")` does."""

from typing import Any

from torchgrade import CheckFailed, points

CLOCK = "The clock that was given was never read. Which one does your stopwatch look at?"
SYNCHRONIZE = "The function synchronize that was given was never called. What is it for?"


class Device:
    """A device that is simulated, with a clock that moves only when something happens.

    A call costs the program ``launch`` seconds, and the device its own number of ``seconds`` after all that it was given
    before. ``synchronize`` waits for the device. Calls beyond the last number take as long as the last one.
    """

    def __init__(self, seconds: list[float], launch: float, now: float = 0.0) -> None:
        self.seconds, self.launch, self.now, self.idle_from = seconds, launch, now, now
        self.calls = self.readings = self.waits = 0

    def function(self) -> None:
        """Give the device the work of one call."""
        self.now += self.launch
        self.idle_from = max(self.now, self.idle_from) + self.seconds[min(self.calls, len(self.seconds) - 1)]
        self.calls += 1

    def synchronize(self) -> None:
        """Wait until the device has nothing left to do."""
        self.waits += 1
        self.now = max(self.now, self.idle_from)

    def clock(self) -> float:
        """The time now."""
        self.readings += 1
        return self.now


class Waiting(Device):
    """One that is waited for in each call, as a CPU is: without any synchronization, times are right."""

    def function(self) -> None:
        """Give the device the work of one call, and wait."""
        super().function()
        self.synchronize()


def timed(notebook: Any, function: Any, synchronize: Any, clock: Any, *counts: int) -> Any:
    """The result, whatever its type is: another check says that."""
    return notebook.benchmark(function, synchronize, clock, *counts)


def measure(student: Any, device: Device, *counts: int, by: Any = timed) -> float:
    """What the student's stopwatch says about a device, as a number."""
    result = student.run(by, device.function, device.synchronize, device.clock, *counts)
    try:
        return float(result)
    except (TypeError, ValueError, RuntimeError):
        raise CheckFailed(f"the result is {result!r}; expected a number of seconds") from None


@points(1)
def test_waits(student):
    """A call that returns after 1/64 s and whose work takes the device 3 s is measured with 3 + 1/64 s."""
    for repeats in (1, 5):
        device = Device([3.0], 1 / 64)
        result = measure(student, device, 0, repeats)
        if not abs(result - 3.015625) <= 1e-5:  # nan is not close to anything
            hint = "The call returns before the work is done. When must the stopwatch stop? Has each call its own two readings?"
            if not device.waits:
                hint = SYNCHRONIZE
            if not device.readings:
                hint = CLOCK
            text = f"the result for {repeats} call{'s' * (repeats > 1)} is {result:.6g} s; expected 3.015625 s"
            raise CheckFailed(text, hint=hint)


@points(1)
def test_median_by_hand(student):
    """Times of 4, 1 and 9 s have the median 4 s; times of 2, 9, 1 and 4 s have the median 3 s."""
    for times, right in (([4.0, 1.0, 9.0], 4.0), ([2.0, 9.0, 1.0, 4.0], 3.0)):
        device = Waiting(times, 0.0)
        result = measure(student, device, 0, len(times))
        if not abs(result - right) <= 1e-5:
            raise CheckFailed(
                f"the result for times of {times} s is {result:.6g} s; expected {right:g} s",
                hint=CLOCK
                if not device.readings
                else "Put the times in order. Which stand in the middle, if there are three, and if there are four?",
            )


@points(0.5)
def test_calls_by_hand(student):
    """Two calls to warm up and three that are timed are five calls."""
    device = Waiting([1.0], 0.0)
    measure(student, device, 2, 3)
    if device.calls != 5:
        raise CheckFailed(f"function was called {device.calls} times; expected 5", hint="Which line calls it, and how often?")
