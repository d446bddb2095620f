"""The figures of a class, worked out by hand."""

import math

import pytest
from made_records import check, exercise, record

from torchgrade.report.class_figures import (
    FEWEST,
    Entry,
    correlation,
    discrimination,
    figures_of,
    frequent_messages,
    summary_of,
)

# Means 0.5 and 1.5; the products of what differs from them add up to 1, their squares to 1 and 5.
FOUR = [(1.0, 3.0), (1.0, 1.0), (0.0, 2.0), (0.0, 0.0)]


def entry(*checks, student="alice", **more):
    return Entry(student, record(exercise(*checks), student=student, **more))


def test_a_correlation_is_pearsons():
    assert correlation(*zip(*FOUR, strict=True)) == pytest.approx(1 / math.sqrt(5))


def test_discrimination_has_fishers_interval():
    found = discrimination(FOUR * 8)

    assert found.value == pytest.approx(0.4472, abs=1e-4)
    # artanh 0.4472 = 0.4812; 1.96 / √29 = 0.3640
    assert found.low == pytest.approx(math.tanh(0.4812 - 0.3640), abs=1e-4)
    assert found.high == pytest.approx(math.tanh(0.4812 + 0.3640), abs=1e-4)


def test_a_check_that_goes_with_all_others_has_1_and_one_that_goes_against_them_minus_1():
    together = [(1.0, 5.0), (0.0, 2.0)] * 20
    against = [(1.0 - share, rest) for share, rest in together]

    assert discrimination(together) == (1.0, 1.0, 1.0)
    assert discrimination(against) == (-1.0, -1.0, -1.0)


def test_a_class_too_small_has_no_discrimination():
    assert discrimination([(1.0, 5.0), (0.0, 2.0)] * (FEWEST // 2 - 1)) is None
    assert discrimination([(1.0, 5.0), (0.0, 2.0)] * (FEWEST // 2)) is not None


@pytest.mark.parametrize("pairs", [[(1.0, 5.0), (1.0, 2.0)] * 20, [(1.0, 5.0), (0.0, 5.0)] * 20])
def test_what_is_alike_for_all_has_no_discrimination(pairs):
    assert discrimination(pairs) is None


def test_a_checks_own_points_are_no_part_of_the_rest():
    # Two checks that have nothing to do with one another: with its own points in the total, each would have 1/√2.
    outcomes = [(0, 0), (0, 1), (1, 0), (1, 1)] * 8
    answer = {0: "failed", 1: "passed"}
    entries = [entry(check(answer[a], a, 1, title="a"), check(answer[b], b, 1, title="b")) for a, b in outcomes]

    assert [each.discrimination.value for each in figures_of(entries)] == [pytest.approx(0), pytest.approx(0)]


def test_a_part_of_the_points_counts_as_a_part():
    parts = [("passed", 2.0, 3.0), ("failed", 1.0, 2.0), ("failed", 0.0, 1.0)] * 12
    entries = [entry(check(how, got, 2, title="a"), check("failed", rest, 4, title="b")) for how, got, rest in parts]

    assert figures_of(entries)[0].discrimination.value == pytest.approx(1)


def test_open_marks_are_no_part_of_mean_median_and_discrimination():
    final = [entry(check("passed", points, 9)) for points in (1.0, 2.0, 6.0)]
    still_open = [entry(check("deferred", 0, 9)), entry(check("ungraded", 0, 9)), Entry("dan", None)]
    unreadable = entry(check("failed", 0, 9), readable=False)
    summary = summary_of([*final, *still_open, unreadable])

    assert (summary.handed_in, summary.final, summary.provisional, summary.ungraded, summary.not_readable) == (7, 3, 1, 2, 1)
    assert (summary.mean, summary.median, summary.max_points) == (3.0, 2.0, 9.0)


def test_a_class_without_final_marks_has_no_mean():
    assert summary_of([Entry("alice", None)]).mean is None


def test_the_share_that_passed_is_of_what_was_decided_and_read():
    entries = [
        *(entry(check(how)) for how in ("passed", "failed", "skipped", "deferred", "ungraded")),
        entry(check("failed", 0.5)),
        entry(check("failed"), readable=False),
        Entry("dan", None),
    ]
    (figures,) = figures_of(entries)

    assert figures.counts == {"passed": 1, "failed": 1, "skipped": 1, "open": 2, "partly": 1}
    assert (figures.decided, figures.share) == (4, 0.25)


def test_a_check_that_is_open_for_all_has_no_share():
    assert figures_of([entry(check("deferred"))])[0].share is None


def test_checks_of_other_graders_stand_with_their_exercise():
    old = Entry("ada", record(exercise(check(title="a")), exercise(check(title="c"), name="loss")))
    new = Entry("bob", record(exercise(check(title="a"), check(title="b")), exercise(check(title="c"), name="loss")))

    assert [(each.exercise, each.check.title) for each in figures_of([old, new])] == [
        ("softmax", "a"),
        ("softmax", "b"),
        ("loss", "c"),
    ]


def test_messages_that_differ_in_numbers_alone_are_one():
    said = ["error 0.25 at (1, 2)", "error 1e-3 at (0, 7)", "error 0.25 at (1, 2)", "nan", "slow", "slow", "late"]

    assert frequent_messages([check("failed", message=text) for text in said]) == (
        ("error 0.25 at (1, 2)", 3),
        ("slow", 2),
        ("nan", 1),
    )


def test_what_was_passed_or_skipped_has_no_message_to_count():
    assert frequent_messages([check("passed", message="fine"), check("skipped", message="needs a"), check("failed")]) == ()
