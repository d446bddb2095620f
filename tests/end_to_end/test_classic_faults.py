"""What goes wrong around a classic course's gradebook costs nothing: afterwards the marks are those of an undisturbed run."""

import contextlib
import datetime as dt
import os
import re
import shutil
import signal
import sqlite3
import subprocess

import pytest
import warm_commands
from classic_course import SLOW, WRONG, grade, hand_in, has_run, make, release, scores
from processes import judges, parts, wait_for, wait_until_gone
from quickstart import COMMENTS, GRADES, run, table
from warm_commands import TOOLS, environment

from torchgrade.classic.basis import to_grade
from torchgrade.course import find_course

pytestmark = pytest.mark.classic

CLASS = {"ann": {"double": SLOW}, "bob": {"double": SLOW + WRONG}, "eve": {"double": SLOW, "essay": ""}}
SCORES = {"ann": (2.0, 1.0), "bob": (0.0, 1.0), "eve": (2.0, 1.0)}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The course, with a class handed in and nothing graded."""
    root = tmp_path_factory.mktemp("released") / "course"
    make(root)
    for student, answers in CLASS.items():
        hand_in(root, student, **answers)
    return root


@pytest.fixture(scope="module")
def graded(released, tmp_path_factory):
    """The same, graded by a run that nothing disturbed."""
    root = tmp_path_factory.mktemp("graded") / "course"
    shutil.copytree(released, root)
    status, said = grade(root)
    assert (status, scores(root)) == (0, SCORES), said
    return root


def copy_of(course, tmp_path):
    shutil.copytree(course, tmp_path / "course")
    return tmp_path / "course"


def found_to_grade(root):
    """The students whom ``torchgrade watch`` would grade now."""
    course = find_course(root)
    return [each.student for each in to_grade(course, course.handed_in("ps"), dt.datetime.now(dt.UTC))]


def assert_undisturbed(root, graded):
    """The next run enters all that is missing; then there is nothing left to do."""
    status, said = grade(root)
    assert status == 0, said
    assert table(root, GRADES) == table(graded, GRADES)
    assert table(root, COMMENTS) == table(graded, COMMENTS)
    assert all(has_run(root, student) for student in CLASS)
    assert found_to_grade(root) == []
    status, said = grade(root)
    assert (status, "ps: 0 graded in" in said) == (0, True), said


def started(root):
    """A run with one worker, and with two submissions in flight."""
    line = [TOOLS / "torchgrade", "grade", "ps", "--workers", "1"]
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    run_ = warm_commands.started(line, cwd=root, env=environment(), start_new_session=True, stdout=null, stderr=pipe)
    wait_for(lambda: submissions(root) == 2)
    return run_


def submissions(root):
    with contextlib.closing(sqlite3.connect(root / "gradebook.db", timeout=60)) as book:
        return book.execute("SELECT count(*) FROM submitted_assignment").fetchone()[0]


# --- a gradebook that is another one -----------------------------------------------------------------------------------


def test_marks_come_back_after_the_gradebook_was_deleted(graded, tmp_path):
    root = copy_of(graded, tmp_path)
    (root / "gradebook.db").unlink()
    status, said = grade(root)
    assert status == 1
    (problem,) = [line for line in said.splitlines() if line.startswith("Problem")]
    assert problem == "Problem: the gradebook does not know the assignment 'ps': run nbgrader generate_assignment ps first"
    assert "Traceback" not in said
    release(root)
    assert found_to_grade(root) == sorted(CLASS)
    assert_undisturbed(root, graded)


def test_marks_come_back_after_a_gradebook_of_before_took_its_place(released, graded, tmp_path):
    root = copy_of(graded, tmp_path)
    shutil.copy(released / "gradebook.db", root / "gradebook.db")
    assert found_to_grade(root) == sorted(CLASS)
    assert_undisturbed(root, graded)
    shutil.copy(root / "gradebook.db", tmp_path / "before.db")
    hand_in(root, "bob", double=SLOW)
    assert grade(root)[0] == 0
    right = table(root)
    assert right != table(graded)
    shutil.copy(tmp_path / "before.db", root / "gradebook.db")
    assert found_to_grade(root) == ["bob"]
    status, said = grade(root)
    assert (status, "ps: 1 graded in" in said, table(root)) == (0, True, right), said


def test_the_class_page_shows_no_marks_that_the_gradebook_does_not_have(released, graded, tmp_path):
    root = copy_of(graded, tmp_path)
    shutil.copy(released / "gradebook.db", root / "gradebook.db")
    status, said = run(root, "torchgrade", "report", "ps")
    assert status == 0, said
    page = (root / "results" / "reports" / "ps.html").read_text()
    assert page.count("Handed in, and there is no record of it yet.") == len(CLASS)


# --- killed ------------------------------------------------------------------------------------------------------------


def test_a_run_that_is_killed_between_copy_and_marks_is_made_up_for(released, graded, tmp_path):
    root = copy_of(released, tmp_path)
    grading = started(root)
    # Whoever reads keeps SQLite from writing for good: the copy is written, and the marks wait.
    with contextlib.closing(sqlite3.connect(root / "gradebook.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM grade").fetchone()
        wait_for(lambda: any(has_run(root, student) for student in CLASS))
        grading.send_signal(signal.SIGKILL)
        said = grading.communicate(timeout=60)[1]
    wait_until_gone(grading.pid)
    assert (grading.returncode, "Problem" in said) == (-signal.SIGKILL, False), said
    assert any(has_run(root, student) for student in CLASS)
    assert {score for scored in scores(root).values() for score in scored} == {None}
    assert_undisturbed(root, graded)


def test_a_worker_that_is_killed_is_this_machines_failure_and_no_mark(released, tmp_path):
    root = copy_of(released, tmp_path)
    for student in ("bob", "eve"):
        shutil.rmtree(root / "submitted" / student)
    line = [TOOLS / "torchgrade", "grade", "ps", "--workers", "1"]
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    grading = warm_commands.started(line, cwd=root, env=environment(), stdout=null, stderr=pipe)
    wait_for(lambda: parts(grading.pid)["jail"])
    os.kill(judges(grading.pid)[0], signal.SIGKILL)
    said = grading.communicate(timeout=120)[1]
    assert grading.returncode == 1
    assert "Problem: ann: not graded: the process that ran its notebook ended unexpectedly" in said
    assert not (root / "autograded" / "ann" / "ps").exists()
    assert "ann ungraded 0 of 6, 6 points open double-test (and 2 more): not graded: the process" in report(root)
    # nbgrader's own command may do better, and the page shows what the gradebook has since.
    status, said = run(root, "nbgrader", "autograde", "ps")
    assert status == 0, said
    assert "ann by hand 3 of 6, 3 points open essay: It waits for a grade by hand." in report(root)


def report(root):
    """The class page's text."""
    status, said = run(root, "torchgrade", "report", "ps")
    assert status == 0, said
    page = (root / "results" / "reports" / "ps.html").read_text()
    return " ".join(re.sub(r"(?s)<(style|script).*?</\1>|<[^>]+>", " ", page).split())


# --- locked ------------------------------------------------------------------------------------------------------------


def test_a_gradebook_that_stays_locked_is_one_line_and_leaves_no_copy_without_marks(released, graded, tmp_path):
    root = copy_of(released, tmp_path)
    grading = started(root)
    with contextlib.closing(sqlite3.connect(root / "gradebook.db", isolation_level=None, timeout=60)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        said = grading.communicate(timeout=120)[1]
    assert grading.returncode == 1
    (problem,) = [line for line in said.splitlines() if line.startswith("Problem")]
    assert "is locked: another program is writing to it" in problem
    assert "Traceback" not in said
    assert list(root.glob("autograded/*/ps")) == []
    assert_undisturbed(root, graded)
