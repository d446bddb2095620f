"""A course of nbgrader's own making: graded by plain nbgrader, by nbgrader with torchgrade's line, and by torchgrade."""

import shutil

import pytest
from click.testing import CliRunner
from quickstart import COMMENTS, GRADES, hand_in, make_classic, make_plain, outputs, run, table

from torchgrade.cli import main

pytestmark = pytest.mark.classic

RIGHT = """
def squares(n):
    if n < 1:
        raise ValueError("n must be at least 1")
    return [i ** 2 for i in range(1, n + 1)]
"""
# Right, but for a mark in the course's folder: nothing stops it under plain nbgrader.
LEAVES_A_MARK = RIGHT + "open({path!r}, 'w').write('I was here')"
SHORT = ("c.Limits.submission_seconds = 15.0", "c.Execute.timeout = 3", "c.Limits.output_kb = 64", "c.Limits.processes = 32")
HOSTILE = {
    "exits": "import os; os._exit(0)",
    "floods": "while True: print('x' * 1000)",
    "forks": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
    "hangs": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
    "links": RIGHT + "import os; os.symlink('/etc/passwd', 'jupyter.txt'); print(os.listdir('..'))",
    "looks": RIGHT + "import os\nfound = [os.path.exists(p) for p in {places!r}]\nprint('found', sum(found))",
    "connects": RIGHT + "import socket\nsocket.create_connection(('127.0.0.1', 80), 1)",
}


@pytest.fixture(scope="module")
def courses(tmp_path_factory):
    """The same class three times: graded by plain nbgrader, by its command with torchgrade's line, by torchgrade's command."""
    root = tmp_path_factory.mktemp("courses")
    made = {name: root / name for name in ("plain", "nbgrader", "torchgrade")}
    make_plain(made["plain"])
    for name in ("nbgrader", "torchgrade"):
        make_classic(made["plain"], made[name])
    for folder in made.values():
        hand_in(folder, "reasoner", LEAVES_A_MARK.format(path=str(folder / "mark")), like="hacker")
    said = {name: run(made[name], "nbgrader", "autograde", "ps1") for name in ("plain", "nbgrader")}
    said["torchgrade"] = run(made["torchgrade"], "torchgrade", "grade", "ps1", "--workers", "2")
    assert [status for status, _ in said.values()] == [0, 0, 0], said
    return made


def grade(course, *arguments):
    """``torchgrade grade ps1`` in this process."""
    return CliRunner().invoke(main, ["--course", str(course), "grade", "ps1", *arguments])


@pytest.mark.parametrize("name", ["nbgrader", "torchgrade"])
def test_marks_flags_and_comments_are_those_of_plain_nbgrader(courses, name):
    assert len(table(courses["plain"])) == 27
    assert table(courses[name], GRADES) == table(courses["plain"], GRADES)
    assert table(courses[name], COMMENTS) == table(courses["plain"], COMMENTS)


@pytest.mark.parametrize("name", ["nbgrader", "torchgrade"])
@pytest.mark.parametrize("student", ["bitdiddle", "hacker"])
def test_cells_and_outputs_of_the_graded_copy_are_those_of_plain_nbgrader(courses, name, student):
    for notebook in ("problem1", "problem2"):
        assert outputs(courses[name], student, notebook) == outputs(courses["plain"], student, notebook)


def test_what_a_notebook_writes_into_the_course_is_written_under_plain_nbgrader_alone(courses):
    assert {name: (folder / "mark").exists() for name, folder in courses.items()} == {
        "plain": True,
        "nbgrader": False,
        "torchgrade": False,
    }


def test_a_second_run_grades_what_has_changed_and_nothing_else(courses, tmp_path):
    course = tmp_path / "course"
    shutil.copytree(courses["torchgrade"], course)
    assert ": 0 graded" in grade(course).output
    (course / "submitted" / "reasoner" / "ps1" / "notes.txt").write_text("changed")
    said = grade(course).output
    assert ": 1 graded" in said
    assert "reasoner: 3 of 13, needs manual grading" in said


def test_a_release_is_the_one_of_plain_nbgrader_whichever_command_makes_it(courses, tmp_path):
    course = tmp_path / "course"
    shutil.copytree(courses["torchgrade"], course)
    plain = _released(courses["plain"])
    for command in (("nbgrader", "generate_assignment", "ps1", "--force"), ("torchgrade", "release", "ps1")):
        shutil.rmtree(course / "release" / "ps1")
        status, said = run(course, *command)
        assert status == 0, said
        assert _released(course) == plain


def _released(course):
    folder = course / "release" / "ps1"
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_cannot_be_asked_for_is_refused_in_one_line(courses):
    course = courses["torchgrade"]
    for arguments, line in (
        (("ps2",), "there is no assignment 'ps2'"),
        (("--student", "nobody"), "nobody has not handed in ps1; there are: bitdiddle, hacker, reasoner"),
        (("--ray", "auto"), "do not work with tests in the notebook's own cells"),
    ):
        done = grade(course, *arguments)
        assert done.exit_code != 0
        assert line in done.output.splitlines()[-1]


@pytest.fixture(scope="module")
def hostile(courses, tmp_path_factory):
    """A class of hostile notebooks and one honest one, graded by torchgrade with short limits; what it said."""
    course = tmp_path_factory.mktemp("hostile") / "course"
    make_classic(courses["plain"], course, *SHORT)
    shutil.rmtree(course / "submitted")
    shutil.copytree(courses["plain"] / "submitted" / "hacker", course / "submitted" / "hacker")
    places = [
        course,
        course / "gradebook.db",
        course / "source",
        course / "submitted" / "hacker",
        course / "autograded" / "hacker",
    ]
    for student, source in HOSTILE.items():
        hand_in(course, student, source.replace("{places!r}", repr([str(place) for place in places])), like="hacker")
    status, said = run(course, "torchgrade", "grade", "ps1", "--workers", "2")
    assert status == 0, said
    return course


def test_hostile_notebooks_hold_nobody_up_and_each_gets_its_marks(hostile, courses):
    marks = {student: {} for student in ["hacker", *HOSTILE]}
    for student, notebook, cell, score, *_ in table(hostile):
        if student in marks:  # the copied gradebook knows others, who have handed in nothing here
            marks[student][notebook, cell] = score
    honest = {(notebook, cell): score for name, notebook, cell, score, *_ in table(courses["plain"]) if name == "hacker"}
    assert marks["hacker"] == honest
    for student in ("exits", "floods", "forks", "hangs"):
        assert not any(marks[student].values()), student
    assert marks["looks"]["problem1", "correct_squares"] == 1.0


@pytest.mark.parametrize(
    ("student", "line"),
    [
        ("exits", "The process that runs the notebook ended in cell"),
        ("floods", "put out more than 64 KB of text (c.Limits.output_kb)"),
        ("hangs", "took too long, and could not be interrupted"),
    ],
)
def test_the_copy_says_why_a_kernel_was_lost_and_that_no_later_cell_was_run(hostile, student, line):
    errors = [out.evalue for _, outs, _ in outputs(hostile, student) for out in outs or [] if out.output_type == "error"]
    assert line in errors[0]
    assert len(errors) > 3
    assert all(error.startswith("This cell was not run: ") for error in errors[1:])


@pytest.mark.parametrize(
    ("student", "seen"),
    [("looks", "found 0\n"), ("links", "'notebook'"), ("connects", "Address family not supported")],
)
def test_a_notebook_sees_neither_the_course_nor_the_network(hostile, student, seen):
    assert seen in str(outputs(hostile, student)).replace("\\n", "\n")
