"""Hidden checks: benchmark.

The device stays with the judge: what the student's code is given are functions that are called back, so the judge counts the
calls, and no clock of the machine plays a role. All times are multiples of 1/64 s, so that sums and differences have no rounding.

A thing is billed once: a device that is waited for in each call needs no synchronization, equal times have one median, and a
median is that of the last calls, however many there were. Milliseconds and another clock are for the public checks to say.
"""

import torch

from torchgrade import CheckFailed, points

from . import probes_benchmark as probes
from .public_benchmark import Device, Waiting, measure

LAUNCH = 1 / 64


def draw(count, low=1.0, high=9.0):
    """Numbers of seconds, all different."""
    whole = int((high - low) * 64)
    return [low + each / 64 for each in torch.randperm(whole)[:count].tolist()]


def median(times):
    """The specification."""
    ordered, n = sorted(times), len(times)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


def check_seconds(result, right, what, hint):
    """Compare two numbers of seconds; float32 is exact enough, and milliseconds are forgiven here."""
    if not any(abs(result - unit * right) <= 1e-5 * unit * right for unit in (1, 1000)):  # nan is not close to anything
        raise CheckFailed(f"{what} is {result:.6g} s; expected {right:.6g} s", hint=hint)


@points(1.5)
def test_synchronized(student):
    """The work that a timed call gives to the device is in its time, and no other call's."""
    hint = "A call is over when the device has finished it. Do you wait for that before you look at the clock, for each call?"
    for repeats in (1, 2, 7):
        (each,), now = draw(1), draw(1, 10.0, 1000.0)[0]
        result = measure(student, Device([each], LAUNCH, now), 0, repeats, by=probes.timed)
        calls = "one call" if repeats == 1 else f"{repeats} calls that take equally long"
        check_seconds(result, each + LAUNCH, f"the time of {calls}", hint)


@points(1.5)
def test_left_behind(student):
    """Work that the calls for warming up left on the device is in no time."""
    hint = "The first timed call waits behind what is still in the queue. When is the device idle, and when does the time begin?"
    for warmup in (1, 3):
        (each,) = draw(1)
        device = Device([each], LAUNCH, draw(1, 10.0, 1000.0)[0])
        result = measure(student, device, warmup, 1, by=probes.timed)
        check_seconds(result, each + LAUNCH, "the time of one call right after the warm-up", hint)


@points(1)
def test_warm_up(student):
    """Slow first calls cost nothing, if there are not more of them than calls for warming up."""
    for warmup, repeats in ((1, 1), (3, 2), (5, 4)):
        (each,) = draw(1)
        result = measure(student, Waiting([100.0] * warmup + [each], 0.0), warmup, repeats, by=probes.timed)
        slow = "one slow call" if warmup == 1 else f"{warmup} slow calls"
        what = f"the time after {slow}, as many as there are for warming up,"
        check_seconds(result, each, what, "The first calls load, compile and allocate. How many of them do you leave out?")


@points(1.5)
def test_median(student):
    """The median is right for odd and even numbers of times, in any order, with outliers."""
    hint = "Half of the times are below the median, and half above. What is it for an even number of them?"
    for repeats in (2, 3, 4, 5, 6, 7, 8):
        times = draw(repeats + 3)
        if repeats > 4:
            times[int(torch.randint(repeats, ()))] = 1000.0
        device = Waiting(times, 0.0)
        result = measure(student, device, 0, repeats, by=probes.timed)
        timed = times[: device.calls][-repeats:]
        check_seconds(result, median(timed or times), f"the median of {timed}", hint)


@points(1.5)
def test_calls(student):
    """The function is called exactly warmup + repeats times, and 3 + 7 times if neither is given."""
    hint = "A call for warming up is not timed, and a timed one is called once. Is there any other?"
    pairs = torch.randint(1, 6, (3, 2)).tolist()
    for counts in (*pairs, [0, pairs[0][1]], []):
        device, right = Waiting(draw(1), 0.0), sum(counts) or 10
        measure(student, device, *counts, by=probes.timed)
        if device.calls != right:
            given = f"with warmup={counts[0]} and repeats={counts[1]}" if counts else "without warmup and repeats"
            raise CheckFailed(f"function was called {device.calls} times {given}; expected {right}", hint=hint)


@points(0.5, kind="dtypes")
def test_float(student):
    """The result is a float."""
    device = Waiting(draw(1), 0.0)
    result = student.run(probes.timed, device.function, device.synchronize, device.clock, 0, 3)
    if not isinstance(result, float):
        raise CheckFailed(f"the result is a {type(result).__name__}; expected a float", hint="What does the signature say?")
