"""Submissions that arrive in nbgrader's exchange, handed in with nbgrader's own commands, are graded as they come."""

import contextlib
import os
import shutil
import signal
import sys
import time

import pytest
from exchange import Exchange
from nbgrader.apps.api import NbGraderAPI
from processes import wait_for
from small_course import CONFIG, make_course, submit
from warm_commands import environment, run

from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Results, Status

RIGHT, WRONG = "def double(x):\n    return 2 * x\n", "def double(x):\n    return 3 * x\n"
TOTAL = "def total(x):\n    return x.sum()\n"


class Small(Exchange):
    """The small course, with its exchange."""

    def __init__(self, root, copy_of=None):
        super().__init__(root, "small", "small")
        if copy_of is None:
            make_course(self.folder)
        else:
            shutil.copytree(copy_of.folder, self.folder, dirs_exist_ok=True)
            shutil.copytree(copy_of.inbox, self.inbox, dirs_exist_ok=True)
        more = f"{self.setting}\nc.Watch.gradings_per_hour = 2\nc.Watch.every_seconds = 0.2\n"
        (self.folder / "nbgrader_config.py").write_text(CONFIG + more)

    def hand_in(self, student, text):
        cells = {"double": text, "total": TOTAL}
        write_notebook(compose(load_assignment(self.course.assignments, "small"), cells), self.fetched(student) / "small.ipynb")
        self.as_student(student, "Submit")

    def points(self):
        return {record.student: record.points for record in Results(self.course.results).all("small")}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    small = Small(tmp_path_factory.mktemp("released"))
    assert small.run("release", "small", "--no-audit").returncode == 0
    small.release()
    return small


@pytest.fixture
def exchange(released, tmp_path):
    return Small(tmp_path, copy_of=released)


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
    watch = exchange.started("watch", "small", "--workers", "1")
    wait_for(exchange.points)
    watch.kill()
    watch.communicate()
    assert 1 <= len(exchange.points()) < 4
    assert exchange.released() == 0
    watch = exchange.started("watch", "small", "--workers", "1")
    wait_for(lambda: exchange.released() == 4)
    watch.send_signal(signal.SIGINT)
    _, said = watch.communicate(timeout=30)
    assert (watch.returncode, "Problem" in said) == (0, False), said
    everybody = dict.fromkeys((f"student-{number}" for number in range(4)), 10.0)
    assert exchange.points() == everybody
    assert exchange.marks() == everybody
    for student in everybody:
        exchange.as_student(student, "FetchFeedback")
        assert len(list((exchange.home / student / "small" / "feedback").rglob("small.html"))) == 1
    before = (exchange.course.results / "events.jsonl").read_text()
    assert exchange.run("watch", "small", "--once").returncode == 0
    assert (exchange.course.results / "events.jsonl").read_text() == before  # there is nothing left to do


def test_a_page_that_could_not_be_released_is_released_by_a_later_look(exchange):
    exchange.hand_in("ann", RIGHT)
    outbox = exchange.inbox / "small" / "feedback"
    outbox.write_text("in the way")
    assert "Problem: nbgrader could not release the feedback of ann" in exchange.run("watch", "small", "--once").stderr
    outbox.unlink()
    done = exchange.run("watch", "small", "--once")
    assert ("Problem" in done.stderr, "grading" in done.stderr) == (False, False), done.stderr
    assert exchange.released() == 1


def test_what_another_command_graded_is_handed_back_too(exchange):
    exchange.hand_in("ann", RIGHT)
    with contextlib.chdir(exchange.folder):
        assert NbGraderAPI(config=exchange.course.config).collect("small")["success"]
    assert exchange.run("grade", "small").returncode == 0
    assert exchange.released() == 0
    assert "grading" not in exchange.run("watch", "small", "--once").stderr
    assert exchange.released() == 1


def test_a_file_that_is_no_notebook_has_its_page_in_the_exchange(exchange):
    (exchange.fetched("ann") / "small.ipynb").write_text("{")
    exchange.as_student("ann", "Submit")
    done = exchange.run("watch", "small", "--once")
    assert "Problem" not in done.stderr
    exchange.as_student("ann", "FetchFeedback")
    (page,) = (exchange.home / "ann" / "small" / "feedback").rglob("small.html")
    assert "small.ipynb is not a notebook" in page.read_text()


def test_who_did_not_hand_in_through_the_exchange_is_named_once_and_has_a_page(exchange):
    submit(exchange.course, "ann")
    line = "Problem: ann did not hand in through the exchange"
    assert line in exchange.run("watch", "small", "--once").stderr
    assert (exchange.course.feedback / "ann" / "small" / "small.html").is_file()
    assert line not in exchange.run("watch", "small", "--once").stderr


def test_a_bug_in_a_grader_is_met_once_and_then_again_as_soon_as_the_grader_has_changed(exchange):
    grader = exchange.course.graders / "small" / "test_total.py"
    right = grader.read_text()
    broken = right.replace("    for x in torch.randn(2, 50):\n", "    1 / 0\n    for x in torch.randn(2, 50):\n")
    assert broken != right
    grader.write_text(broken)
    exchange.hand_in("ann", RIGHT)
    assert "grading 1\n" in exchange.run("watch", "small", "--once").stderr
    assert Results(exchange.course.results).read("ann", "small").status is Status.UNGRADED
    assert "grading" not in exchange.run("watch", "small", "--once").stderr
    grader.write_text(right)
    assert "grading 1\n" in exchange.run("watch", "small", "--once").stderr
    assert exchange.points() == {"ann": 10.0}


LOOKS = """
import sys
from pathlib import Path
from torchgrade.cli.watch import Watcher
from torchgrade.course import find_course

watch, grader = Watcher(find_course(Path.cwd()), ("small",), 1), Path(sys.argv[1])
right = grader.read_text()
grader.write_text("def (")
print(watch.look())
print(watch.look())
grader.write_text(right)
print(watch.look())
"""


def test_a_grader_that_cannot_be_read_is_met_once_by_a_watch_and_then_again_as_soon_as_it_has_changed(exchange):
    exchange.hand_in("ann", RIGHT)
    grader = exchange.course.graders / "small" / "test_total.py"
    line = [sys.executable, "-c", LOOKS, str(grader)]
    done = run(line, cwd=exchange.folder, env=environment())
    assert done.returncode == 0, done.stderr
    first, *more = done.stdout.splitlines()
    assert "small is not graded: " in first, done.stderr
    assert (more, done.stderr.count("grading 1\n")) == (["[]", "[]"], 2), done.stderr
    assert exchange.points() == {"ann": 10.0}


def test_a_course_without_an_exchange_says_so_and_grades_what_is_there(exchange):
    config = exchange.folder / "nbgrader_config.py"
    config.write_text(config.read_text().replace(str(exchange.inbox), str(exchange.inbox / "elsewhere")))
    submit(exchange.course, "Smith, J\u00fcrgen")
    (exchange.course.submitted / "<b>eve" / "small").mkdir(parents=True)
    done = exchange.run("watch", "small", "--once")
    inbox = exchange.inbox / "elsewhere" / "small" / "inbound"
    assert f"there is no exchange at {inbox}: only {exchange.course.submitted} is looked at\n" in done.stderr
    assert "Problem: submitted/'<b>eve'/small is passed over: " in done.stderr
    assert exchange.marks() == {"Smith, J\u00fcrgen": 10.0}
    assert (exchange.course.feedback / "Smith, J\u00fcrgen" / "small" / "small.html").is_file()


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
