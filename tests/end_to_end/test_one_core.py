"""The judge, ``pytest --submission`` and a student's ``check()`` come to the same outcome.

For the reference and two wrong answers of one exercise of each kind (:data:`KINDS`), however many the course has; by the subject
``banks`` for :data:`MOST` solutions throughout the bank of every exercise; with ``TORCHGRADE_WHOLE_BANKS=1``, as ``.ci/nightly``
has it, for all of them.
"""

import contextlib
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchgrade.bank import read_bank
from torchgrade.course import find_course
from torchgrade.judge import plugin, standalone
from torchgrade.judge.judge import Judge
from torchgrade.judge.plan import read_plan
from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Visibility

REPOSITORY = Path(__file__).parents[2]
MOST = math.inf if os.environ.get("TORCHGRADE_WHOLE_BANKS") else 12
COURSE = find_course(REPOSITORY)
# A function of tensors, a class that workers iterate, objects and callbacks, a function that is given one.
KINDS = [
    ("numerical_stability", "softmax"),
    ("data_loading", "ShardedTarDataset"),
    ("mixed_precision", "train_amp"),
    ("implicit_differentiation", "solve_implicit"),
]
EXERCISES = [
    (assignment, exercise.name)
    for assignment in sorted(path.name for path in COURSE.assignments.iterdir() if path.is_dir())
    for exercise in load_assignment(COURSE.assignments, assignment).exercises
]


@pytest.fixture(scope="module")
def judge():
    with Judge(COURSE) as judge:
        yield judge


class Watcher:
    """A pytest plugin that keeps the score sheet of a run with ``--submission``."""

    def pytest_sessionfinish(self, session):
        self.sheet = session.config.stash[plugin._STASH].run.sheet


def by_pytest(assignment, exercise, file, names):
    watcher = Watcher()
    public = COURSE.graders / assignment / f"public_{exercise}.py"
    options = ["-c", str(REPOSITORY / "pyproject.toml"), "--rootdir", str(REPOSITORY), "-q", "-p", "no:cacheprovider"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        pytest.main([*options, str(public), "--submission", str(file)], plugins=[watcher])
    return {c.name: [c.outcome.value, c.points] for c in watcher.sheet.settled(exercise) if c.name in names}


def by_judge(judge, assignment, exercise, file, names):
    record = judge.grade(assignment, "somebody", file, exercise=exercise, checks=names)
    return {check.name: [check.outcome.value, check.points] for check in record.checks}


def by_student(assignment, exercise, solutions):
    command = [sys.executable, str(REPOSITORY / "tests/helpers/checked_here.py"), assignment, exercise]
    command += [str(solution.path) for solution in solutions]
    return json.loads(subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout)


@pytest.fixture
def one_worker(judge, monkeypatch):
    """``pytest --submission`` takes the judge's warm worker, and leaves it running, so that each solution costs no new one."""

    class Lent:
        def __init__(self, *_):
            self.close = lambda: None

        def __getattr__(self, name):
            return getattr(judge.worker, name)

    monkeypatch.setattr(standalone, "start_worker", Lent)


def same_everywhere(judge, assignment, exercise, solutions, tmp_path):
    names = [c.name for c in read_plan(COURSE, assignment).of(exercise) if c.visibility is Visibility.PUBLIC]
    source = load_assignment(COURSE.assignments, assignment)
    found = []
    for solution, here in zip(solutions, by_student(assignment, exercise, solutions), strict=True):
        file = tmp_path / f"{solution.path.stem}.ipynb"
        write_notebook(compose(source, {exercise: solution.text}), file)
        judged = by_judge(judge, assignment, exercise, file, names)
        assert judged.keys() == set(names)
        assert judged == here == by_pytest(assignment, exercise, file, names), solution.path
        found.append(judged)
    return found


@pytest.mark.parametrize(("assignment", "exercise"), KINDS, ids=[name for _, name in KINDS])
def test_the_reference_and_two_wrong_answers_have_the_same_outcomes_wherever_they_are_checked(
    judge, one_worker, assignment, exercise, tmp_path
):
    bank = read_bank(COURSE, assignment, exercise)
    public = {c.name for c in read_plan(COURSE, assignment).of(exercise) if c.visibility is Visibility.PUBLIC}
    wrong = [solution for solution in bank if solution.fails & public]
    found = same_everywhere(judge, assignment, exercise, [bank[0], *wrong[:2]], tmp_path)

    assert {outcome for outcome, _ in found[0].values()} == {"passed"}
    assert all("failed" in {outcome for outcome, _ in each.values()} for each in found[1:])


@pytest.mark.banks
@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES, ids=[name for _, name in EXERCISES])
def test_solutions_throughout_the_bank_have_the_same_outcomes_wherever_they_are_checked(
    judge, one_worker, assignment, exercise, tmp_path
):
    # What an answer remembers of another check counts where one process asks them all: the judge asks again alone.
    bank = [solution for solution in read_bank(COURSE, assignment, exercise) if not solution.path.stem.startswith("remembers")]
    same_everywhere(judge, assignment, exercise, bank[:: math.ceil(len(bank) / MOST) or 1], tmp_path)
