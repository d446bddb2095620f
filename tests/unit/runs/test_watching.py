"""Which of the submissions that arrived are graded now, and which wait."""

import dataclasses
import datetime as dt
import os

import pytest
from made_records import check, exercise, record
from small_course import make_course, submit

from torchgrade.course import Submission
from torchgrade.record import Digests, Results
from torchgrade.runs import due, to_grade
from torchgrade.runs.reuse import rests_on
from torchgrade.runs.watching import Patience, new_hand_ins

NOW = dt.datetime(2026, 11, 21, 12, 0, tzinfo=dt.UTC)


@pytest.fixture
def course(tmp_path):
    course = make_course(tmp_path)
    course.watch.gradings_per_hour = 3
    return course


def arrived(course, student, minutes_ago):
    path = submit(course, student)
    when = (NOW - dt.timedelta(minutes=minutes_ago)).timestamp()
    os.utime(path, (when, when))
    return Submission("small", student)


def graded(course, student, *minutes_ago):
    results = Results(course.results)
    for number, minutes in enumerate(minutes_ago):
        when = (NOW - dt.timedelta(minutes=minutes)).isoformat()
        made = record(student=student, graded_at=when)
        results.write(dataclasses.replace(made, assignment="small", digests=Digests(f"notebook {number}", "g", "e", "s")))


def test_who_had_the_fewest_gradings_comes_first_then_who_waits_longest(course):
    submissions = [arrived(course, "ann", 1), arrived(course, "bob", 9), arrived(course, "cy", 5)]
    graded(course, "bob", 50, 40)
    found = due(course, submissions, ["small"], at=NOW)
    assert [each.student for each in found.now] == ["cy", "ann", "bob"]
    assert found.later == {}


def test_the_last_one_of_an_hour_says_so_and_the_next_one_waits(course):
    submissions = [arrived(course, "ann", 1)]
    graded(course, "ann", 90, 50, 40)
    found = due(course, submissions, ["small"], at=NOW)
    assert found.now == tuple(submissions)
    assert found.notes == {
        submissions[0]: "3 of your submissions were graded within an hour, as many as this course grades; "
        "what you hand in now is graded after 12:10 UTC."
    }
    graded(course, "bob", 50, 40, 5)
    submissions = [arrived(course, "bob", 1)]
    found = due(course, submissions, ["small"], at=NOW)
    assert (found.now, found.notes) == ((), {})
    assert found.later == {submissions[0]: NOW + dt.timedelta(minutes=10)}
    assert due(course, submissions, ["small"], at=NOW + dt.timedelta(minutes=11)).now == tuple(submissions)


def test_an_instructors_regrade_is_not_the_students_doing(course):
    graded(course, "ann", 50, 40)
    results = Results(course.results)
    for _ in range(5):
        results.write(dataclasses.replace(results.read("ann", "small"), seed=7))
    assert len(new_hand_ins((each.digests.notebook, each.graded_at) for each in results.history("ann", "small"))) == 2


def left_open(course, submission, *minutes_ago):
    made = record(exercise(check("ungraded")), student=submission.student, assignment="small")
    for minutes in minutes_ago:
        when = (NOW - dt.timedelta(minutes=minutes)).isoformat()
        Results(course.results).write(dataclasses.replace(made, digests=rests_on(course, submission), graded_at=when))


@pytest.mark.parametrize(
    ("minutes_ago", "rests"),
    [((0.5,), True), ((1.5,), False), ((4, 1.5), True), ((4, 2.5), False), ((-5,), False), (range(900, 0, -100), True)],
)
def test_what_was_left_ungraded_rests_longer_after_each_time(course, minutes_ago, rests):
    submission = arrived(course, "ann", 1000)
    left_open(course, submission, *minutes_ago)
    assert to_grade(course, [submission], at=NOW) == ([] if rests else [submission])
    assert to_grade(course, [submission]) == [submission]  # whoever asks for it gets it at once


def test_what_was_left_ungraded_is_graded_at_once_when_a_grader_or_the_notebook_has_changed(course):
    submission = arrived(course, "ann", 10)
    left_open(course, submission, 0.5)
    grader = course.graders / "small" / "test_total.py"
    before = grader.read_text()
    grader.write_text(before + "\n")
    assert to_grade(course, [submission], at=NOW) == [submission]
    grader.write_text(before)
    assert to_grade(course, [submission], at=NOW) == []
    submit(course, "ann", total="def total(x):\n    return 0\n")
    assert to_grade(course, [submission], at=NOW) == [submission]


def test_what_failed_without_a_trace_rests_as_long_as_nothing_has_changed():
    patience, ann = Patience(), Submission("small", "ann")
    assert not patience.waits(ann, pytest.fail, NOW)
    patience.failed(ann, "as it was", NOW)
    assert patience.waits(ann, lambda _: "as it was", NOW)
    assert not patience.waits(ann, lambda _: "changed", NOW)
    assert not patience.waits(ann, lambda _: "as it was", NOW + dt.timedelta(minutes=1))
    patience.failed(ann, "as it was", NOW + dt.timedelta(minutes=1))
    assert patience.waits(ann, lambda _: "as it was", NOW + dt.timedelta(minutes=2.5))
