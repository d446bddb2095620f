"""The GPU form of a race: its arithmetic on made-up samples, and whole races in a real jail, with the processor as the device."""

import pytest
import torch
from made_gpu import UUIDS, make_devices
from small_course import RIGHT
from small_race import LOOP

from torchgrade.checks.declared import GraderError, UndecidedError
from torchgrade.jail.resources import gpu as gpus
from torchgrade.judge.race import gpu
from torchgrade.judge.race.gpu import OnDevice, Roofline, device_among, require_work, warm_up, without_transfer
from torchgrade.judge.race.lane import quiet_lane
from torchgrade.judge.race.samples import Batch, Samples
from torchgrade.judge.race.verdict import Limit, decide

RIGHT_WAY = RIGHT["double"]
CPU = torch.device("cpu")


def samples(*milliseconds, after=0.0):
    wall = [1e-3 * each for each in milliseconds]
    return Samples(wall, list(wall), [after] * len(wall), [1e-2] * len(wall))


def batch(student, reference=(4.0, 4.2), transfer=(2.0, 2.2, 3.0), **more):
    return Batch(samples(*student), samples(*reference), samples(*reference), transfer=samples(*transfer), **more)


def test_the_least_of_the_transfer_is_taken_from_the_least_and_its_median_from_the_median():
    (one,) = without_transfer([batch((6.0, 7.0, 8.0))])
    assert one.student.wall == pytest.approx([4e-3, 5e-3, 6e-3])
    assert one.student.processor == pytest.approx([3.8e-3, 4.8e-3, 5.8e-3])


def test_the_transfers_least_is_that_of_all_batches():
    first, second = without_transfer([batch((6.0,)), batch((6.0,), transfer=(1.0, 1.4))])
    assert first.student.wall == second.student.wall == pytest.approx([5e-3])
    assert [b.student.processor[0] for b in (first, second)] == pytest.approx([3.8e-3, 4.8e-3])


def test_a_sample_below_the_transfer_is_next_to_nothing_and_never_negative():
    (one,) = without_transfer([batch((1.0,))])
    assert 0 < one.student.wall[0] == one.student.processor[0] < 1e-6


def test_a_slow_student_fails_although_the_transfer_hides_most_of_it():
    """12 ms against 4 ms are three times as long; of work it is five times."""
    slow = [batch((12.0, 12.1), transfer=(2.0, 2.0)) for _ in range(3)]
    assert decide(slow, [Limit("reference", 4.0)]).outcome == "passed"
    assert decide(without_transfer(slow), [Limit("reference", 4.0)]).outcome == "failed"


def test_where_the_transfer_is_most_of_the_time_the_author_is_told():
    require_work([batch((6.0,), reference=(4.0,), transfer=(2.0,))], CPU)
    with pytest.raises(GraderError, match=r"the reference works for 0\.50 ms, and carrying inputs and result takes 2\.00 ms"):
        require_work([batch((6.0,), reference=(2.5,), transfer=(2.0,))], CPU)


class Clocks:
    """A reference whose device gets faster for some calls, or never settles."""

    def __init__(self, times):
        self.times = iter(times)

    def run(self, inputs, into):
        into.wall.append(next(self.times))


def test_it_warms_up_until_the_clocks_are_steady():
    rising = [2.0 - 0.1 * n for n in range(10)]
    assert warm_up(Clocks([*rising, *[1.0] * 10]), tuple) == (10 + 5, True)


def test_clocks_that_never_settle_keep_nobody_waiting(monkeypatch):
    monkeypatch.setattr(gpu, "MOST_WARM_UP_CALLS", 12)
    assert warm_up(Clocks(1.0 + n % 2 for n in range(99)), tuple) == (12, False)


def test_faster_than_the_device_can_be_is_no_record():
    bound = Roofline(moved=3e9, bandwidth=3e12)  # 1 ms
    bound.check(without_transfer([batch((3.2, 3.3))]))
    with pytest.raises(UndecidedError, match=r"your code seemed to take 400\.0 µs, less than the device needs at best \(1000"):
        bound.check(without_transfer([batch((2.4, 3.3))]))
    with pytest.raises(UndecidedError, match="the reference seemed"):
        bound.check(without_transfer([batch((3.2,), reference=(2.4,))]))


def test_the_bound_is_the_greater_of_memory_and_arithmetic():
    assert Roofline(moved=8.0, bandwidth=2.0, operations=9.0, arithmetic=3.0).seconds == 4.0
    assert Roofline(moved=2.0, bandwidth=2.0, operations=9.0, arithmetic=3.0).seconds == 3.0


def test_the_rates_of_a_device_are_measured():
    bound = Roofline.on(CPU, moved=1e9, operations=1e9)
    assert 1e8 < bound.bandwidth < 1e13
    assert 1e8 < bound.arithmetic < 1e15
    assert Roofline.on(CPU, moved=0, operations=0).seconds == 0


def test_the_arguments_say_which_device_is_raced_on():
    assert device_among((torch.ones(2), 3)) is None
    assert device_among((torch.ones(2), [torch.ones(2, device="meta")])) == torch.device("meta")


@pytest.mark.parametrize(("name", "lane"), [("cuda", "cuda:0"), ("cuda:0", "cuda:0"), ("cuda:1", "cuda:1")])
def test_each_device_has_a_lane_of_its_own(name, lane):
    assert OnDevice(torch.device(name)).lane == lane


def test_judges_that_see_the_same_gpu_by_other_numbers_share_its_lane(tmp_path, monkeypatch):
    devices, driver = make_devices(tmp_path, 0, 1)
    monkeypatch.setattr(gpus, "_DEVICES", devices)
    monkeypatch.setattr(gpus, "_DRIVER", driver)
    lanes = {}
    for visible, number in (("0,1", 1), ("1", 0), ("0", 0)):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
        lanes[visible] = OnDevice(torch.device("cuda", number)).lane
    assert lanes == {"0,1": f"cuda:{UUIDS[1]}", "1": f"cuda:{UUIDS[1]}", "0": f"cuda:{UUIDS[0]}"}


MANY = """
def many(student, seed, device):
    import torch
    drawn = torch.Generator(device).manual_seed(seed)
    x, total = torch.randn(64, 16, generator=drawn, device=device), 0
    for _ in range(800):
        total = total + student.double(x)
    return total
"""


def race_on(track, source, probes, **options):
    from torchgrade.judge.race import race

    def verify(result, seed, device):
        x = torch.randn(64, 16, generator=torch.Generator(device).manual_seed(seed))
        torch.testing.assert_close(result, 1600 * x, rtol=1e-3, atol=1e-3)

    return track.check(
        source,
        lambda student: race(
            student.probe(probes.many),
            make_inputs=lambda: (int(torch.randint(2**40, ())), CPU),
            verify=verify,
            **{"at_most": 6.0, "device": CPU, **options},
        ),
    )


def test_a_whole_race_takes_the_transfer_out_and_decides(track):
    with track.with_probes(MANY) as probes:
        right, slow = race_on(track, RIGHT_WAY, probes), race_on(track, LOOP, probes)
    assert right.outcome in ("passed", "ungraded")
    assert slow.outcome in ("failed", "ungraded")
    for said in (right, slow):
        kept = said.race
        assert (kept["device"], kept["core"], kept["calls_a_sample"]) == ("cpu", None, 1)
        assert kept["transfer"] > 0
        assert kept["warm_up_calls"] >= 5
        assert set(kept["batches"][0]["wall"]) == {"student", "reference", "reference again"}
    assert slow.race["ratio"] > 6


def test_a_baseline_on_the_device_is_held_against_without_the_transfer_too(track):
    track.add("chaffs/loop.py", LOOP)
    with track.with_probes(MANY) as probes:
        said = race_on(track, RIGHT_WAY, probes, at_most=None, baseline="chaffs/loop.py", at_least=3.0)
    assert said.outcome in ("passed", "ungraded")
    assert "baseline" in said.race["batches"][0]["wall"]


def test_a_race_that_is_all_transfer_is_the_graders_mistake(track):
    with pytest.raises(GraderError, match="Race a probe that draws its inputs on the device"):
        track.run(RIGHT_WAY, at_most=5.0, device=CPU, make_inputs=lambda: (torch.randn(500_000),))


def test_a_race_that_beats_the_device_is_left_open(track, monkeypatch):
    monkeypatch.setattr(gpu, "_rates", lambda _: (1.0, 1.0))
    with track.with_probes(MANY) as probes:
        said = race_on(track, RIGHT_WAY, probes, operations=1e6)
    assert (said.outcome, "less than the device needs at best" in said.message) == ("ungraded", True)


def test_a_race_on_a_device_waits_for_that_device_and_for_no_other(track, monkeypatch):
    from torchgrade.judge.race import racing

    asked = []
    monkeypatch.setattr(racing, "quiet_lane", lambda lane: asked.append(lane) or quiet_lane(lane))
    with track.with_probes(MANY) as probes:
        race_on(track, RIGHT_WAY, probes)
    track.run(RIGHT_WAY, at_most=50.0)
    assert asked == ["cpu:0", "processor"]
