"""An installation or a grader that cannot grade: every command says so, with the cause, and none takes it for a graded class."""

import re

import pytest
from click.testing import CliRunner
from warm_commands import torchgrade
from written_course import replace_words_for_the_author

from torchgrade.cli import main
from torchgrade.judge import judge

CONFIG = "from torchgrade.gradebook import configure\n\nc = get_config()\nconfigure(c)\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """One exercise, and one right answer handed in."""
    root = tmp_path_factory.mktemp("course")
    (root / "nbgrader_config.py").write_text(CONFIG)
    within(root, "new", "ps1", "row_means")
    replace_words_for_the_author(root / "assignments", "ps1")
    assert run(root, "release", "ps1", "--no-audit").returncode == 0
    answer = root / "submitted" / "alice" / "ps1" / "ps1.ipynb"
    answer.parent.mkdir(parents=True)
    within(root, "compose", "ps1", "--exercise", f"row_means={root}/solutions/ps1/row_means/reference.py", "-o", str(answer))
    return root


def within(root, *arguments):
    done = CliRunner().invoke(main, ["--course", str(root), *arguments])
    assert done.exit_code == 0, done.output


def run(root, *arguments):
    return torchgrade(root, *arguments, COLUMNS="160")


@pytest.fixture
def without_settings(tmp_path, monkeypatch):
    """As it was in a wheel without grading.ini."""
    monkeypatch.setattr(judge, "SETTINGS", tmp_path / "grading.ini")


@pytest.fixture
def broken_grader(course):
    grader = course / "graders" / "ps1" / "test_row_means.py"
    before = grader.read_text()
    grader.write_text(re.sub(r'(def test_values.*\n    """.*"""\n)', r'\1    {}["no such key"]\n', before))
    yield
    grader.write_text(before)


def test_a_file_graded_by_a_broken_install_is_a_problem_with_pytests_own_reason(course, without_settings):
    file = course / "submitted" / "alice" / "ps1" / "ps1.ipynb"
    done = CliRunner().invoke(main, ["--course", str(course), "grade", "ps1", "--notebook", str(file)])
    assert done.exit_code == 1
    assert "Problem: left ungraded: test_by_hand: ERROR: Config file" in done.stderr
    assert "grading.ini' not found" in done.stdout


def test_the_doctor_grades_something_small_and_tells_a_broken_install(without_settings):
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 1
    assert "MISSING  grading: does not work" in done.output
    assert "grading.ini' not found" in done.output


def test_the_doctor_of_a_whole_install_gives_a_right_answer_its_points():
    done = CliRunner().invoke(main, ["doctor"])
    assert "ok       grading: a right answer gets 100% of the points, an untouched stub 0%" in done.output
    assert done.exit_code == 0, done.output


def test_a_class_left_ungraded_by_a_broken_grader_ends_with_the_cause_and_status_1(course, broken_grader):
    done = run(course, "grade", "ps1", "--quiet")
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "left ungraded" in line]
    assert line.startswith("Problem: left ungraded: alice. ")
    assert re.search(r"test_values: test_row_means.py, line \d+: KeyError: 'no such key'", line)
    assert "torchgrade grade ps1 --only ungraded" in line


def test_an_audit_by_a_broken_grader_says_ungraded_once_and_speaks_of_no_verdict(course, broken_grader):
    done = run(course, "audit", "ps1", "--repeat", "1", "--only", "e", "--no-mutants")
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("PROBLEM")]
    assert re.search(
        r"and \d+ more could not be decided by test_values, .*: test_row_means.py, line \d+: KeyError: 'no such key'", line
    )
