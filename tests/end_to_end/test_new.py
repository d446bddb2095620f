"""Skeletons behind exercises that are there already: they are released, and give marks; that of a class passes its audit.

The authors' page looks at the audit of a function's.
"""

import sys

import pytest
import warm_commands
from small_course import make_course
from warm_commands import torchgrade
from written_course import replace_words_for_the_author

from torchgrade.judge.judge import Judge
from torchgrade.notebook import compose, load_assignment, write_notebook


def run(course, *arguments):
    done = torchgrade(course.root, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def judge(course):
    with Judge(course) as judge:
        yield judge


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("course"))
    run(course, "new", "small", "centred")
    run(course, "new", "small", "Centre", "--kind", "class")
    replace_words_for_the_author(course.assignments, "small")
    return course


def test_it_is_released_with_the_others(course):
    said = run(course, "release", "small", "--no-audit")
    assert "public_centred.py" in said
    assert "public_Centre.py" in said
    assert len(load_assignment(course.assignments, "small").exercises) == 4


def test_the_audit_of_a_class_has_no_problems_and_makes_thoughtless_answers_of_its_forward(course):
    said = run(course, "audit", "small", "--exercise", "Centre", "--repeat", "1")
    assert "No problems." in said
    assert "degenerate  detached                           ····✗·" in said


def test_a_students_check_runs_a_class_as_the_judge_does(course):
    reference = (course.solutions / "small/Centre/reference.py").read_text(encoding="utf-8")
    program = f"{reference}\n\nfrom torchgrade import check\n\ncheck('Centre')\n"
    folder = course.assignments / "small"
    done = warm_commands.run([sys.executable, "-c", program], cwd=folder)
    assert "Centre: 1 / 1 points\n✓" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "file", "points"),
    [
        ("centred", None, 0),
        ("centred", "reference.py", 8),
        ("centred", "wheats/row_sums.py", 8),
        ("Centre", None, 0),
        ("Centre", "reference.py", 8),
    ],
)
def test_its_stub_earns_nothing_and_right_answers_full_marks(course, judge, tmp_path, name, file, points):
    bank = course.solutions / "small" / name
    answers = {} if file is None else {name: (bank / file).read_text(encoding="utf-8")}
    path = tmp_path / "small.ipynb"
    write_notebook(compose(load_assignment(course.assignments, "small"), answers), path)
    (exercise,) = judge.grade("small", "ann", path, exercise=name).exercises
    assert (exercise.points, exercise.max_points) == (points, 8)
