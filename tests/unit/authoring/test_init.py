"""``torchgrade init``: a new course, an existing one of nbgrader's, and what it refuses without a trace."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from torchgrade.authoring.exercises import render_course_file
from torchgrade.authoring.founding import CHECKS, TESTS, course_id_of, with_lines
from torchgrade.cli import main
from torchgrade.course import CHECKS_COURSE, CLASSIC_COURSE, CourseError, find_course

REPOSITORY = Path(__file__).parents[3]
TOOL = Path(sys.executable).parent / "torchgrade"
UMLAUT = "\N{LATIN SMALL LETTER U WITH DIAERESIS}"
# As `nbgrader quickstart` leaves it: the settings of one course, then the defaults, which get the configuration once more.
NBGRADERS = 'c = get_config()\n\nc.CourseDirectory.course_id = "mine"\n\nc = get_config()  #noqa\n'


def init(*arguments):
    return CliRunner().invoke(main, ["init", *map(str, arguments)])


def everything(root):
    return {path.relative_to(root): path.read_bytes() if path.is_file() else None for path in root.rglob("*")}


def made(folder, *arguments):
    done = init(folder, *arguments)
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def assert_refused(folder, *arguments, because, within):
    before = everything(within)
    done = init(folder, *arguments)
    assert done.exit_code == 1
    assert because in done.output.splitlines()[-1]
    assert everything(within) == before


@pytest.fixture
def nbgraders(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(NBGRADERS)
    (tmp_path / "source/ps1").mkdir(parents=True)
    (tmp_path / "source/ps1/problem1.ipynb").write_text("{}")
    return tmp_path


# --- a new course ------------------------------------------------------------------------------------------------------


def test_a_new_course_has_an_assignment_and_says_what_was_written_and_what_is_next(tmp_path):
    folder = tmp_path / "deep" / f"Kurs {UMLAUT} 2"
    first, *lines = made(folder)
    assert first == f"{folder}: A new course."
    course = find_course(folder)
    assert course.is_configured
    assert course.kind is CHECKS_COURSE
    assert course.config.CourseDirectory.course_id == "Kurs_u_2"
    assert course.assignment_names() == ["first_steps"]
    files = {str(path) for path, content in everything(folder).items() if content is not None}
    named, said = lines[: lines.index("Next:")], lines[lines.index("Next:") + 1 :]
    assert set(named) == files >= {"nbgrader_config.py", ".gitignore", "README.md"}
    assert shlex.split(said[0]) == ["cd", str(folder)]
    assert [line.split()[:2] for line in said[1:]] == [["torchgrade", word] for word in ("release", "compose", "grade")]


def test_in_the_folder_itself_no_folder_is_named_and_none_is_entered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["init"])
    assert "Next:\n  torchgrade release first_steps\n" in done.output
    assert find_course(tmp_path).root == tmp_path


def test_no_word_for_an_author_stands_in_what_students_get(tmp_path):
    made(tmp_path)
    files = [tmp_path / "assignments/first_steps/first_steps.ipynb", tmp_path / "graders/first_steps/public_centred.py"]
    assert [path.name for path in files if "author" in path.read_text()] == []


def test_every_grader_is_lint_clean(tmp_path):
    made(tmp_path)
    for path in tmp_path.glob("graders/**/*.py"):
        for command in (["check", "--quiet"], ["format", "--check", "--diff"]):
            name = str(path.relative_to(tmp_path))
            line = ["ruff", *command, "--stdin-filename", name, "-"]
            done = subprocess.run(line, cwd=REPOSITORY, input=path.read_bytes(), capture_output=True, check=False)
            assert done.returncode == 0, (name, (done.stdout + done.stderr).decode())


def test_the_configuration_is_the_one_that_this_repository_has():
    expected = render_course_file("nbgrader_config.py", "torchgrade")
    expected = expected.replace('# c.Audits.folder = "results/audits"', 'c.Audits.folder = "benchmarks/audits"')
    assert (REPOSITORY / "nbgrader_config.py").read_text() == expected, (
        "change torchgrade/authoring/templates/course/nbgrader_config.py.j2, and write what it gives to nbgrader_config.py"
    )


@pytest.mark.parametrize(
    ("folder", "course_id"),
    [("PyTorch 101", "PyTorch_101"), (f"{UMLAUT}-kurs", "u-kurs"), ('a"b\\c', "a_b_c"), ("\u8ab2", "course")],
)
def test_a_courses_name_can_stand_in_any_path(folder, course_id):
    assert course_id_of(Path("/tmp") / folder) == course_id


def test_a_second_time_nothing_changes(tmp_path):
    made(tmp_path)
    before = everything(tmp_path)
    lines = made(tmp_path)
    assert lines[0].endswith("This is a torchgrade course already.")
    assert "Nothing was changed. Next:" in lines
    assert everything(tmp_path) == before


def test_a_readme_that_is_there_stays_and_lines_that_git_should_ignore_are_added_when_asked_for(tmp_path):
    (tmp_path / "README.md").write_text("mine\n")
    (tmp_path / ".gitignore").write_text("*.log\nresults/")
    assert_refused(tmp_path, because="Give --yes", within=tmp_path)
    lines = made(tmp_path, "--yes")
    assert "+/gradebook.db" in lines
    assert "+/results/" not in lines
    assert (tmp_path / "README.md").read_text() == "mine\n"
    ignored = (tmp_path / ".gitignore").read_text()
    assert ignored.startswith("*.log\nresults/\n/submitted/\n")
    assert ignored.count("results/") == 1


@pytest.mark.parametrize("left", ["graders/first_steps/test_centred.py", "assignments/first_steps/first_steps.ipynb"])
def test_a_file_that_is_there_already_is_not_written_over(tmp_path, left):
    (tmp_path / left).parent.mkdir(parents=True)
    (tmp_path / left).write_text("# mine\n")
    assert_refused(tmp_path, because="Nothing was changed", within=tmp_path)


def test_nothing_is_left_where_a_folder_cannot_be_made(tmp_path):
    (tmp_path / "solutions").write_text("a file where a folder has to be")
    assert_refused(tmp_path, because="cannot write", within=tmp_path)
    assert_refused(tmp_path / "solutions", because="is a file: name a folder", within=tmp_path)


def test_a_course_within_a_course_is_refused(tmp_path):
    made(tmp_path)
    assert_refused(tmp_path / "assignments", because=f"is inside the course {tmp_path}", within=tmp_path)


# --- an existing course of nbgrader's ----------------------------------------------------------------------------------


def test_an_nbgrader_course_gets_the_two_lines_and_nothing_else(nbgraders):
    before = everything(nbgraders)
    lines = made(nbgraders, "--yes")
    assert "tests in its notebooks' own cells (ps1)" in lines[0]
    assert [line for line in lines if line.startswith(("+", "-")) and line[:3] not in ("+++", "---")] == [
        *("+from torchgrade.classic import configure", "+configure(c)")
    ]
    config = Path("nbgrader_config.py")
    after = everything(nbgraders)
    assert after.pop(config) == with_lines(before.pop(config), TESTS, config)
    assert after == before
    course = find_course(nbgraders)
    assert course.kind is CLASSIC_COURSE
    assert course.config.CourseDirectory.course_id == "mine"
    assert "  torchgrade grade ps1" in lines
    assert "Nothing was changed. Next:" in made(nbgraders)


def test_without_a_terminal_and_without_yes_nothing_is_written(nbgraders):
    assert_refused(nbgraders, because="Give --yes", within=nbgraders)
    assert "+configure(c)" in init(nbgraders).output.splitlines()


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 1), ("", 1)])
def test_on_a_terminal_it_asks_and_no_is_the_answer_by_default(nbgraders, answer, status):
    ours, theirs = os.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.run([TOOL, "init"], cwd=nbgraders, stdin=theirs, capture_output=True, text=True, timeout=60, check=False)
    os.close(ours)
    os.close(theirs)
    assert "Make this change? [y/N]" in done.stdout
    assert done.returncode == status, done.stderr
    assert find_course(nbgraders).is_configured is (status == 0)


def test_a_course_that_has_notebooks_and_no_configuration_gets_one_with_the_two_lines(nbgraders):
    (nbgraders / "nbgrader_config.py").unlink()
    assert_refused(nbgraders, because="Give --yes", within=nbgraders)
    made(nbgraders, "--yes")
    assert find_course(nbgraders).kind is CLASSIC_COURSE
    assert not (nbgraders / "assignments").exists()


def test_a_course_of_checks_that_lost_its_lines_gets_those_for_checks(tmp_path):
    made(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text(NBGRADERS)
    assert "+from torchgrade.gradebook import configure" in made(tmp_path, "--yes")
    assert find_course(tmp_path).assignment_names() == ["first_steps"]


LINES = b"from torchgrade.gradebook import configure\nconfigure(c)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"c = get_config()", b"c = get_config()\n" + LINES),
        (b"c = get_config()\r\nx\r\n", b"c = get_config()\r\n" + LINES.replace(b"\n", b"\r\n") + b"x\r\n"),
        (b"k = (\n  get_config()\n)\nx\n", b"k = (\n  get_config()\n)\n" + LINES.replace(b"(c)", b"(k)") + b"x\n"),
        (b"# coding: latin-1\n# \xe9\nc = get_config()\n", b"# coding: latin-1\n# \xe9\nc = get_config()\n" + LINES),
    ],
)
def test_every_other_byte_of_a_configuration_stays(before, after):
    assert with_lines(before, CHECKS, Path("nbgrader_config.py")) == after


@pytest.mark.parametrize("text", ["x = 1\n", "if True:\n    c = get_config()\n", "get_config().x = 1\n"])
def test_a_configuration_without_a_place_for_the_lines_is_refused_with_the_lines(nbgraders, text):
    (nbgraders / "nbgrader_config.py").write_text(text)
    because = "write from torchgrade.classic import configure; configure(c) below the line that gets the configuration"
    assert_refused(nbgraders, "--yes", because=because, within=nbgraders)


def test_a_configuration_that_cannot_be_read_is_refused(nbgraders):
    (nbgraders / "nbgrader_config.py").write_text("c = (\n")
    assert_refused(nbgraders, "--yes", because="raised SyntaxError", within=nbgraders)
    with pytest.raises(CourseError, match="is not valid Python"):
        with_lines(b"c = (\n", CHECKS, Path("nbgrader_config.py"))


def test_lines_whose_effect_others_take_away_are_said_and_not_written_twice(nbgraders):
    path = nbgraders / "nbgrader_config.py"
    path.write_text(NBGRADERS + "c.Autograde.autograde_preprocessors = []\n")
    done = init(nbgraders, "--yes")
    assert done.exit_code == 1
    assert "but others there set c.Autograde.autograde_preprocessors" in done.output.splitlines()[-1]
    assert_refused(nbgraders, "--yes", because="but others there set", within=nbgraders)
    assert path.read_text().count("configure(c)") == 1


def test_a_configuration_that_is_a_link_stays_one(nbgraders):
    path = nbgraders / "nbgrader_config.py"
    target = path.rename(nbgraders / "shared.py")
    path.symlink_to(target)
    made(nbgraders, "--yes")
    assert path.is_symlink()
    assert "configure(c)" in target.read_text()


def test_a_command_in_such_a_course_says_which_lines_are_missing(nbgraders):
    done = CliRunner().invoke(main, ["--course", str(nbgraders), "grade", "ps1"])
    (line,) = done.output.splitlines()
    assert "but one in" in line
    assert "from torchgrade.classic import configure, and configure(c). torchgrade init writes them" in line
    done = CliRunner().invoke(main, ["--course", str(nbgraders), "grade", "ps2"])
    assert done.output.splitlines()[-1].endswith("there are: none")
