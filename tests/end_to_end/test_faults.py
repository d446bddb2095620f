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
from pathlib import Path

import pytest
from processes import parts, wait_until_gone
from small_course import make_course, submit

from torchgrade.course import find_course
from torchgrade.record import Results

TOOLS = Path(sys.executable).parent
KILLS = int(os.environ.get("TORCHGRADE_KILLS", "6"))
LINE = [str(TOOLS / "torchgrade"), "grade", "small", "--workers", "2"]
WRONG = "def double(x):\n    return 3 * x\n"
HALF = "def total(x):\n    return x.sum().round()\n"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A course with its assignment released and a class of ten handed in."""
    course = make_course(tmp_path_factory.mktemp("released"))
    assert run(course, "release", "small", "--no-audit").returncode == 0
    for number in range(10):
        solutions = [{}, {"double": WRONG}, {"total": HALF}, {"double": None}, {"double": "import os\nos._exit(0)\n"}][number % 5]
        own = {name: f"{text}# {number}\n" for name, text in solutions.items() if text}
        submit(course, f"student{number}", **{"total": f"def total(x):\n    return x.sum()  # {number}\n", **solutions, **own})
    return course


EXPECTED = {f"student{number}": (10.0, 3.0, 9.0, 3.0, 3.0)[number % 5] for number in range(10)}


@pytest.fixture
def course(released, tmp_path):
    """A copy of one's own."""
    shutil.copytree(released.root, tmp_path / "course")
    return find_course(tmp_path / "course")


def environment(**more):
    return {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", "COLUMNS": "160", **more}


def run(course, *arguments, **more):
    line = [str(TOOLS / "torchgrade"), *arguments]
    return subprocess.run(
        line, cwd=course.root, env=environment(**more), capture_output=True, text=True, timeout=300, check=False
    )


def started(course, *more, **facts):
    """The command, running, in a session of its own."""
    return subprocess.Popen(
        [*LINE, *more], cwd=course.root, env=environment(), start_new_session=True, stderr=subprocess.PIPE, text=True, **facts
    )


def points(course):
    return {record.student: record.points for record in Results(course.results).all("small")}


def marks(course):
    """The sum of each student's automatic scores in the gradebook."""
    with sqlite3.connect(course.root / "gradebook.db") as database:
        rows = database.execute(
            "select a.student_id, sum(g.auto_score) from grade g join submitted_notebook n on g.notebook_id = n.id"
            " join submitted_assignment a on n.assignment_id = a.id group by a.student_id"
        )
        return dict(rows.fetchall())


def wait_for(condition, seconds=60.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come to that")


def assert_undisturbed(course):
    done = run(course, "grade", "small")
    assert done.returncode == 0, done.stderr
    assert points(course) == EXPECTED
    assert marks(course) == EXPECTED
    assert list(course.results.glob("**/*.tmp")) == []


# --- killed ------------------------------------------------------------------------------------------------------------


def test_whatever_is_killed_at_random_moments_the_marks_are_the_same(course, capsys):
    seed = int(os.environ.get("TORCHGRADE_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
    print(f"TORCHGRADE_SEED={seed}")
    chance, killed, said = random.Random(seed), [], []
    kinds = ("command", "judge", "warm worker", "jail", "fork")
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
    print({kind: killed.count(kind) for kind in kinds})
    print("\n".join(line for text in said for line in text.splitlines() if "Problem" in line))
    assert "Traceback" not in "".join(said)
    wrong = {student: mark for student, mark in points(course).items() if mark != EXPECTED[student]}
    assert wrong == {}
    assert_undisturbed(course)
