"""Submissions that arrive in nbgrader's exchange, handed in with nbgrader's own commands, are graded as they come."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from small_course import CONFIG, make_course
from traitlets.config import Config

from torchgrade.course import find_course
from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Results

TOOLS = Path(sys.executable).parent
RIGHT, WRONG = "def double(x):\n    return 2 * x\n", "def double(x):\n    return 3 * x\n"
TOTAL = "def total(x):\n    return x.sum()\n"


class Exchange:
    """A course with an exchange, and students with folders of their own."""

    def __init__(self, root, gradings_per_hour):
        self.inbox = root / "exchange"
        self.inbox.mkdir()
        self.inbox.chmod(0o777)
        self.home = root / "home"
        folder = root / "course"
        folder.mkdir()
        make_course(folder)
        more = f"c.Exchange.root = '{self.inbox}'\nc.Watch.gradings_per_hour = {gradings_per_hour}\nc.Watch.every_seconds = 0.2\n"
        (folder / "nbgrader_config.py").write_text(CONFIG + more)
        self.course = find_course(folder)
        assert self.run("release", "small", "--no-audit").returncode == 0
        with contextlib.chdir(folder):
            assert NbGraderAPI(config=self.course.config).release_assignment("small")["success"]

    def run(self, *arguments):
        environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
        line = [str(TOOLS / "torchgrade"), *arguments]
        return subprocess.run(
            line, cwd=self.course.root, env=environment, capture_output=True, text=True, timeout=120, check=False
        )

    def as_student(self, student, command):
        """What nbgrader's command of this name, or its button in JupyterLab, does for a student in a folder of their own."""
        folder = self.home / student
        folder.mkdir(parents=True, exist_ok=True)
        config = Config()
        config.CourseDirectory.course_id = "small"
        config.CourseDirectory.student_id = student
        config.Exchange.root, config.Exchange.cache = str(self.inbox), str(folder / "cache")
        coursedir = CourseDirectory(config=config)
        coursedir.assignment_id = "small"
        factory = ExchangeFactory(config=config)
        with contextlib.chdir(folder):
            getattr(factory, command)(coursedir=coursedir, authenticator=Authenticator(), config=config).start()

    def hand_in(self, student, text):
        folder = self.home / student / "small"
        if not folder.exists():
            self.as_student(student, "FetchAssignment")
        write_notebook(
            compose(load_assignment(self.course.root, "small"), {"double": text, "total": TOTAL}), folder / "small.ipynb"
        )
        self.as_student(student, "Submit")

    def points(self):
        return {record.student: record.points for record in Results(self.course.results).all("small")}


@pytest.fixture
def exchange(tmp_path):
    return Exchange(tmp_path, gradings_per_hour=2)


def test_what_is_handed_in_is_graded_and_the_student_can_fetch_the_feedback(exchange):
    exchange.hand_in("ann", WRONG)
    exchange.hand_in("bob", RIGHT)
    done = exchange.run("watch", "small", "--once")
    assert (done.returncode, "Problem" in done.stderr) == (0, False), done.stderr
    assert exchange.points() == {"ann": 3.0, "bob": 10.0}
    again = exchange.run("watch", "small", "--once")
    assert "grading" not in again.stderr
    time.sleep(1.1)  # nbgrader's times have whole seconds
    exchange.hand_in("ann", RIGHT)
    assert exchange.run("watch", "small", "--once").returncode == 0
    assert exchange.points() == {"ann": 10.0, "bob": 10.0}
    exchange.as_student("ann", "FetchFeedback")
    pages = sorted((exchange.home / "ann" / "small" / "feedback").rglob("small.html"))
    assert len(pages) == 2
    texts = [page.read_text() for page in pages]
    assert any("2 of your submissions were graded within an hour" in text for text in texts)
    time.sleep(1.1)
    exchange.hand_in("ann", WRONG)
    done = exchange.run("watch", "small", "--once")
    assert "ann/small waits until" in done.stderr
    assert exchange.points() == {"ann": 10.0, "bob": 10.0}


def test_a_watch_that_is_killed_goes_on_where_it_was(exchange):
    slow = "import time\ntime.sleep(1)\n\n"
    for number in range(4):
        exchange.hand_in(f"student-{number}", f"{slow}{RIGHT}# {number}\n")
    line = [str(TOOLS / "torchgrade"), "watch", "small", "--workers", "1"]
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    watch = subprocess.Popen(line, cwd=exchange.course.root, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not exchange.points():
        time.sleep(0.05)
    watch.send_signal(signal.SIGKILL)
    watch.wait()
    done = exchange.points()
    assert 1 <= len(done) < 4
    watch = subprocess.Popen(line, cwd=exchange.course.root, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(list(exchange.course.feedback.glob("*/small/small.html"))) < 4 - len(done):
        time.sleep(0.05)
    watch.send_signal(signal.SIGINT)
    _, said = watch.communicate(timeout=30)
    assert watch.returncode == 0, said
    assert exchange.points() == dict.fromkeys((f"student-{number}" for number in range(4)), 10.0)
    done = exchange.run("grade", "small")  # enters what was graded when the watch was killed
    assert "0 to grade, 4 unchanged" in done.stderr


def test_a_submission_whose_copying_was_cut_off_is_copied_again(exchange):
    exchange.hand_in("ann", RIGHT)
    half = exchange.course.submitted / "ann" / "small"
    half.mkdir(parents=True)
    (inbound,) = (exchange.inbox / "small" / "inbound").iterdir()
    (half / "timestamp.txt").write_bytes((inbound / "timestamp.txt").read_bytes())
    exchange.course.results.mkdir(exist_ok=True)
    mark = exchange.course.results / ".collecting-small"
    mark.touch()
    os.utime(mark, (time.time() - 5,) * 2)
    assert exchange.run("watch", "small", "--once").returncode == 0
    assert exchange.points() == {"ann": 10.0}
    assert not mark.exists()


def test_an_exchange_that_cannot_be_read_is_one_line(exchange):
    exchange.hand_in("ann", RIGHT)
    (exchange.inbox / "small" / "inbound" / "no plus signs").mkdir()
    broken = exchange.inbox / "small" / "inbound" / "eve+small+yesterday+x"
    broken.mkdir()
    done = exchange.run("watch", "small", "--once")
    assert "Traceback" not in done.stderr
    assert "Problem: nbgrader could not collect small: " in done.stderr
