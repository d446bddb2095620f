"""Which tests in a notebook's own cells could become checks."""

import nbformat
import pytest
from click.testing import CliRunner
from nbformat.v4 import new_code_cell, new_notebook

from torchgrade.authoring import find_tests
from torchgrade.cli import main
from torchgrade.course import find_course

SOLUTION = "### BEGIN SOLUTION\ndef squares(n):\n    return [i * i for i in range(n)]\ntable: list = squares(3)\n### END SOLUTION"


def cell(source, grade_id, **flags):
    facts = {"grade": False, "solution": False, "locked": True, "task": False, "schema_version": 3, "grade_id": grade_id}
    return new_code_cell(source, metadata={"nbgrader": {**facts, **flags}})


@pytest.fixture
def course(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text("from torchgrade.classic import configure\nc = get_config()\nconfigure(c)\n")
    return find_course(tmp_path)


def examined(course, source):
    cells = [cell(SOLUTION, "squares", solution=True, locked=False), cell(source, "correct", grade=True, points=2)]
    folder = course.root / "source" / "ps1"
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells), folder / "problem.ipynb")
    (found,) = find_tests(course, "ps1")
    return found


def test_a_test_of_a_function_could_become_a_check(course):
    found = examined(course, "%time assert squares(2) == [0, 1]\nimport math")
    assert (found.notebook, found.name, found.points, found.tests, found.obstacle) == ("problem", "correct", 2, ("squares",), "")


def test_a_variable_of_the_tests_own_is_none_of_the_solutions(course):
    assert examined(course, "table = squares(3)\nassert table == [0, 1, 4]").obstacle == ""


@pytest.mark.parametrize(
    ("source", "obstacle"),
    [
        ("assert table == [0, 1, 4]", "it looks at the variable table"),
        ("assert 1 + 1 == 2", "it uses nothing that a solution cell defines"),
        ("x = squares", "it asserts nothing"),
        ("assert squares(", "it is not Python"),
    ],
)
def test_what_stands_in_the_way_is_said(course, source, obstacle):
    assert examined(course, source).obstacle.startswith(obstacle)


def test_the_command_says_it_in_lines(course):
    examined(course, "assert squares(2)")
    done = CliRunner().invoke(main, ["--course", str(course.root), "doctor", "ps1"])
    lines = done.output.splitlines()
    assert lines[0] == "problem: correct (2 points): could become a check of squares"
    assert lines[1].startswith("1 of 1 could become checks")
    assert "torchgrade new" in lines[1]


def test_a_notebook_of_torchgrades_checks_has_none(course):
    folder = course.root / "source" / "ps2"
    folder.mkdir(parents=True)
    notebook = new_notebook(
        cells=[cell(SOLUTION, "squares", solution=True), cell("check('squares')", "squares-check", grade=True)]
    )
    nbformat.write(notebook, folder / "ps2.ipynb")
    assert find_tests(course, "ps2") == []
    done = CliRunner().invoke(main, ["--course", str(course.root), "doctor", "ps2"])
    assert done.output == "No tests stand in the cells of ps2.\n"


def test_what_does_not_go_together_or_is_not_there_is_refused_in_a_line(course):
    examined(course, "assert squares(2)")
    for arguments, line in ((("ps9",), "there is no assignment 'ps9'"), (("ps1", "--attack"), "--attack does not go with")):
        done = CliRunner().invoke(main, ["--course", str(course.root), "doctor", *arguments])
        assert done.exit_code != 0
        assert line in done.output.splitlines()[-1]
