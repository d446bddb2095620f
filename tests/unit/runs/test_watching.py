"""Which of the submissions that arrived are graded now, and which wait."""

import dataclasses
import datetime as dt
import os

import pytest
from made_records import record
from small_course import make_course, submit

from torchgrade.course import Submission
from torchgrade.record import Digests, Results
from torchgrade.runs import due
from torchgrade.runs.watching import gradings

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
    assert len(gradings(results.history("ann", "small"))) == 2
