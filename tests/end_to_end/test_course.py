"""The course itself: releases are up to date, and solutions get what their files say."""

import shutil
from pathlib import Path

import pytest

from torchgrade.course import find_course
from torchgrade.gradebook import release
from torchgrade.grading.bank import expected_points, read_bank
from torchgrade.grading.judge import Judge
from torchgrade.grading.plan import read_plan
from torchgrade.notebook import compose, load_assignment, write_notebook

REPOSITORY = Path(__file__).parents[2]
COURSE = find_course(REPOSITORY)
ASSIGNMENTS = sorted(path.name for path in COURSE.release.iterdir() if path.is_dir())
EXERCISES = [(a, e.name) for a in ASSIGNMENTS for e in load_assignment(REPOSITORY, a).exercises]


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_release_is_up_to_date(assignment, tmp_path):
    for name in ("assignments", "graders", "solutions"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    course = find_course(tmp_path)
    release(course, assignment)
    committed = COURSE.release / assignment
    made = course.release / assignment
    assert sorted(p.name for p in made.iterdir()) == sorted(p.name for p in committed.iterdir())
    for path in made.iterdir():
        assert path.read_bytes() == (committed / path.name).read_bytes(), f"run: torchgrade release {assignment}"


@pytest.fixture(scope="module")
def judge():
    with Judge(COURSE) as judge:
        yield judge


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES, ids=lambda value: value)
def test_every_solution_of_the_bank_gets_the_marks_that_its_file_says(assignment, exercise, judge, tmp_path):
    plan = read_plan(COURSE, assignment)
    source = load_assignment(REPOSITORY, assignment)
    # The whole bank is the audit's matter; here a correct one of each kind and every sixth wrong one keep the tests short.
    bank = read_bank(COURSE, assignment, exercise)
    chosen = [s for s in bank if s.is_correct][::4] + [s for s in bank if not s.is_correct][::6]
    wrong = []
    for solution in chosen:
        path = tmp_path / "submission.ipynb"
        write_notebook(compose(source, {exercise: solution.text}), path)
        record = judge.grade(assignment, "someone", path)
        graded = next(e for e in record.exercises if e.name == exercise)
        failed = {check.name for check in graded.checks if check.outcome == "failed"}
        if failed != solution.fails or graded.points != expected_points(plan, exercise, solution):
            wrong.append((solution.path.name, sorted(failed ^ solution.fails), record.seed))
    assert wrong == []


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES, ids=lambda value: value)
def test_every_check_is_named_by_a_wrong_solution(assignment, exercise):
    named = {name for solution in read_bank(COURSE, assignment, exercise) for name in solution.fails}
    assert {check.name for check in read_plan(COURSE, assignment).of(exercise)} == named


def test_a_stub_earns_nothing(judge, tmp_path):
    for assignment in ASSIGNMENTS:
        write_notebook(compose(load_assignment(REPOSITORY, assignment), {}), tmp_path / "stub.ipynb")
        assert judge.grade(assignment, "someone", tmp_path / "stub.ipynb").points == 0
