"""Courses that ``torchgrade init`` made, used as its last lines say: a new one, and the one of ``nbgrader quickstart``."""

import re
import shutil
import subprocess

import pytest
from markdown_page import type_in
from quickstart import EXAMPLES, run, table
from warm_commands import torchgrade

from torchgrade.record import Results

FOLDER = "Kurs \N{LATIN SMALL LETTER U WITH DIAERESIS} 2"


def said_next(folder):
    """What a new course's last lines say: the folder to go to, and the commands there, as they stand."""
    status, said = type_in(f"torchgrade init '{FOLDER}'", folder)
    assert status == 0, said
    enter, *commands = commands_in(said)
    return enter, commands


def commands_in(said):
    """The commands below "Next:"."""
    return re.findall(r"^  (.+)$", said.partition("Next:\n")[2], re.MULTILINE)


def assert_full_marks(root):
    record = Results(root / "results").read("ann", "first_steps")
    assert (record.points, record.max_points, record.status.value) == (8, 8, "final")
    assert {row[:4] for row in table(root)} == {("ann", "first_steps", "centred-check", 8.0)}


def test_a_new_course_releases_grades_and_gives_feedback_whatever_its_path(tmp_path):
    done = torchgrade(tmp_path, "init", FOLDER)
    assert done.returncode == 0, done.stderr
    root = tmp_path / FOLDER
    release, hand_in, grade = commands_in(done.stdout)[1:]
    for command in (f"{release} --no-audit", hand_in, grade, "torchgrade feedback first_steps"):
        program, *arguments = command.split()
        if program == "torchgrade":
            done = torchgrade(root, *arguments)
        else:
            done = subprocess.run(command, shell=True, cwd=root, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert_full_marks(root)
    assert (tmp_path / FOLDER / "feedback/ann/first_steps/first_steps.html").is_file()


@pytest.mark.authoring
def test_the_three_commands_work_as_they_are_said_the_audit_among_them(tmp_path):
    enter, commands = said_next(tmp_path)
    assert len(commands) == 3
    outputs = []
    for command in commands:
        status, said = type_in(f"{enter} && {command}", tmp_path)
        assert status == 0, said
        outputs.append(said)
    assert "audited: no problems" in outputs[0]
    assert_full_marks(tmp_path / FOLDER)


def test_nbgraders_own_course_is_graded_once_it_has_the_two_lines(tmp_path):
    root = tmp_path / FOLDER
    status, said = run(tmp_path, "nbgrader", "quickstart", FOLDER)
    assert status == 0, said
    shutil.copytree(EXAMPLES / "hacker", root / "submitted" / "hacker")
    status, said = run(root, "torchgrade", "grade", "ps1")
    assert (status, "torchgrade init writes them" in said) == (1, True), said
    for arguments in (("init", "--yes"), ("release", "ps1"), ("grade", "ps1")):
        status, said = run(root, "torchgrade", *arguments)
        assert status == 0, said
    assert {row[0] for row in table(root)} == {"hacker"}
