"""Nobody is missing: exports account for everyone, exit statuses tell of what was left out, and a stopped command goes on."""

import csv
import json
import os
import signal
import subprocess
import time

import pytest
from small_course import make_course, submit
from warm_commands import TOOLS, started, torchgrade

from torchgrade.record import Results

WRONG = "def double(x):\n    return 3 * x\n"
SLOW = "import time\ntime.sleep(0.5)\n\ndef double(x):\n    return 2 * x  # {}\n"


def run(course, *arguments, **options):
    return torchgrade(course.root, *arguments, COLUMNS="160", **options)


def ok(course, *arguments):
    done = run(course, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture
def course(tmp_path):
    course = make_course(tmp_path)
    ok(course, "release", "small", "--no-audit")
    return course


def begin(course, *arguments):
    """Start a command in a session of its own; what it returns waits until so many students were graded by it."""
    events = course.results / "events.jsonl"
    before = events.stat().st_size if events.exists() else 0
    line = [TOOLS / "torchgrade", *arguments]
    grading = started(line, cwd=course.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def until_graded(least):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and grading.poll() is None:
            if events.exists() and events.read_text()[before:].count('"graded"') >= least:
                return
            time.sleep(0.05)
        raise AssertionError("it graded too few")

    return grading, until_graded


def test_exports_have_a_row_for_everyone_and_name_each_mark_that_is_not_of_what_was_handed_in_last(course):
    for student in ("ann", "bob", "cy", "dan", "eve"):
        submit(course, student)
    (course.submitted / "bob/small/small.ipynb").write_text("")
    (course.submitted / "eve/small/small.ipynb").unlink()
    (course.submitted / "eve/small/small.ipynb").symlink_to("/etc/passwd")
    ok(course, "grade", "small")
    submit(course, "cy", double=WRONG)  # handed in again, and not graded yet
    (course.submitted / "dan/small/small.ipynb").write_text("{")  # garbage after a good one
    submit(course, "fay")
    run(course, "grade", "small", "-s", "dan")

    for platform, of_row in (("canvas", 3), ("moodle", 0)):
        done = ok(course, "export", "small", "--to", platform)
        with (course.root / f"{platform}.csv").open(newline="") as file:
            rows = {row[of_row]: row[-1] for row in csv.reader(file) if row[of_row] not in ("SIS Login ID", "username", "")}
        assert rows == {"ann": "10", "bob": "", "cy": "", "dan": "", "eve": "", "fay": ""}
        told = [line.removeprefix("Still open, so its cell is empty: ") for line in done.stderr.splitlines()]
        assert [line.partition(":")[0] for line in told] == [
            "bob/small (the file that was handed in cannot be read",
            "cy/small (handed in again since it was graded",
            "dan/small (the file that was handed in cannot be read",
            "eve/small (the file that was handed in cannot be read",
            "fay/small (not graded yet",
        ]

    done = run(course, "export", "small", "--to", "gradescope")
    assert done.returncode == 1
    assert done.stderr == (
        "Error: not written: cy/small (handed in again since it was graded: torchgrade grade small), "
        "fay/small (not graded yet: torchgrade grade small)\n"
    )
    scores = {path.parts[-3]: json.loads(path.read_text())["score"] for path in course.root.glob("gradescope/*/*/results.json")}
    assert scores == {"ann": 10, "bob": 0, "dan": 0, "eve": 0}


def test_submissions_that_are_passed_over_are_counted_and_no_command_ends_as_if_all_were_there(course):
    for student in ("ann", "-rf", "..x y", "-rf2"):
        submit(course, student)
    (course.submitted / "..x y").rename(course.submitted / "@home")
    last = "Problem: 3 of 4 submissions were passed over, because of the names of their folders"
    for command in (["grade"], ["grade", "--regrade"], ["report"], ["feedback"], ["export", "--to", "canvas"]):
        done = run(course, command[0], "small", *command[1:])
        assert (done.returncode, done.stderr.splitlines()[-1]) == (1, last), command
        assert done.stderr.count(" is passed over: ") == 3
    # Those that are there have their marks and pages all the same; who asks for one of them is not told of others.
    assert (course.feedback / "ann/small/small.html").is_file()
    assert "passed over" not in ok(course, "grade", "small", "-s", "ann").stderr


def test_a_second_ctrl_c_ends_at_once_with_its_own_exit_status(course):
    for number in range(6):
        submit(course, f"s{number}", double=SLOW.format(number).replace("0.5", "1.5"))
    grading, until_graded = begin(course, "grade", "small", "--workers", "1")
    until_graded(1)
    os.killpg(grading.pid, signal.SIGINT)
    time.sleep(0.2)
    began = time.monotonic()
    os.killpg(grading.pid, signal.SIGINT)
    _, said = grading.communicate(timeout=60)

    assert grading.returncode == 130, said
    assert "Stopped at once. What was graded is kept" in said
    assert "Aborted" not in said
    assert "Traceback" not in said
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("seconds", [0.2, 1.5])
def test_ctrl_c_while_a_command_starts_is_one_line_and_no_traceback(course, seconds):
    submit(course, "ann", double=SLOW.format("slow"))
    line = [TOOLS / "torchgrade", "grade", "small"]
    grading = subprocess.Popen(line, cwd=course.root, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(seconds)
    os.killpg(grading.pid, signal.SIGINT)
    _, said = grading.communicate(timeout=60)

    assert grading.returncode == 130, said
    assert "Traceback" not in said
    assert said.splitlines()[-1].startswith("Stopped.")


def test_a_regrade_that_was_stopped_goes_on_and_marks_that_it_has_not_come_to_are_marks_all_the_same(course):
    students = [f"student-{number}" for number in range(4)]
    for number, student in enumerate(students):
        submit(course, student, double=SLOW.format(number).replace("0.5", "0.2"))
    ok(course, "grade", "small", "--workers", "2")
    results = Results(course.results)
    first = {student: results.read(student, "small").graded_at for student in students}
    time.sleep(1.1)  # records have seconds

    grading, until_graded = begin(course, "grade", "small", "--regrade", "--workers", "1")
    until_graded(1)
    os.killpg(grading.pid, signal.SIGINT)
    table, said = grading.communicate(timeout=60)
    assert grading.returncode == 130, said
    assert "the same command goes on where this one stopped" in said
    assert "not graded" not in table
    assert "small: 4 submissions: 4 with full marks" in table
    second = {student: results.read(student, "small").graded_at for student in students}
    done = [student for student in students if second[student] != first[student]]
    assert 1 <= len(done) < 4

    again = ok(course, "grade", "small", "--regrade", "--workers", "2")
    assert f"4 submissions of small: {4 - len(done)} to grade, {len(done)} graded again before" in again.stderr
    third = {student: results.read(student, "small").graded_at for student in students}
    assert [student for student in students if third[student] == second[student]] == done
    assert list(course.results.glob(".regrade-*")) == []  # it has ended: the next one grades all of them again


def test_a_history_says_what_is_in_it_where_a_record_is_damaged(course):
    submit(course, "ann", double=WRONG)
    ok(course, "grade", "small")
    (course.results / "ann/small.json").write_text('{"schema": 1')
    done = run(course, "history", "small", "-s", "ann")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: results/ann/small.json: this version cannot read it as a record")
    assert "never graded" not in done.stderr

    ok(course, "grade", "small")
    done = run(course, "history", "small", "-s", "ann")
    assert done.returncode == 1
    first, *_, last = done.stdout.splitlines()
    assert "3 / 10" in first
    assert last == "now: 3 / 10, final"
    assert "results/ann/small.history/0001.json: this version cannot read it" in done.stderr
