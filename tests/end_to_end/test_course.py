"""The course itself: releases are up to date, and a stub earns nothing. What solutions earn is looked at in ``test_audit.py``."""

import re
import shutil
from pathlib import Path

import pytest

from torchgrade.course import find_course
from torchgrade.gradebook import release
from torchgrade.judge.judge import Judge
from torchgrade.notebook import compose, load_assignment, write_notebook

REPOSITORY = Path(__file__).parents[2]
COURSE = find_course(REPOSITORY)
ASSIGNMENTS = sorted(path.name for path in COURSE.release.iterdir() if path.is_dir())


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_release_is_up_to_date(assignment, tmp_path):
    for name in ("assignments", "graders", "solutions"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    course = find_course(tmp_path)
    release(course, assignment)
    committed = COURSE.release / assignment
    made = course.release / assignment
    files = [path.relative_to(made) for path in made.rglob("*") if path.is_file()]
    assert sorted(files) == sorted(path.relative_to(committed) for path in committed.rglob("*") if path.is_file())
    for file in files:
        assert (made / file).read_bytes() == (committed / file).read_bytes(), f"run: torchgrade release {assignment}"


@pytest.fixture(scope="module")
def judge():
    with Judge(COURSE) as judge:
        yield judge


def test_a_stub_earns_nothing(judge, tmp_path):
    for assignment in ASSIGNMENTS:
        write_notebook(compose(load_assignment(REPOSITORY / "assignments", assignment), {}), tmp_path / "stub.ipynb")
        assert judge.grade(assignment, "someone", tmp_path / "stub.ipynb").points == 0


def rows_of_the_course_page():
    lines = (REPOSITORY / "docs/course.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| \d", line)]
    return {row[1].strip("`"): (re.findall(r"`(\w+)`", row[3]), float(row[4]), float(row[5])) for row in rows}


def test_the_readme_gives_the_points_and_hours_of_the_course_page():
    lines = (REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| `\w+` \|", line)]
    shown = {name.strip("`"): (float(hours), float(points)) for name, _, points, hours in rows}
    assert shown == {name: (hours, points) for name, (_, hours, points) in rows_of_the_course_page().items()}


def test_the_course_page_has_every_assignment_with_its_exercises_hours_and_points():
    rows = rows_of_the_course_page()
    assert sorted(rows) == ASSIGNMENTS
    for name, (exercises, hours, points) in rows.items():
        source = load_assignment(REPOSITORY / "assignments", name)
        assert exercises == [exercise.name for exercise in source.exercises]
        # What a person grades counts, too.
        assert points == sum(cell.metadata.get("nbgrader", {}).get("points", 0) for cell in source.notebook.cells)
        text = (REPOSITORY / "assignments" / name / f"{name}.ipynb").read_text(encoding="utf-8")
        minutes = sum(int(number) for number in re.findall(r'"###? [^"]*· (\d+) minutes', text))
        assert minutes > 0
        assert abs(hours - minutes / 60) <= 0.25, f"{name}: {minutes} minutes"
