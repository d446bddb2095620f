"""The files beside an assignment's notebook, where the notebook's code runs: the course's own, and nobody else's to change."""

import contextlib
import os
import subprocess
import sys
import tempfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from small_course import RIGHT, _meta, make_course, submit
from small_jail import BOUNDS, cells

from torchgrade.course import find_course
from torchgrade.jail import Raised, Session, Student, WarmWorker
from torchgrade.judge import environment
from torchgrade.judge.environment import digests
from torchgrade.judge.judge import Judge
from torchgrade.notebook import NotebookError, read_data_files

SLOW = """
c.Limits.call_seconds = 60.0  # a process that is spawned imports torch
c.Limits.cells_seconds = 60.0
c.Limits.submission_seconds = 300.0
"""
LOCKED = """import csv
numbers = [float(row[0]) for row in csv.reader(open("numbers.csv"))]
from helper import FACTOR"""
READS = """
import multiprocessing, os, torch
def attempt(action):
    try:
        action()
    except OSError as error:
        return error.errno
    return 0
at_load = sum(numbers)
def double(x):
    return 2 * x
def total(x):
    return x.sum()
def all_ways():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        spawned = pool.apply(in_a_process)
    return [at_load, float(open("deep/er/one.txt").read()), spawned, FACTOR]
def in_a_process():
    return float(open("numbers.csv").read().split()[0]) + FACTOR
def changes():
    told = [attempt(lambda: open("numbers.csv", "w")), attempt(lambda: os.remove("numbers.csv"))]
    told += [attempt(lambda: os.rename("deep", "elsewhere")), attempt(lambda: open("deep/new", "w"))]
    told += [attempt(lambda: os.chmod("numbers.csv", 0o666)), attempt(lambda: os.replace("own.txt", "numbers.csv"))]
    return told
def first():
    return float(open("numbers.csv").readline())
def files():
    return sorted(os.listdir())
def writes():
    open("own.txt", "w").write("x")
    return open("own.txt").read()
"""
GRADERS = '''
import torch
from torchgrade import assert_close, assert_shape, points, race

from . import probes

@points(2)
def test_reads(student):
    """The files are there, for every process."""
    assert student.run(probes.read) == [6.5, 4.0, 3.5, 2.0, 3.0]
    assert student.first() == 1.5
    assert student.files() == ["deep", "helper.py", "numbers.csv"], str(student.files())
    assert student.writes() == "x"

@points(1)
def test_changes(student):
    """Nobody changes them."""
    assert all(student.changes()), str(student.changes())
    assert student.first() == 1.5
'''
PROBES = """
def read(student):
    return [*student.all_ways(), float(len(open("numbers.csv").readlines()))]
"""


def add_data(course):
    path = course.assignments / "small" / "small.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(2, new_code_cell(LOCKED, id="data", metadata=_meta("data")))
    nbformat.write(notebook, path)
    for name, text in {
        "numbers.csv": "1.5\n2\n3\n",
        "helper.py": "FACTOR = 2.0\n",
        "deep/er/one.txt": "4",
        "__pycache__/helper.pyc": "",
        ".ipynb_checkpoints/small-checkpoint.ipynb": "{}",
        "old.ipynb": "{}",
    }.items():
        file = path.parent / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (course.graders / "small" / "test_total.py").write_text(GRADERS)
    (course.graders / "small" / "probes.py").write_text(PROBES)
    return path.parent


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    made = make_course(tmp_path_factory.mktemp("a path with spaces, ä and 数"))
    add_data(made)
    config = made.root / "nbgrader_config.py"
    config.write_text(config.read_text() + SLOW)
    return find_course(made.root)


def hand_in(course):
    path = submit(course, total=READS, double=None)
    (path.parent / "numbers.csv").write_text("99\n")  # the student's own copy, which nobody reads
    return path


def of_total(record):
    exercise = next(exercise for exercise in record.exercises if exercise.name == "total")
    return [(check.name, check.points, check.message, check.detail) for check in exercise.checks]


def test_they_are_there_at_load_in_calls_in_probes_and_in_spawned_processes_and_cannot_be_changed(course):
    with Judge(course) as judge:
        record = judge.grade("small", "alice", hand_in(course))
    assert of_total(record) == [("test_reads", 2.0, "", ""), ("test_changes", 1.0, "", "")]


def test_without_a_jail_they_are_there_too_as_a_copy_that_goes_with_the_submission(course, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Judge(course, jail=False) as judge:
        first = of_total(judge.grade("small", "alice", hand_in(course)))
        assert first[0] == ("test_reads", 2.0, "", "")
    assert list(tmp_path.glob("tg-*")) == []


def test_pytest_with_a_submission_has_them(course):
    command = [sys.executable, "-m", "pytest", "-q", "graders/small/test_total.py", "--submission", str(hand_in(course))]
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)
    assert "total: 3 of 3 points" in done.stdout


def test_a_judge_that_goes_on_to_another_assignment_puts_its_files_in_the_place_of_the_first_ones(course, tmp_path):
    first, second = (environment.read_data(course, "small") for _ in range(2))
    other = tmp_path / "other"
    other.mkdir()
    (other / "numbers.csv").write_text("7")
    second = read_data_files(other, ignored=(), most_bytes=10)
    source = "def there():\n    import os\n    return sorted(os.listdir()), open('numbers.csv').read()\n"
    with contextlib.closing(WarmWorker(BOUNDS)) as worker:
        for data, expected in (
            (first, (["deep", "helper.py", "numbers.csv"], "1.5\n2\n3\n")),
            (second, (["numbers.csv"], "7")),
            (None, None),
            (first, (["deep", "helper.py", "numbers.csv"], "1.5\n2\n3\n")),
        ):
            with Session(worker, cells(source), data=data) as session:
                student = Student(session.exchange, seed=0)
                if expected is None:
                    with pytest.raises(Raised, match="No such file"):
                        student.there()
                else:
                    assert student.there() == expected


def test_a_changed_file_is_a_reason_to_grade_again(tmp_path):
    course = make_course(tmp_path)
    without = digests(course, "small", jail=True).graders
    folder = add_data(course)
    (folder / "numbers.csv").unlink()
    seen = {without}
    for change in (
        lambda: (folder / "numbers.csv").write_text("1\n"),
        lambda: (folder / "numbers.csv").write_text("2\n"),
        lambda: (folder / "deep/er/one.txt").rename(folder / "deep/one.txt"),
    ):
        change()
        found = digests(course, "small", jail=True).graders
        assert found not in seen
        seen.add(found)
        assert digests(course, "small", jail=True).graders == found
    (folder / "__pycache__/helper.pyc").write_text("x")
    (folder / "old.ipynb").write_text("")
    assert digests(course, "small", jail=True).graders == found


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.symlink_to("/etc/hostname"), "is a symbolic link, which cannot be given to submissions: put the file"),
        (os.mkfifo, "is no regular file"),
        (lambda path: path.write_bytes(b"x" * 3_000_000), r"3.0 MB; at most 2 MB are given .* raise c.Limits.data_mb"),
    ],
    ids=["a link", "a pipe", "too large"],
)
def test_what_cannot_be_given_to_submissions_is_said_in_one_line(tmp_path, make, says):
    course = make_course(tmp_path)
    course.config.Limits.data_mb = 2.0
    (tmp_path / "assignments/small/deep").mkdir()
    make(tmp_path / "assignments/small/deep/it")
    with pytest.raises(NotebookError, match=says) as told, Judge(course) as judge:
        judge.grade("small", "alice", submit(course))
    assert "\n" not in str(told.value)
    course.config.CourseDirectory.ignore.append("dee?")
    assert environment.read_data(course, "small").files == ()


def test_a_file_that_changes_while_it_is_read_is_not_mistaken_for_what_it_was(course, tmp_path):
    (tmp_path / "a").write_text("one")
    data = read_data_files(tmp_path, ignored=(), most_bytes=10)
    (tmp_path / "a").write_text("two")
    with pytest.raises(NotebookError, match="changed while"):
        data.pack()


def test_the_reference_in_a_race_has_them_too(course):
    bank = course.solutions / "small" / "double" / "reference.py"
    bank.write_text(RIGHT["double"] + "assert open('numbers.csv').readline() == '1.5\\n' and numbers\n")
    with Judge(course) as judge:
        record = judge.grade("small", "alice", submit(course), exercise="double")
    speed = record.exercises[0].checks[-1]
    assert (speed.name, speed.outcome.value, speed.message, speed.detail) == ("test_speed", "passed", "", "")
