"""Which tests a change calls for."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from subjects import REPOSITORY, SUBJECTS, expression, subjects_of

FILES = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize(
    ("path", "subjects"),
    [
        ("README.md", set()),
        ("graders/vectorization/test_batch_gather.py", set()),
        ("torchgrade/report/pages.py", set()),
        ("tests/unit/test_subjects.py", set()),
        ("torchgrade/student/running.py", {"banks", "lab"}),
        ("torchgrade/runs/cluster.py", {"classic", "cluster", "faults", "gradebooks"}),
        ("tests/end_to_end/test_cluster.py", {"cluster"}),
        ("tests/end_to_end/test_init.py", {"authoring"}),
    ],
)
def test_a_path_calls_for_its_subjects(path, subjects):
    assert subjects_of([path]) == subjects


@pytest.mark.parametrize(
    "path", ["pyproject.toml", "tests/conftest.py", "tests/helpers/browser.py", "torchgrade/new_room/file.py"]
)
def test_a_path_that_nobody_knows_calls_for_everything(path):
    assert subjects_of(["README.md", path]) is None
    assert expression([path]) == ""


def test_the_ordinary_tests_are_always_part_of_it():
    assert expression(["README.md", "scripts/lab"]) == "not long or lab"
    assert expression([]) == "not long"


def test_every_pattern_is_of_something():
    from fnmatch import fnmatch

    dead = [p for patterns in SUBJECTS.values() for p in patterns if not any(fnmatch(file, p) for file in FILES)]
    assert dead == []


def test_every_subject_is_a_marker_and_has_tests():
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    named = {marker.partition(":")[0] for marker in settings["markers"]}
    assert named == {*SUBJECTS, "long", "timed"}
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(REPOSITORY, "tests").glob("*/test_*.py"))
    assert [name for name in SUBJECTS if f"pytest.mark.{name}" not in tests] == []


def test_what_has_a_subject_takes_long_and_is_left_out_by_default():
    line = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "not long", "tests/end_to_end/test_one_core.py"]
    done = subprocess.run(line, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert "test_the_reference_and_two_wrong_answers" in done.stdout
    assert "test_solutions_throughout_the_bank" not in done.stdout
