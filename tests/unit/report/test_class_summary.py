"""How a class stands, in one line."""

import pytest
from made_records import check, exercise, record

from torchgrade.report.mark import Mark, Standing
from torchgrade.report.terminal import State, state_of, state_of_mark, summary_line


@pytest.mark.parametrize(
    ("outcome", "points", "state"),
    [
        ("passed", 2, State.FULL),
        ("failed", 0, State.FEWER),
        ("deferred", 0, State.PROVISIONAL),
        ("ungraded", 0, State.UNGRADED),
    ],
)
def test_the_state_of_a_submission_is_that_of_its_record(outcome, points, state):
    assert state_of(record(exercise(check(outcome, points, 2)))) is state


def test_a_submission_without_a_record_and_one_that_cannot_be_read_are_told_apart():
    assert state_of(None) is State.NOT_GRADED
    assert state_of(record(exercise(check("failed")), readable=False)) is State.NOT_READABLE


def test_a_sum_of_parts_of_points_is_full_although_it_is_rounded():
    assert state_of_mark(Mark(0.1 + 0.2, 0.3, Standing.FINAL)) is State.FULL
    assert state_of_mark(Mark(1.2 - 0.9, 0.3, Standing.FINAL)) is State.FULL


def test_the_gradebooks_mark_counts_before_that_of_the_checks():
    full = record(exercise(check("passed", 2, 2)))

    assert state_of(full, Mark(2, 5, Standing.FINAL, by_hand=0.0)) is State.FEWER
    assert state_of(full, Mark(2, 5, Standing.BY_HAND, waiting=3)) is State.MANUAL
    assert state_of(full, Mark(2, 5, Standing.TO_CONFIRM)) is State.TO_CONFIRM


def test_a_line_has_a_count_for_each_state_that_there_is():
    states = {"ann": State.FULL, "bob": State.FEWER, "cy": State.FULL}

    assert summary_line("small", states) == "small: 3 submissions: 2 with full marks, 1 with fewer"
    assert summary_line("small", {"ann": State.FULL}) == "small: 1 submission: 1 with full marks"


def test_those_that_somebody_has_to_look_at_are_named_but_not_all_of_many():
    states = dict.fromkeys("edcba", State.UNGRADED) | {"zoe": State.NOT_READABLE}

    assert summary_line("small", states) == "small: 6 submissions: 5 ungraded (a, b, c and 2 more), 1 not readable (zoe)"


def test_a_name_steers_no_terminal():
    assert "\x1b" not in summary_line("small", {"eve\x1b[31m\n": State.NOT_GRADED})
