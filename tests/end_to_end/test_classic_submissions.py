"""What students of a classic course hand in beside, instead of, or without what they were asked for."""

import datetime as dt
import os
import shutil

import nbformat
import pytest
from classic_course import RIGHT, WRONG, cell, grade, hand_in, make, scores
from nbformat.v4 import new_code_cell
from quickstart import run, table

from torchgrade.classic.basis import to_grade
from torchgrade.course import find_course
from torchgrade.runs import Regrade

pytestmark = pytest.mark.classic


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    root = tmp_path_factory.mktemp("released") / "course"
    make(root)
    return root


@pytest.fixture
def course(released, tmp_path):
    """The released course, nothing handed in."""
    shutil.copytree(released, tmp_path / "course")
    return tmp_path / "course"


def problems(said):
    return [line for line in said.splitlines() if line.startswith("Problem")]


# --- more than was asked for -------------------------------------------------------------------------------------------


def test_notebooks_that_are_not_of_the_assignment_are_left_out_and_nothing_is_graded_twice(course):
    folder = hand_in(course, "ann")
    for name in ("Untitled.ipynb", "ps-Copy1.ipynb"):
        shutil.copy(folder / "ps.ipynb", folder / name)
    assert "ps: 1 graded in" in grade(course)[1]
    assert [path.name for path in (course / "autograded" / "ann" / "ps").iterdir()] == ["ps.ipynb"]
    found = find_course(course)
    assert to_grade(found, found.handed_in("ps"), dt.datetime.now(dt.UTC)) == []
    assert "ps: 0 graded in" in grade(course)[1]


def test_what_jupyterlab_leaves_beside_a_notebook_regrades_nobody(course):
    hand_in(course, "ann")
    assert "ps: 1 graded in" in grade(course)[1]
    for name in (
        "source/ps/.ipynb_checkpoints/ps-checkpoint.ipynb",
        "source/ps/__pycache__/tools.pyc",
        "submitted/ann/ps/.ipynb_checkpoints/ps-checkpoint.ipynb",
    ):
        (course / name).parent.mkdir(exist_ok=True)
        (course / name).write_text("{}")
    assert "ps: 0 graded in" in grade(course)[1]
    (course / "source" / "ps" / "tools.py").write_text("x = 1\n")
    assert "ps: 1 graded in" in grade(course)[1]


def test_a_regrade_that_was_stopped_goes_on_with_those_that_it_has_not_run(course):
    for student in ("ann", "bob"):
        hand_in(course, student)
    assert "ps: 2 graded in" in grade(course)[1]
    Regrade(find_course(course), "ps", ["ann", "bob"])  # begun, and stopped when it had done one of them
    assert "ps: 1 graded in" in grade(course, "--student", "ann", "--regrade")[1]

    said = grade(course, "--regrade")[1]
    assert "ps: 1 graded in" in said
    assert " bob: 3 of 6" in said
    assert "ps: 2 graded in" in grade(course, "--regrade")[1]


def without(*names):
    """The cells that are left when these are deleted."""
    return lambda cells: [each for each in cells if each.metadata["nbgrader"]["grade_id"] not in names]


def own(cells, place, name="double"):
    """With an answer in a cell of the student's own."""
    return [*cells[:place], new_code_cell(RIGHT[name]), *cells[place:]]


def copied(cells):
    """With a test that was copied, and one of another assignment."""
    other = cell("double-test")
    other.metadata["nbgrader"]["grade_id"], other.id = "from-elsewhere", "elsewhere"
    return [*cells, nbformat.from_dict({**cells[3], "id": "copied"}), other]


CLASS = {
    "keeps": lambda cells: cells,
    "test": without("double-test"),  # the cell before it is given
    "both": lambda cells: own(without("double", "double-test")(cells), 1),
    "given": lambda cells: [*own(without("double", "samples", "double-test", "total-test")(cells), 1), new_code_cell("")],
    "all": lambda cells: own(own(without("double", "double-test", "total", "total-test", "essay")(cells), 2), 2, "total"),
    "copies": copied,
}


@pytest.mark.parametrize("command", ["torchgrade", "nbgrader"])
def test_tests_that_were_deleted_or_copied_count_as_if_they_had_been_left_alone(course, command):
    for student, change in CLASS.items():
        hand_in(course, student, change)
    hand_in(course, "wrong", without("double-test"), double=WRONG)
    # Without the given cell "samples", which is not put back, a test that needs it fails.
    expected = dict.fromkeys(CLASS, (2.0, 1.0)) | {"given": (0.0, 0.0), "wrong": (0.0, 1.0)}
    status, said = grade(course) if command == "torchgrade" else run(course, "nbgrader", "autograde", "ps")
    assert (status, scores(course)) == (0, expected), said
    copy = nbformat.read(course / "autograded" / "both" / "ps" / "ps.ipynb", as_version=4)
    assert "It was added back by nbgrader" in copy.cells[3].source
    nbformat.validate(copy)


# --- what cannot be graded ---------------------------------------------------------------------------------------------


def test_each_submission_that_cannot_be_graded_says_what_is_wrong_and_which_marks_are_still_there(course):
    for student in ("again", "clock", "fine"):
        hand_in(course, student)
    assert grade(course)[0] == 0
    for student in ("again", "first"):
        (hand_in(course, student) / "ps.ipynb").write_text("{")
    (hand_in(course, "clock") / "timestamp.txt").write_text("yesterday-ish")
    hand_in(course, "renamed", name="solution.ipynb")
    status, said = grade(course)
    still = "the gradebook still holds the marks of an earlier one: ask for the file again, or change the marks in Formgrader"
    again, clock, first, renamed = problems(said)
    assert status == 1
    assert again.startswith("Problem: again: not graded: ps.ipynb is not a notebook: ")
    assert again.endswith(f"; {still}")
    assert clock == (
        "Problem: clock: not graded: timestamp.txt does not hold a time: write one, such as 2026-01-31 23:59:59 UTC, "
        f"or delete the file; {still}"
    )
    assert first.startswith("Problem: first: not graded: ps.ipynb is not a notebook: ")
    assert still not in first
    assert renamed == (
        "Problem: renamed: not graded: expected ps.ipynb, found solution.ipynb: a notebook may have been given another name"
    )
    assert {path.parent.name for path in course.glob("autograded/*/ps")} == {"fine"}
    told = run(course, "torchgrade", "history", "ps", "--student", "first")[1].splitlines()
    assert "  not graded  first graded (submitted " in told[0]
    assert told[1].startswith("    not graded: ps.ipynb is not a notebook: ")


def test_a_file_that_cannot_be_read_costs_its_own_student_alone(course):
    for student in ("ann", "bob"):
        hand_in(course, student)
    path = course / "submitted" / "ann" / "ps" / "notes.txt"
    path.write_text("mine")
    before = ()
    if os.geteuid() == 0:  # who may read everything, but for the files of users that a namespace does not know
        os.chown(path, 12345, 12345)
        path.chmod(0o600)
        before = ("unshare", "--user", "--map-root-user")
    else:
        path.chmod(0)
    status, said = grade(course, before=before)
    assert status == 1
    (problem,) = problems(said)
    assert problem.startswith("Problem: ann: not graded: ")
    assert "Permission denied" in problem
    assert scores(course)["bob"] == (2.0, 1.0)


def test_a_source_with_conflicts_in_it_is_one_line(course):
    hand_in(course, "ann")
    path = course / "source" / "ps" / "ps.ipynb"
    path.write_text("<<<<<<< HEAD\n" + path.read_text())
    for command in (("grade", "ps"), ("report", "ps")):
        status, said = run(course, "torchgrade", *command)
        assert status == 1
        assert said == f"Error: {path} is not a notebook: repair it, for example after a merge that left conflicts\n"


def test_results_that_cannot_be_written_are_said_before_anything_is_graded(course):
    hand_in(course, "ann")
    shutil.rmtree(course / "results")
    (course / "results").write_text("a file")
    status, said = grade(course)
    assert (status, table(course)) == (1, [])
    assert said == f"Error: cannot write to {course / 'results'}: File exists. Nothing was graded.\n"
