"""The GPU form of a race, on a made-up device with streams, a cache, and clocks that rise."""

import pytest

from torchgrade.grading.checks import CheckFailed, Running, UndecidedError, running
from torchgrade.grading.race.gpu import MOST_WARM_UP_CALLS, ROUNDS, Roofline, race_on_device, timed, warm_up


class FakeDevice:
    """Work is queued on a stream and takes device seconds; the host goes on at once, as with CUDA."""

    def __init__(self, cold=0.0, slow_calls=0):
        self.now, self.ends, self.cached = 0.0, {"default": 0.0, "other": 0.0}, False
        self.cold, self.slow_calls, self.launched = cold, slow_calls, 0
        self.log = []

    def launch(self, seconds, stream="default"):
        self.launched += 1
        factor = 1 + 0.2 * max(0, self.slow_calls - self.launched)  # the clocks rise
        cost = seconds * factor + (0.0 if self.cached else self.cold)
        self.cached = True
        self.ends[stream] = max(self.ends[stream], self.now) + cost

    def name(self):
        return "cuda:0"

    def synchronize(self):
        self.log.append("synchronize")
        self.now = max(self.now, *self.ends.values())

    def seconds(self):
        self.log.append("clock")
        return self.now

    def flush_cache(self):
        self.log.append("flush")
        self.cached = False

    def default_stream_idle(self):
        return self.ends["default"] <= self.now

    def idle(self):
        return max(self.ends.values()) <= self.now


def kernel(device, seconds, stream="default"):
    def call(x):
        device.log.append("call")
        device.launch(seconds, stream)
        return 2 * x

    return call


def verify(result, x):
    assert result == 2 * x


def drawing():
    drawn = []

    def draw():
        drawn.append(float(len(drawn)))
        return (drawn[-1],)

    return draw, drawn


def race(device, seconds, *, at_most=3.0, stream="default", roofline=None, check=verify):
    draw, drawn = drawing()
    said = Running()
    token = running.set(said)
    try:
        race_on_device(
            kernel(device, seconds, stream),
            kernel(device, 1e-3),
            draw=draw,
            verify=check,
            at_most=at_most,
            clock=device,
            roofline=roofline,
            pause=0.0,
        )
    finally:
        running.reset(token)
    return said.measurements["race"], drawn


def test_the_device_is_synchronised_on_both_sides_and_the_cache_is_cold():
    device = FakeDevice()
    timed(kernel(device, 1e-3), (1.0,), device)
    assert device.log == ["flush", "synchronize", "clock", "call", "synchronize", "clock"]


def test_a_call_that_returns_before_the_device_is_done_is_timed_to_the_end():
    device = FakeDevice()
    assert timed(kernel(device, 5e-3), (1.0,), device).seconds == pytest.approx(5e-3)


def test_work_that_was_left_over_is_not_the_next_calls():
    device = FakeDevice()
    device.launch(1.0)
    assert timed(kernel(device, 1e-3), (1.0,), device).seconds == pytest.approx(1e-3)


def test_a_cold_cache_is_paid_by_every_call():
    device = FakeDevice(cold=1e-3)
    times = [timed(kernel(device, 1e-3), (1.0,), device).seconds for _ in range(3)]
    assert times == pytest.approx([2e-3] * 3)


def test_work_on_another_stream_is_waited_for_and_seen():
    device = FakeDevice()
    one = timed(kernel(device, 4e-3, "other"), (1.0,), device)
    assert one.seconds == pytest.approx(4e-3)
    assert one.other_streams
    assert not timed(kernel(device, 4e-3), (1.0,), device).other_streams


def test_it_warms_up_until_the_clocks_are_steady():
    device = FakeDevice(slow_calls=12)
    draw, _ = drawing()
    assert warm_up(kernel(device, 1e-3), draw, device) == 11 + 5


def test_clocks_that_are_never_steady_leave_the_check_open():
    device = FakeDevice()
    draw, drawn = drawing()

    def wavering(x):
        device.launch(1e-3 * (1 + len(drawn) % 2))
        return x

    with pytest.raises(UndecidedError, match="steady"):
        warm_up(wavering, draw, device)
    assert len(drawn) == MOST_WARM_UP_CALLS


def test_a_fast_call_passes_and_a_slow_one_fails_after_three_batches():
    kept, _ = race(FakeDevice(), 2e-3)
    assert (kept["verdict"], kept["ratio"], len(kept["batches"])) == ("passed", 2.0, 1)
    with pytest.raises(CheckFailed, match=r"^4\.0 times the reference; at most 3 allowed$"):
        race(FakeDevice(), 4e-3)


def test_another_stream_buys_nothing():
    with pytest.raises(CheckFailed, match=r"4\.0 times"):
        race(FakeDevice(), 4e-3, stream="other")
    kept, _ = race(FakeDevice(), 1e-3, stream="other")
    assert kept["other_streams"] is True


def test_every_call_has_fresh_inputs_and_every_result_is_verified():
    seen = []
    _, drawn = race(FakeDevice(), 1e-3, check=lambda result, x: seen.append((result, x)))
    assert len(set(drawn)) == len(drawn) == 2 * 5 + 4 * ROUNDS
    assert len(seen) == 4 * ROUNDS
    assert all(result == 2 * x for result, x in seen)


def test_faster_than_the_device_can_be_is_an_error_and_no_record():
    bound = Roofline(moved=3e9, bandwidth=3e12)  # 1 ms
    assert race(FakeDevice(), 1e-3, roofline=bound)[0]["verdict"] == "passed"
    with pytest.raises(UndecidedError, match="less than the device needs at best"):
        race(FakeDevice(), 0.5e-3, roofline=bound)


def test_the_bound_is_the_greater_of_memory_and_arithmetic():
    assert Roofline(moved=8.0, bandwidth=2.0, operations=9.0, arithmetic=3.0).seconds == 4.0
    assert Roofline(moved=2.0, bandwidth=2.0, operations=9.0, arithmetic=3.0).seconds == 3.0
