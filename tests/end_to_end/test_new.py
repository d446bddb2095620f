"""A skeleton behind exercises that are there already: it is released, and gives marks. The authors' page looks at its audit."""

import subprocess
import sys
from pathlib import Path

import pytest
from small_course import make_course
from written_course import replace_words_for_the_author

from torchgrade.grading.judge import Judge
from torchgrade.notebook import compose, load_assignment, write_notebook

TOOL = Path(sys.executable).parent / "torchgrade"


def run(course, *arguments):
    line = [str(TOOL), *arguments]
    done = subprocess.run(line, cwd=course.root, capture_output=True, text=True, timeout=300, check=False)
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
    replace_words_for_the_author(course.assignments, "small")
    return course


def test_it_is_released_with_the_others(course):
    assert "public_centred.py" in run(course, "release", "small", "--no-audit")
    assert len(load_assignment(course.assignments, "small").exercises) == 3


@pytest.mark.parametrize(("file", "points"), [(None, 0), ("reference.py", 8), ("wheats/row_sums.py", 8)])
def test_its_stub_earns_nothing_and_right_answers_full_marks(course, judge, tmp_path, file, points):
    bank = course.solutions / "small/centred"
    answers = {} if file is None else {"centred": (bank / file).read_text(encoding="utf-8")}
    path = tmp_path / "small.ipynb"
    write_notebook(compose(load_assignment(course.assignments, "small"), answers), path)
    (exercise,) = judge.grade("small", "ann", path, exercise="centred").exercises
    assert (exercise.points, exercise.max_points) == (points, 8)
