"""Races in a real jail. A busy machine may leave any of them undecided, never decide it wrongly: the assertions say so."""

import json
import subprocess
import sys

import pytest
import torch
from small_course import RIGHT
from small_race import LOOP

from torchgrade.checks.declared import GraderError
from torchgrade.judge.race import race

pytestmark = pytest.mark.timed

RIGHT_WAY = RIGHT["double"]


@pytest.fixture(scope="module")
def right(track):
    return track.run(RIGHT_WAY)


@pytest.fixture(scope="module")
def loop(track):
    return track.run(LOOP)


def test_the_reference_itself_is_not_failed_and_its_ratio_is_near_one(right):
    assert right.outcome in ("passed", "ungraded")
    assert 0.3 < right.race["ratio"] < 3


def test_a_loop_is_not_passed_and_is_told_how_slow_it_is(loop):
    assert loop.outcome in ("failed", "ungraded")
    assert " times the reference; at most 5 allowed" in loop.race["words"]
    assert loop.race["ratio"] > 5


def test_it_takes_three_batches_to_fail(loop):
    said = [batch["says"]["reference"] for batch in loop.race["batches"]]
    assert loop.outcome != "failed" or said.count("over") == 3


def test_all_samples_are_kept_as_plain_numbers(right, loop):
    for said, least in ((right, 5), (loop, 2)):  # what is far over the limit is not run as often
        batch = said.race["batches"][0]
        assert set(batch["wall"]) == set(batch["processor"]) == {"student", "reference", "reference again"}
        rounds = len(batch["wall"]["reference"])
        assert least <= rounds <= 21
        for kind in ("wall", "processor"):
            assert [len(batch[kind][name]) for name in batch[kind]] == [2 * rounds, rounds, rounds]
        assert len(json.dumps(said.measurements)) < 60_000


def test_a_pass_has_words_too(right):
    assert right.outcome != "passed" or right.race["words"].endswith(" times the reference; at most 5 allowed")


def test_processor_time_is_counted_for_the_whole_tree(right):
    assert right.race["clock"] in ("control group", "/proc")


def test_inputs_are_drawn_afresh_for_every_call_and_both_sides_make_as_many(track):
    seen = []
    said = track.run(RIGHT_WAY, make_inputs=lambda: (seen.append(1), (torch.randn(4, 4),))[1], at_most=5.0)
    rounds = sum(len(batch["wall"]["reference"]) for batch in said.race["batches"])
    assert len(seen) == 2 + 5 + 4 * rounds * said.race["calls_a_sample"]  # warm-up, the inner count, then r s s r


def test_a_baseline_is_raced_in_a_jail_of_its_own(track):
    track.add("chaffs/loop.py", LOOP)
    fast = track.run(RIGHT_WAY, baseline="loop", at_least=4.0)
    slow = track.run(LOOP, baseline="chaffs/loop.py", at_least=4.0)
    assert fast.outcome in ("passed", "ungraded")
    assert slow.outcome in ("failed", "ungraded")
    assert " times as fast as the baseline; at least 4 asked for" in slow.race["words"]
    assert "baseline" in fast.race["batches"][0]["wall"]
    assert fast.race["ratio"] < 1 / 4 or fast.outcome == "ungraded"


def test_another_solution_may_be_the_reference(track):
    track.add("wheats/slow.py", LOOP)
    said = track.run(LOOP, reference="slow", at_most=5.0)
    assert said.outcome in ("passed", "ungraded")


def test_a_reference_that_is_not_there_is_the_graders_mistake(track):
    with pytest.raises(GraderError, match=r"'nowhere', which is not there"):
        track.run(RIGHT_WAY, reference="nowhere", at_most=5.0)


PROBES = """
def twice(student, x):
    return student.double(student.double(x))

def rows(student, x):
    import torch
    return torch.stack([4 * row for row in x])
"""


def test_a_probe_can_be_raced_and_be_the_baseline(track):
    with track.with_probes(PROBES) as probes:
        said = track.check(
            RIGHT_WAY,
            lambda student: race(
                student.probe(probes.twice),
                make_inputs=lambda: (torch.randn(2000, 4),),
                verify=lambda result, x: torch.testing.assert_close(result, 4 * x),
                baseline=probes.rows,
                at_least=3.0,
                at_most=5.0,
            ),
        )
    assert said.outcome in ("passed", "ungraded")
    assert set(said.race["limits"]) == {"reference", "baseline"}


def test_part_marks_stand_between_two_thresholds(track):
    text = "def double(x):\n    for _ in range(12):\n        y = x.mul(2).sin()\n    return 2 * x\n"
    said = track.run(text, full_marks_at=1.1, no_marks_at=1000.0)
    if said.outcome == "partly":
        assert 0 < said.share < 1
        assert round(10 * said.share) == pytest.approx(10 * said.share)
        assert "% of the points; all up to 1.1, none from 1000" in said.message
    assert said.outcome in ("partly", "ungraded", "passed")
    assert track.run(RIGHT_WAY, full_marks_at=4.0, no_marks_at=8.0).outcome in ("passed", "ungraded")
    assert track.run(LOOP, full_marks_at=1.5, no_marks_at=3.0).outcome in ("failed", "ungraded")


def test_every_timed_result_is_verified(track):
    count = []
    track.run(RIGHT_WAY, verify=lambda result, x: count.append(bool((result == 2 * x).all())), at_most=5.0)
    assert all(count)
    assert len(count) >= 2 + 4 * 5  # both sides once to warm up, then four samples a round


def test_a_reference_that_is_wrong_is_not_the_students_fault(track):
    track.add("wheats/broken.py", "def double(x):\n    raise ValueError\n")
    with pytest.raises(GraderError, match="failed in a race"):
        track.run(RIGHT_WAY, reference="broken", at_most=5.0)


HOLD = """
import sys, time
from torchgrade.judge.race.lane import quiet_lane
with quiet_lane():
    print("ready", flush=True)
    time.sleep(float(sys.argv[1]))
"""


def test_waiting_for_the_lane_is_not_the_submissions_time(track):
    with subprocess.Popen([sys.executable, "-c", HOLD, "4"], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"ready\n"
        said = track.run(RIGHT_WAY, seconds=3.5, at_most=5.0)
    assert said.outcome in ("passed", "ungraded")
    assert said.race["waited"] > 0.5


def test_outside_a_grading_run_the_grader_is_told():
    with pytest.raises(GraderError, match="grading run only"):
        race(None, make_inputs=None, verify=None, at_most=2.0)


def test_what_a_race_sets_is_put_back(track):
    import os
    from pathlib import Path

    seen = {}

    def check(student):
        race(student.double, make_inputs=lambda: (torch.randn(2000, 4),), verify=lambda *_: None, at_most=5.0)
        student.double(torch.ones(2))
        with student.double.process_tree() as processes:
            seen["worker"] = os.sched_getscheduler(processes.peer), os.sched_getaffinity(processes.peer)

    before = os.sched_getscheduler(0), os.sched_getaffinity(0)
    track.check(RIGHT_WAY, check)
    assert (os.sched_getscheduler(0), os.sched_getaffinity(0)) == before == seen["worker"]
    assert not [path for path in Path("/sys/fs/cgroup").glob(f"*/torchgrade-{os.getpid()}-count*") if path.is_dir()]
