"""Submissions of a classic course that arrive in the exchange are graded as they come; what is kept of each grading."""

import datetime as dt
import json
import os
import signal
import time

import pytest
from exchange import Exchange
from mixed_course import GRADERS, RIGHT, answer, make_mixed
from processes import descendants, judges, wait_for

from torchgrade.classic.gradings import Gradings

pytestmark = pytest.mark.classic

WRONG = "def mean(values):\n    return 0\n"


class Mixed(Exchange):
    """The mixed course, with its exchange."""

    def __init__(self, root):
        super().__init__(root, "mixed", "ps")
        make_mixed(self.folder, self.setting, "c.Watch.gradings_per_hour = 2", "c.Watch.every_seconds = 0.2")
        self.release()

    def hand_in(self, student, **answers):
        answer(self.fetched(student), **answers)
        self.as_student(student, "Submit")

    def watch(self):
        """One look; its exit status and what it said."""
        done = self.run("watch", "ps", "--once", "--workers", "2")
        return done.returncode, done.stderr


@pytest.fixture
def exchange(tmp_path):
    return Mixed(tmp_path)


def test_what_is_handed_in_is_graded_and_the_student_can_fetch_the_feedback(exchange):
    exchange.hand_in("ann", mean=WRONG)
    exchange.hand_in("bob")
    status, said = exchange.watch()
    assert (status, "Problem" in said, exchange.marks()) == (0, False, {"ann": 5.0, "bob": 9.0}), said
    assert "grading" not in exchange.watch()[1]
    time.sleep(1.1)  # nbgrader's times have whole seconds
    exchange.hand_in("ann")
    status, said = exchange.watch()
    assert (status, "grading 1\n" in said, exchange.marks()) == (0, True, {"ann": 9.0, "bob": 9.0}), said
    exchange.as_student("ann", "FetchFeedback")
    pages = (exchange.home / "ann" / "ps" / "feedback").rglob("*.html")
    assert sorted(page.name for page in pages) == ["more.html", "more.html", "ps.html", "ps.html"]
    time.sleep(1.1)
    exchange.hand_in("ann", mean=WRONG)
    status, said = exchange.watch()
    assert "ann/ps waits until" in said
    assert exchange.marks() == {"ann": 9.0, "bob": 9.0}


def test_what_cannot_be_graded_is_said_once_and_not_tried_again(exchange):
    exchange.hand_in("bob")
    (exchange.fetched("bob") / "more.ipynb").write_text("{")
    time.sleep(1.1)
    exchange.as_student("bob", "Submit")
    status, said = exchange.watch()
    assert (status, said.count("Problem: bob: not graded: more.ipynb is not a notebook")) == (0, 1), said
    assert "Problem" not in exchange.watch()[1]
    time.sleep(1.1)
    (exchange.fetched("bob") / "more.ipynb").unlink()
    exchange.as_student("bob", "Submit")
    assert "Problem" not in exchange.watch()[1]
    assert exchange.marks() == {"bob": 7.0}


def test_a_changed_grader_is_noticed_and_history_tells_what_had_changed(exchange):
    exchange.hand_in("bob")
    assert exchange.watch()[0] == 0
    path = exchange.folder / "graders" / "ps" / "test_double.py"
    path.write_text(GRADERS.replace("2 * x.double()", "3 * x.double()"))
    status, said = exchange.watch()
    assert (status, exchange.marks()) == (0, {"bob": 6.0}), said
    told = exchange.run("history", "ps", "--student", "bob").stdout.splitlines()
    assert "9 / 12  first graded (submitted " in told[0]
    assert "6 / 12  changed: record " in told[1]
    assert told[2] == "Its exercises with checks:"
    assert "changed: graders " in told[4]
    assert "Every element is doubled: passed (3 / 3) → failed (0 / 3)" in told[5]
    found = json.loads(exchange.run("history", "ps", "--student", "bob", "--json").stdout)
    assert [each["points"] for each in found["gradings"]] == [9.0, 6.0]
    assert [each["points"] for each in found["records"]] == [4.0, 1.0]


def test_a_history_of_what_was_never_graded_is_refused_in_one_line(exchange):
    (exchange.folder / "submitted" / "eve" / "ps").mkdir(parents=True)
    done = exchange.run("history", "ps", "--student", "eve")
    assert done.returncode == 1
    assert done.stderr == "Error: eve's submission of ps was never graded: run torchgrade grade ps\n"


def test_what_a_lost_worker_cost_is_tried_again_a_while_later(exchange):
    exchange.hand_in("bob", mean=f"import time\ntime.sleep(3)\n{RIGHT['mean']}")
    watch = exchange.started("watch", "ps", "--once", "--workers", "1")
    wait_for((exchange.course.autograded / "bob" / "ps" / "ps.ipynb").is_file)
    wait_for(lambda: any(list(descendants(worker)) for worker in judges(watch.pid)))  # its jail: it has begun
    for worker in judges(watch.pid):
        os.kill(worker, signal.SIGKILL)
    said = watch.communicate(timeout=60)[1]
    assert "Problem: bob: not graded: " in said
    (failed,) = Gradings(exchange.course.results).of("bob", "ps")
    assert failed.ours
    assert "grading" not in exchange.watch()[1]
    path = exchange.course.results / "bob" / "ps.gradings.jsonl"
    earlier = (dt.datetime.fromisoformat(failed.graded_at) - dt.timedelta(minutes=2)).isoformat()
    path.write_text(path.read_text().replace(failed.graded_at, earlier))
    status, said = exchange.watch()
    assert (status, "grading 1\n" in said, "Problem" in said, exchange.marks()) == (0, True, False, {"bob": 9.0}), said
    assert exchange.released() == 2


def test_a_watch_that_shall_end_hands_back_what_it_graded_and_says_nothing_of_the_rest(exchange):
    for number in range(5):
        exchange.hand_in(f"student{number}", mean=f"import time\ntime.sleep(1)\n{RIGHT['mean']}# {number}\n")
    watch = exchange.started("watch", "ps", "--workers", "1")
    wait_for(lambda: list(exchange.course.results.glob("*/ps.gradings.jsonl")))
    watch.send_signal(signal.SIGINT)
    said = watch.communicate(timeout=60)[1]
    graded = {path.parent.name for path in exchange.course.results.glob("*/ps.gradings.jsonl")}
    assert 1 <= len(graded) < 5
    assert (watch.returncode, "Problem" in said) == (0, False), said
    assert {path.parents[1].name for path in exchange.course.feedback.glob("*/ps/ps.html")} == graded
    assert exchange.watch()[0] == 0
    assert exchange.released() == 10


def test_a_watch_that_is_killed_goes_on_where_it_was(exchange):
    for number in range(3):
        exchange.hand_in(f"student{number}", mean=f"import time\ntime.sleep(1)\n{RIGHT['mean']}# {number}\n")
    watch = exchange.started("watch", "ps", "--workers", "1")
    wait_for(lambda: list(exchange.course.results.glob("*/ps.gradings.jsonl")))
    watch.kill()
    watch.communicate()
    assert exchange.released() == 0
    status, said = exchange.watch()
    assert (status, "Problem" in said, exchange.released()) == (0, False, 6), said
    assert exchange.marks() == {f"student{number}": 9.0 for number in range(3)}


def test_an_exercise_that_cannot_be_graded_is_said_and_does_not_end_the_watch(exchange):
    exchange.hand_in("bob")
    graders = exchange.folder / "graders" / "ps"
    graders.rename(graders.with_name("away"))
    watch = exchange.started("watch", "ps", "--workers", "2")
    assert "the exercise 'double' of ps has no checks" in watch.stderr.readline()
    graders.with_name("away").rename(graders)
    wait_for(lambda: exchange.released() == 2)
    watch.send_signal(signal.SIGINT)
    assert "Problem" not in watch.communicate(timeout=60)[1]
    assert exchange.marks() == {"bob": 9.0}
