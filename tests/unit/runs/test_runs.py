"""Many submissions through real judges: nothing is graded twice without need, and an end at any moment costs nothing."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from processes import judges, parts
from small_course import make_course, submit, submit_killer

from torchgrade.course import CourseError, Submission
from torchgrade.record import Outcome, RecordError, Results, Status
from torchgrade.runs import Begun, ClassRun, Done, Regrade, current_record, grade_all, record_for, to_grade
from torchgrade.runs.tasks import Answer, Event

CLASS = {
    "ann": {},
    "bob": {"double": "def double(x):\n    return 3 * x\n"},
    "cy": {"double": None, "total": None},
    "dan": {"double": "import os\nos._exit(0)\n"},
    "eve": {"total": "def total(x):\n    return x.sum().round()\n"},
}
POINTS = {"ann": 10, "bob": 3, "cy": 0, "dan": 3, "eve": 9}


def submissions(students):
    return [Submission("small", student) for student in students]


@pytest.fixture
def course(tmp_path):
    course = make_course(tmp_path)
    for student, solutions in CLASS.items():
        submit(course, student, **solutions)
    return course


def points(course):
    results = Results(course.results)
    return {student: record.points for student in CLASS if (record := results.read(student, "small")) is not None}


def test_a_class_is_graded_by_two_judges(course):
    done = list(grade_all(course, submissions(CLASS), workers=2))
    assert sorted(each.submission.student for each in done) == sorted(CLASS)
    assert [each for each in done if each.error] == []
    assert points(course) == POINTS


def test_a_record_is_current_until_something_that_it_rests_on_changes(course):
    list(grade_all(course, submissions(["ann"])))
    assert current_record(course, "small", "ann") is not None
    assert current_record(course, "small", "bob") is None
    path = course.submission("ann", "small")
    before = path.read_text()
    path.write_text(before.replace("2 * x", "x + x"))
    assert current_record(course, "small", "ann") is None
    path.write_text(before)
    assert current_record(course, "small", "ann") is not None
    grader = course.graders / "small" / "test_total.py"
    grader.write_text(grader.read_text() + "\n")
    assert current_record(course, "small", "ann") is None


def test_an_ungraded_record_is_never_current(course, monkeypatch):
    list(grade_all(course, submissions(["ann"])))
    monkeypatch.setattr("torchgrade.record.Record.status", Status.UNGRADED)
    assert current_record(course, "small", "ann") is None


def test_a_record_from_another_schema_is_graded_again(course):
    list(grade_all(course, submissions(["ann"])))
    path = Results(course.results).path("ann", "small")
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 0}))
    assert current_record(course, "small", "ann") is None


def test_a_record_is_made_when_it_is_asked_for_and_then_kept(course):
    first = record_for(course, "small", "bob")
    assert first.points == 3
    assert record_for(course, "small", "bob") == first


def test_the_same_content_is_graded_once(course):
    for student in ("fay", "gus"):
        submit(course, student, **CLASS["bob"])
    everyone = [*CLASS, "fay", "gus"]
    events = list(ClassRun(course, submissions(everyone), workers=2))
    assert sorted(event.submission.student for event in events if isinstance(event, Begun)) == sorted(CLASS)
    copied = {event.submission.student: event.same_as for event in events if isinstance(event, Done) and event.same_as}
    assert copied == {student: Submission("small", "bob") for student in ("fay", "gus")}
    results = Results(course.results)
    bob, fay = results.read("bob", "small"), results.read("fay", "small")
    assert fay == dataclasses.replace(bob, student="fay")
    assert to_grade(course, submissions(everyone)) == []


def test_a_copy_is_made_only_of_what_was_handed_in(course):
    submit(course, "fay", **CLASS["bob"])
    run = ClassRun(course, submissions(["bob", "fay"]))
    submit(course, "bob")
    ends = {event.submission.student: event.error for event in run if isinstance(event, Done)}
    assert ends["bob"] == ""
    assert "was changed before it was graded" in ends["fay"]
    assert Results(course.results).read("fay", "small") is None


def test_a_run_that_is_asked_to_finish_begins_nothing_more_and_loses_nothing(course):
    run = ClassRun(course, submissions(CLASS))
    ended = []
    for event in run:
        if isinstance(event, Begun):
            run.finish()
        else:
            ended.append(event.submission.student)
    assert 1 <= len(ended) <= 2  # one in flight, and one that waits for the judge
    assert sorted(points(course)) == sorted(ended)
    assert len(to_grade(course, submissions(CLASS))) == len(CLASS) - len(ended)


def test_only_records_of_a_status_are_graded_again(course):
    list(grade_all(course, submissions(["ann", "bob"])))
    results = Results(course.results)
    record = results.read("ann", "small")
    first, *others = record.exercises
    opened = dataclasses.replace(first.checks[0], outcome=Outcome.DEFERRED, points=0.0)
    results.write(
        dataclasses.replace(record, exercises=(dataclasses.replace(first, checks=(opened, *first.checks[1:])), *others))
    )
    assert to_grade(course, submissions(CLASS), only="provisional") == submissions(["ann"])
    assert to_grade(course, submissions(CLASS), only="ungraded") == []
    assert to_grade(course, submissions(CLASS), regrades={"small": Regrade(course, "small", CLASS)}) == submissions(CLASS)
    assert to_grade(course, submissions(CLASS)) == submissions(["cy", "dan", "eve"])


def test_a_regrade_that_was_stopped_goes_on_with_those_that_it_has_not_done_and_only_for_the_same_students(course):
    two = submissions(["ann", "bob"])
    list(grade_all(course, two))
    first = Regrade(course, "small", ["ann", "bob"])
    assert not first.goes_on
    list(grade_all(course, two[:1]))

    again = Regrade(course, "small", ["ann", "bob"])
    assert again.goes_on
    assert to_grade(course, two, regrades={"small": again}) == two[1:]
    # What it has done counts only as long as it would come out the same.
    submit(course, "ann", double="def double(x):\n    return x + x\n")
    assert to_grade(course, two, regrades={"small": again}) == two

    # One of a single student in between is another, and leaves this one as it is.
    other = Regrade(course, "small", ["ann"])
    assert not other.goes_on
    other.end()
    assert Regrade(course, "small", ["bob", "ann"]).goes_on

    again.end()
    assert not Regrade(course, "small", ["ann", "bob"]).goes_on


def test_a_damaged_note_of_a_regrade_is_none(course):
    course.results.mkdir(exist_ok=True)
    Regrade(course, "small", ["ann"])
    (note,) = course.results.glob(".regrade-small-*.json")
    note.write_text("{")
    regrade = Regrade(course, "small", ["ann"])
    assert not regrade.goes_on
    assert not regrade.has_record("ann")


def test_a_student_who_handed_nothing_in_has_no_record(course):
    with pytest.raises(CourseError, match="has not handed in"):
        record_for(course, "small", "zoe")


def test_a_symbolic_link_is_refused_and_not_followed(course, tmp_path):
    path = course.submission("ann", "small")
    secret = tmp_path / "secret.ipynb"
    path.rename(secret)
    path.symlink_to(secret)
    list(grade_all(course, submissions(["ann", "eve"])))
    record = Results(course.results).read("ann", "small")
    assert not record.readable
    assert "symbolic link" in record.problems[0]
    assert points(course)["eve"] == 9


def test_a_file_of_the_bank_that_a_grader_names_is_part_of_what_a_record_rests_on(course):
    chaff = course.solutions / "small" / "double" / "chaffs" / "loop.py"
    chaff.parent.mkdir()
    chaff.write_text("one")
    list(grade_all(course, submissions(["ann"])))
    chaff.write_text("two")
    assert current_record(course, "small", "ann") is not None
    grader = course.graders / "small" / "test_double.py"
    grader.write_text(grader.read_text() + '\nBASELINE = "chaffs/loop.py"\n')
    list(grade_all(course, submissions(["ann"])))
    chaff.write_text("three")
    assert current_record(course, "small", "ann") is None


def test_a_file_that_is_too_large_is_refused_unread(course):
    path = course.submission("ann", "small")
    with path.open("ab") as file:
        file.truncate(200_000_000)
    started = time.monotonic()
    record = record_for(course, "small", "ann")
    assert time.monotonic() - started < 2
    assert "200.0 MB; at most 20 MB" in record.problems[0]


def test_a_judge_that_is_killed_costs_one_more_try(course):
    killed, done = [], []
    for each in grade_all(course, submissions(CLASS), workers=1):
        done.append(each)
        if not killed:
            (killed,) = judges(os.getpid())
            os.kill(killed, signal.SIGKILL)
    assert killed
    assert [each for each in done if each.error] == []
    assert points(course) == POINTS


def test_a_submission_that_ends_its_judge_each_time_stays_open_and_says_so(course):
    submit_killer(course, "mal")
    done = {each.submission.student: each for each in grade_all(course, submissions([*CLASS, "mal"]), workers=2)}
    assert {student: bool(each.error) for student, each in done.items()} == {**dict.fromkeys(CLASS, False), "mal": True}
    assert "the judge ended unexpectedly (exit status -9)" in done["mal"].error
    record = Results(course.results).read("mal", "small")
    assert record == done["mal"].record
    assert {check.outcome for exercise in record.exercises for check in exercise.checks} == {Outcome.UNGRADED}
    assert record.problems == ("Grading was cut off each time; nothing is lost by it.",)
    assert to_grade(course, submissions([*CLASS, "mal"])) == submissions(["mal"])
    assert points(course) == POINTS


def test_what_was_decided_stands_where_judges_are_lost_later(course):
    (done,) = grade_all(course, submissions(["ann"]))

    def lose(_, tasks, **options):
        for key, _task in tasks:
            blank = dataclasses.replace(done.record, exercises=(), seed=0)
            yield Event(key, Answer(blank, error="lost"))

    (again,) = ClassRun(course, submissions(["ann"]), judges=lose)
    assert (again.record, again.error) == (None, "lost")
    assert Results(course.results).read("ann", "small") == done.record


def test_judges_that_are_all_killed_while_they_wait_are_replaced(course):
    run = iter(grade_all(course, submissions(["ann", "bob"]), workers=2))
    next(run)
    time.sleep(1.0)
    for judge in judges(os.getpid()):
        os.kill(judge, signal.SIGKILL)
    assert [each.error for each in run] == [""] * (2 - 1)
    assert len(points(course)) == 2


def test_a_jail_that_is_killed_costs_one_more_try_and_no_mark(course):
    submit(course, "ann", double="import time\ntime.sleep(2)\n\n\ndef double(x):\n    return 2 * x\n")
    killed, done = [], []
    for event in ClassRun(course, submissions(["ann"])):
        if isinstance(event, Done):
            done.append(event)
            continue
        time.sleep(1)  # in the cell that sleeps
        killed = parts(os.getpid())["warm worker"]
        os.kill(killed[0], signal.SIGKILL)
    assert killed
    assert [each.error for each in done] == [""]
    record = Results(course.results).read("ann", "small")
    assert (record.points, record.status, record.problems) == (10, Status.FINAL, ())


def test_a_disk_that_is_full_is_one_line_and_the_old_record_stays(course, monkeypatch):
    record = record_for(course, "small", "bob")
    results = Results(course.results)

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RecordError, match="No space left on device") as caught:
        results.write(record)
    assert "\n" not in str(caught.value)
    assert results.read("bob", "small") == record
    assert list(course.results.glob("**/*.tmp")) == []


def test_what_the_fork_server_imports_changes_no_other_programs_exit_status():
    program = [sys.executable, "-c", "import sys, torchgrade.runs.server; sys.exit(3)"]
    assert subprocess.run(program, check=False).returncode == 3
