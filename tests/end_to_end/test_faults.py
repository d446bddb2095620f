"""What goes wrong while a class is graded costs nothing: afterwards the marks are those of an undisturbed run.

``TORCHGRADE_KILLS=50`` kills more than the handful that is killed by default; the seed stands in the output of a test that fails.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
import warm_commands
from processes import parts, wait_for, wait_until_gone
from small_course import make_course, submit
from warm_commands import TOOLS, environment, torchgrade

from torchgrade.course import find_course
from torchgrade.record import Results, Status

pytestmark = pytest.mark.faults

KILLS = int(os.environ.get("TORCHGRADE_KILLS", "4"))
STUDENTS = 6
LINE = [str(TOOLS / "torchgrade"), "grade", "small", "--workers", "2"]
WRONG = "def double(x):\n    return 3 * x\n"
HALF = "def total(x):\n    return x.sum().round()\n"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A course with its assignment released and a class handed in."""
    course = make_course(tmp_path_factory.mktemp("released"))
    assert run(course, "release", "small", "--no-audit").returncode == 0
    for number in range(STUDENTS):
        solutions = [{}, {"double": WRONG}, {"total": HALF}, {"double": None}, {"double": "import os\nos._exit(0)\n"}][number % 5]
        own = {name: f"{text}# {number}\n" for name, text in solutions.items() if text}
        submit(course, f"student{number}", **{"total": f"def total(x):\n    return x.sum()  # {number}\n", **solutions, **own})
    return course


EXPECTED = {f"student{number}": (10.0, 3.0, 9.0, 3.0, 3.0)[number % 5] for number in range(STUDENTS)}


@pytest.fixture
def course(released, tmp_path):
    """A copy of one's own."""
    shutil.copytree(released.root, tmp_path / "course")
    return find_course(tmp_path / "course")


def run(course, *arguments, **more):
    return torchgrade(course.root, *arguments, COLUMNS="160", **more)


def started(course, *more, command=()):
    """The command, or another one, running, in a session of its own."""
    return warm_commands.started(
        [*(command or LINE), *more],
        cwd=course.root,
        env=environment(COLUMNS="160"),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def points(course):
    return {record.student: record.points for record in Results(course.results).all("small")}


def failed(record):
    """What did not pass, and why, for whoever reads a failure of a test here."""
    return [(check.name, check.message) for exercise in record.exercises for check in exercise.checks if check.message]


def marks(course):
    """The sum of each student's automatic scores in the gradebook."""
    with sqlite3.connect(course.root / "gradebook.db") as database:
        rows = database.execute(
            "select a.student_id, sum(g.auto_score) from grade g join submitted_notebook n on g.notebook_id = n.id"
            " join submitted_assignment a on n.assignment_id = a.id group by a.student_id"
        )
        return dict(rows.fetchall())


def assert_undisturbed(course):
    done = run(course, "grade", "small")
    assert done.returncode == 0, done.stderr
    assert points(course) == EXPECTED
    assert marks(course) == EXPECTED
    assert list(course.results.glob("**/*.tmp")) == []


# --- killed ------------------------------------------------------------------------------------------------------------


def test_whatever_is_killed_at_random_moments_the_marks_are_the_same(course, capsys):
    seed = int(os.environ.get("TORCHGRADE_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
    chance, killed, said = random.Random(seed), [], []
    kinds = ("command", "judge", "warm worker", "jail")
    while len(killed) < KILLS:
        grading = started(course, "--regrade")
        while len(killed) < KILLS:
            kind = kinds[len(killed) % len(kinds)]
            time.sleep(chance.uniform(0.2, 1.5) if kind != "command" else chance.uniform(1.0, 5.0))
            if grading.poll() is not None:
                break
            victims = [grading.pid] if kind == "command" else parts(grading.pid)[kind]
            if not victims:
                continue
            try:
                os.kill(chance.choice(victims), signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed.append(kind)
            if kind == "command":
                break
        said.append(grading.communicate(timeout=120)[1])
        for path in course.results.glob("*/*.json"):
            json.loads(path.read_text())  # no record is half written
        wait_until_gone(grading.pid)
    problems = [line for text in said for line in text.splitlines() if "Problem" in line]
    with capsys.disabled():
        sys.stderr.write(
            f"\nTORCHGRADE_SEED={seed}: killed { ({kind: killed.count(kind) for kind in kinds}) }; said: {problems}\n"
        )
    assert "Traceback" not in "".join(said)
    decided = [record for record in Results(course.results).all("small") if record.status is Status.FINAL]
    wrong = {record.student: failed(record) for record in decided if record.points != EXPECTED[record.student]}
    assert wrong == {}
    assert_undisturbed(course)


# --- two at once -------------------------------------------------------------------------------------------------------


def test_a_second_run_says_for_whom_it_waits_and_finds_the_work_done(course):
    first = started(course)
    wait_for(lambda: points(course))
    first.send_signal(signal.SIGSTOP)  # so that it is still at it when the others come
    second, third = started(course), started(course)
    lines = [second.stderr.readline(), third.stderr.readline()]
    third.send_signal(signal.SIGINT)
    said_by_third = third.communicate(timeout=30)[1]
    first.send_signal(signal.SIGCONT)
    assert f"{STUDENTS} to grade, 0 unchanged" in first.communicate(timeout=120)[1]
    said_by_second = second.communicate(timeout=120)[1]
    assert [first.returncode, second.returncode, third.returncode] == [0, 0, 130]
    for line in lines:
        assert f"small is being graded by process {first.pid} on " in line
    assert "Stopped waiting; this run has graded nothing." in said_by_third
    assert f"0 to grade, {STUDENTS} unchanged" in said_by_second
    assert_undisturbed(course)


def test_watch_and_nbgraders_autograde_beside_a_run_come_to_an_end_with_the_same_marks(course):
    first = started(course)
    # nbgrader gives up where another program enters a submission at the very moment in which it does, so that one is there.
    wait_for(lambda: "student0" in marks(course))
    watch = started(course, command=[str(TOOLS / "torchgrade"), "watch", "small", "--once"])
    theirs = started(course, command=[str(TOOLS / "nbgrader"), "autograde", "small", "--student", "student0"])
    for process in (first, watch, theirs):
        said = process.communicate(timeout=120)[1]
        assert process.returncode == 0, said
    assert_undisturbed(course)


# --- a full disk -------------------------------------------------------------------------------------------------------

FULL = """
mount -t tmpfs -o size=80k none results && echo mounted
(until test -s results/events.jsonl; do sleep 0.02; done; head -c 56k /dev/zero > results/ballast) &
{line}
wait && rm results/ballast && mount -o remount,size=16m results && {line} && cp -a results/. {kept}
"""


def test_a_disk_that_fills_up_in_the_middle_costs_what_was_in_flight(course, tmp_path):
    course.results.mkdir(exist_ok=True)
    kept = tmp_path / "kept"
    kept.mkdir()
    script = FULL.format(line=" ".join(LINE), kept=kept)
    line = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    done = warm_commands.run(line, cwd=course.root, env=environment(COLUMNS="160"), timeout=300)
    if "mounted" not in done.stdout:
        pytest.skip(f"no small disk can be made here: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    assert "No space left on device" in done.stderr
    assert "nothing graded so far is lost" in done.stderr
    assert "Traceback" not in done.stderr
    first, second = [line for line in done.stderr.splitlines() if "submissions of small" in line]
    assert f"{STUDENTS} to grade" in first
    assert f" {STUDENTS} to grade" not in second  # what fitted was kept
    assert {record.student: record.points for record in Results(kept).all("small")} == EXPECTED
    assert marks(course) == EXPECTED
    assert list(kept.glob("**/*.tmp")) == []


# --- a gradebook that vanishes -----------------------------------------------------------------------------------------


def test_a_gradebook_that_is_deleted_in_the_middle_is_one_line_and_a_new_one_gets_all_marks(course):
    grading = started(course)
    book = course.root / "gradebook.db"
    wait_for(lambda: len(points(course)) >= 2)
    book.rename(course.root / "elsewhere.db")
    _, said = grading.communicate(timeout=120)
    assert grading.returncode == 1
    (problem,) = [line for line in said.splitlines() if line.startswith("Problem")]
    assert "is gone" in problem
    assert points(course) == EXPECTED
    assert run(course, "release", "small", "--no-audit").returncode == 0
    assert_undisturbed(course)


# --- a clock that jumps ------------------------------------------------------------------------------------------------

JUMPING = """
import datetime, random, time
real, real_ns, Real = time.time, time.time_ns, datetime.datetime
jumps = []

def jump():
    jumps.append(random.choice((-400, -1, 0, 1, 400)))
    if len(jumps) == 100:  # so many are not all the same
        open(__file__ + ".jumped", "a").write(f"{min(jumps)} {max(jumps)}\\n")
    return jumps[-1] * 86400

time.time = lambda: real() + jump()
time.time_ns = lambda: real_ns() + jump() * 10**9

class datetime_(Real):
    @classmethod
    def now(cls, tz=None):
        return Real.now(tz) + datetime.timedelta(seconds=jump())

datetime.datetime = datetime_
"""


def test_a_clock_that_jumps_by_days_at_every_look_changes_no_mark(course, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(JUMPING)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = run(course, "grade", "small", "--workers", "2", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert f"{STUDENTS} to grade" in done.stderr
    assert points(course) == EXPECTED
    jumped = (tmp_path / "sitecustomize.py.jumped").read_text().splitlines()
    assert set(jumped) == {"-400 400"}
    assert_undisturbed(course)
