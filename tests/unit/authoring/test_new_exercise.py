"""``torchgrade new``: what it writes into a course, and what it refuses without a trace."""

import json
import subprocess
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner

from torchgrade.authoring.exercises import KINDS, TAKEN, render
from torchgrade.cli import main
from torchgrade.jail.protocol.remote_student import Student
from torchgrade.notebook import load_assignment

REPOSITORY = Path(__file__).parents[3]
CONFIG = "from torchgrade.gradebook import configure\n\nc = get_config()\nconfigure(c)\n"
LONG = "a_name_of_forty_characters_and_no_longer"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    return tmp_path


def new(root, assignment="statistics", exercise="centred", *options):
    return CliRunner().invoke(main, ["--course", str(root), "new", assignment, exercise, *options])


def written(root, *names):
    done = new(root, *names)
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def notebook_of(root):
    return root / "assignments/statistics/statistics.ipynb"


def everything(root):
    return {path.relative_to(root): path.read_bytes() if path.is_file() else None for path in root.rglob("*")}


def assert_refused(root, *names, because):
    before = everything(root)
    done = new(root, *names)
    assert done.exit_code == 1
    assert because in done.output
    assert len(done.output.splitlines()) == 1
    assert everything(root) == before


def test_it_names_every_file_that_it_writes(root):
    before = set(everything(root))
    *named, last = written(root)
    files = {str(path) for path, content in everything(root).items() if content is not None and path not in before}
    assert set(named) == files
    assert "torchgrade audit statistics --exercise centred" in last


def test_the_notebook_of_a_new_assignment_is_valid_and_has_the_exercise(root):
    written(root)
    nbformat.validate(nbformat.read(notebook_of(root), as_version=4))
    (exercise,) = load_assignment(root / "assignments", "statistics").exercises
    assert (exercise.name, exercise.points, exercise.names) == ("centred", 8, ("centred",))


def test_the_graders_of_a_course_become_a_package_only_once(root):
    written(root)
    (root / "graders/__init__.py").write_text("# mine\n")
    written(root, "algebra", "trace")
    assert (root / "graders/__init__.py").read_text() == "# mine\n"


def test_in_an_assignment_that_is_there_the_new_cells_come_last_and_the_rest_stays(root):
    written(root)
    path = notebook_of(root)
    # Keys in an order of their own, and metadata that nobody here knows.
    before = json.loads(path.read_text())
    before["metadata"] |= {"author": "Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}", "cells": [1]}
    path.write_text(json.dumps(dict(reversed(before.items())), indent=4))
    assert "at the end of the notebook" in written(root, "statistics", "second")[-2]
    after = json.loads(path.read_text(encoding="utf-8"))
    old = len(before["cells"])
    assert after == before | {"cells": after["cells"]}
    assert after["cells"][:old] == before["cells"]
    assert [cell["id"] for cell in after["cells"][old:]] == [
        *("second-text", "second-specification", "second-task", "second", "second-check")
    ]
    nbformat.validate(nbformat.read(path, as_version=4))


def test_a_notebook_that_jupyterlab_wrote_changes_in_no_other_line(root):
    written(root)
    path = notebook_of(root)
    nbformat.write(nbformat.read(path, as_version=4), path)
    before = path.read_text(encoding="utf-8").splitlines()
    written(root, "statistics", "second")
    after = path.read_text(encoding="utf-8").splitlines()
    end = before.index(" ],")  # of the cells
    assert after[: end - 1] == before[: end - 1]
    assert after[-(len(before) - end) :] == before[end:]


def test_a_notebook_that_is_a_link_stays_one_and_keeps_its_permissions(root):
    written(root)
    path = notebook_of(root)
    target = path.rename(root / "elsewhere.ipynb")
    target.chmod(0o640)
    path.symlink_to(target)
    written(root, "statistics", "second")
    assert path.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert len(load_assignment(root / "assignments", "statistics").exercises) == 2


def test_what_a_stub_needs_is_imported_where_the_notebook_does_not(root):
    written(root)
    path = notebook_of(root)
    path.write_text(path.read_text().replace("from torchgrade import check", "%matplotlib inline"))
    written(root, "statistics", "second")
    assert "second-imports" in [cell["id"] for cell in json.loads(path.read_text())["cells"]]


@pytest.mark.parametrize("name", ["", "1st", "a b", "a-b", "a.b", "../x", "x/y", "_x", "été", "x\n", "class", "None"])
@pytest.mark.parametrize("what", ["assignment", "exercise"])
def test_a_name_that_is_no_python_name_is_refused(root, name, what):
    names = (name, "centred") if what == "assignment" else ("statistics", name)
    assert_refused(root, *names, because=f"cannot be the name of an {what}")


def test_a_name_that_is_too_long_for_a_cells_id_is_refused(root):
    assert_refused(root, "statistics", LONG + "x", because="41 characters; at most 40")
    written(root, LONG, LONG)


@pytest.mark.parametrize("name", sorted(TAKEN))
def test_a_name_with_a_meaning_of_its_own_in_graders_or_notebooks_is_refused(root, name):
    assert_refused(root, "statistics", name, because="means something else")


def test_all_names_with_a_meaning_of_their_own_are_known():
    imported = {"torch", "Tensor", "check"}
    assert all(name in render("cells/imports.py", "a", "e") for name in imported)
    assert {name for name in vars(Student) if not name.startswith("_")} | imported == TAKEN


def test_an_exercise_that_is_there_is_refused(root):
    written(root)
    assert_refused(root, because="has an exercise centred already")


@pytest.mark.parametrize("name", ["introduction", "imports", "submitting"])
def test_a_name_that_a_cell_of_the_notebook_has_is_refused(root, name):
    assert_refused(root, "statistics", name, because=f"the notebook has a cell '{name}'")
    written(root)
    assert_refused(root, "statistics", name, because=f"the notebook has a cell '{name}'")


@pytest.mark.parametrize("left", ["graders/statistics/test_centred.py", "solutions/statistics/centred/wheats/old.py"])
def test_a_file_that_is_there_already_is_not_written_over(root, left):
    (root / left).parent.mkdir(parents=True)
    (root / left).write_text("# mine\n")
    assert_refused(root, because="exists already")


def test_nothing_is_left_where_the_disk_refuses_a_file_halfway(root):
    written(root)
    (root / "solutions").rename(root / "moved")
    (root / "solutions").write_text("a file where a folder has to be")
    assert_refused(root, "statistics", "second", because="cannot write")
    assert_refused(root, "other", "second", because="cannot write")


def test_a_notebook_of_an_older_format_is_refused(root):
    written(root)
    path = notebook_of(root)
    path.write_text(path.read_text().replace('"nbformat_minor": 5', '"nbformat_minor": 4'))
    assert_refused(root, "statistics", "second", because="open and save it in JupyterLab")


def test_a_folder_that_is_no_course_is_refused(tmp_path):
    assert_refused(tmp_path, because="no nbgrader_config.py")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("exercise", ["e", LONG])
def test_every_python_file_is_lint_clean_whatever_the_name(root, exercise, kind):
    written(root, "statistics", exercise, "--kind", kind)
    for path in [path for folder in ("graders", "solutions") for path in (root / folder).rglob("*.py")]:
        source = path.read_bytes()
        for command in (["check", "--quiet", "--extend-ignore", "D101,D102,N801"], ["format", "--check", "--diff"]):
            # As a grader of this repository, so that its rules are those that hold here.
            line = ["ruff", *command, "--stdin-filename", f"graders/statistics/{path.name}", "-"]
            done = subprocess.run(line, cwd=REPOSITORY, input=source, capture_output=True, check=False)
            assert done.returncode == 0, (path, (done.stdout + done.stderr).decode())
