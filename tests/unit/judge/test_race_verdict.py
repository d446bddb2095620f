"""From batches to a verdict, on made-up batches."""

import pytest
from made_samples import samples

from torchgrade.checks.declared import GraderError
from torchgrade.judge.race.samples import Batch, pooled
from torchgrade.judge.race.sentences import as_measurements, in_words
from torchgrade.judge.race.verdict import MOST_BATCHES, Call, Curve, Limit, decide, limits_of

AT_MOST_3 = [Limit("reference", 3.0)]
ONE = samples(1.0, processor=0.8)


def batch(wall, processor=None, itself=1.0, after=0.0):
    """The student's ratios, and the reference's to itself."""
    processor = wall if processor is None else processor
    student = samples(wall, processor=0.8 * processor, after=after)
    return Batch(student, ONE, samples(1.0 / itself, processor=0.8), samples(10.0, processor=8.0))


def crowd(wall, processor):
    return Batch(samples(wall, processor=processor), samples(1.0), samples(1.0))


@pytest.mark.parametrize(
    ("made", "call"),
    [
        (batch(2.9), Call.WITHIN),
        (batch(3.1), Call.OVER),
        (batch(2.9, 3.1), Call.UNCLEAR),
        (batch(3.1, 2.9), Call.UNCLEAR),
        (batch(2.9, itself=1.3), Call.UNCLEAR),
        (batch(3.5, itself=1.3), Call.UNCLEAR),
        (batch(5.0, itself=1.3), Call.OVER),
        (batch(13.0, 1.0, itself=1.3), Call.UNCLEAR),
        (batch(9.5, 1.0), Call.OVER),
        (batch(1.0, 9.5), Call.OVER),
        (crowd(2.0, 4.0), Call.OVER),
        (crowd(2.0, 2.9), Call.WITHIN),
        (batch(1.0, 2.0, after=0.7), Call.OVER),
    ],
    ids=[
        "both under", "both over", "processor over", "wall over", "reference unlike itself", "over, reference unlike itself",
        "over either half of it", "over by one alone", "waits", "hides work", "threads",
        "threads, and fast", "works after its answers",
    ],
)  # fmt: skip
def test_what_a_batch_says(made, call):
    assert AT_MOST_3[0].call(made) is call


def test_one_batch_within_passes():
    assert decide([batch(2.0)], AT_MOST_3).outcome == "passed"
    assert decide([batch(4.0), batch(4.0), batch(2.0)], AT_MOST_3).outcome == "passed"


def test_it_takes_three_batches_over_to_fail():
    assert decide([batch(4.0)] * 2, AT_MOST_3) is None
    assert decide([batch(4.0)] * 3, AT_MOST_3).outcome == "failed"
    assert decide([batch(4.0), batch(4.0), batch(4.0, 2.0)], AT_MOST_3) is None


def test_batches_that_decide_nothing_leave_it_open_in_the_end():
    unclear = batch(4.0, 2.0)
    assert decide([unclear] * (MOST_BATCHES - 1), AT_MOST_3) is None
    assert decide([unclear] * MOST_BATCHES, AT_MOST_3).outcome == "ungraded"
    assert decide([unclear], AT_MOST_3, spent=True).outcome == "ungraded"


def test_a_spent_budget_fails_nobody():
    assert decide([batch(4.0)] * 2, AT_MOST_3, spent=True).outcome == "ungraded"


def test_every_limit_must_be_kept():
    both = [Limit("reference", 3.0), Limit("baseline", 0.1)]
    assert decide([batch(0.9)], both).outcome == "passed"
    verdict = decide([batch(2.0)] * 3, both)
    assert (verdict.outcome, verdict.limit.other) == ("failed", "baseline")


def test_the_lowest_of_three_is_what_a_student_is_told():
    verdict = decide([batch(4.2), batch(4.1), batch(4.4)], AT_MOST_3)
    assert in_words(verdict, []) == "4.1 times the reference; at most 3 allowed"


def test_a_pass_is_told_the_same_way():
    assert in_words(decide([batch(2.0)], AT_MOST_3), []) == "2.0 times the reference; at most 3 allowed"


def test_a_baseline_is_told_as_how_much_faster():
    limits = [Limit("baseline", 0.1)]
    batches = [batch(2.0)] * 3
    assert in_words(decide(batches, limits), batches) == "5.0 times as fast as the baseline; at least 10 asked for"


def test_threads_are_named_where_they_decide():
    batches = [crowd(2.0, 6.0)] * 3
    words = in_words(decide(batches, AT_MOST_3), batches)
    assert words.startswith("6.0 times the reference; at most 3 allowed. Your code used 3.0 s of processor time")


def test_a_thread_that_never_rests_is_over_however_little_it_gets_done():
    made = batch(1.0)
    made.still_running = True
    assert AT_MOST_3[0].call(made) is Call.OVER
    assert AT_MOST_3[0].call(pooled([made])[0]) is Call.OVER


def test_restless_code_fails_however_fast_it_is():
    batches = [batch(1.0, 2.0, after=0.7)] * 3
    verdict = decide(batches, AT_MOST_3)
    assert verdict.outcome == "failed"
    assert "went on working after its answers" in in_words(verdict, batches)
    assert decide(batches, [Limit("reference", 2.0)], Curve("reference", 2.0, 4.0)).outcome == "failed"


CURVE = Curve("reference", 2.0, 8.0)


@pytest.mark.parametrize(
    ("ratio", "share"), [(1.0, 1.0), (2.0, 1.0), (2.01, 1.0), (2.5, 0.9), (4.0, 0.5), (7.9, 0.1), (8.0, 0.0)]
)
def test_the_curve_falls_with_the_logarithm_in_tenths_rounded_up(ratio, share):
    assert CURVE.share(ratio) == share


def test_part_marks_are_of_the_best_of_three():
    limits = [Limit("reference", 2.0)]
    assert decide([batch(4.4), batch(4.0)], limits, CURVE) is None
    verdict = decide([batch(4.4), batch(4.0), batch(5.0)], limits, CURVE)
    assert (verdict.outcome, verdict.share) == ("partly", 0.5)
    assert in_words(verdict, [], CURVE) == "4.0 times the reference; 50% of the points; all up to 2, none from 8"
    assert decide([batch(1.9)], limits, CURVE).share == 1
    assert decide([batch(9.0)] * 3, limits, CURVE).outcome == "failed"
    assert decide([batch(4.0, 3.0)] * MOST_BATCHES, limits, CURVE).outcome == "ungraded"


@pytest.mark.parametrize(
    ("given", "baseline"),
    [
        ({}, False),
        ({"at_least": 2.0}, False),
        ({"at_most": -1.0}, False),
        ({"at_most": float("nan")}, False),
        ({"full_marks_at": 2.0}, False),
        ({"full_marks_at": 8.0, "no_marks_at": 2.0}, False),
        ({"full_marks_at": 2.0, "no_marks_at": 8.0}, True),
        ({"full_marks_at": 2.0, "no_marks_at": 8.0, "at_most": 3.0}, False),
    ],
)
def test_contradictions_are_the_graders_mistake(given, baseline):
    names = ("at_most", "at_least", "full_marks_at", "no_marks_at")
    with pytest.raises(GraderError):
        limits_of(*(given.get(name) for name in names), baseline=baseline)


def test_times_as_fast_as_a_baseline_become_shares_of_its_time():
    assert limits_of(None, 10.0, None, None, baseline=True) == ([Limit("baseline", 0.1)], None)
    _, curve = limits_of(None, None, 20.0, 5.0, baseline=True)
    assert curve == Curve("baseline", 0.05, 0.2)


def test_what_is_kept_is_bounded():
    import json

    some = samples(1.23456789, count=42)
    batches = [Batch(some, some, some, some)] * MOST_BATCHES
    kept = as_measurements(decide([batch(2.0)], AT_MOST_3), batches, AT_MOST_3, None, {"clock": "/proc"})
    assert len(json.dumps(kept)) < 60_000
    assert kept["batches"][0]["wall"]["student"][0] == 1.235e6
