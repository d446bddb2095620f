"""One attacked course and one judge for all tests of this folder."""

import dataclasses
import os

import pytest
from attacked_course import SECRET, Telltale, make_course

from torchgrade.judge.judge import Judge
from torchgrade.notebook import compose, load_assignment, write_notebook


@pytest.fixture(scope="session")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("attacked"))


@pytest.fixture(scope="session")
def telltale():
    listener = Telltale()
    yield listener
    listener.close()


@pytest.fixture(scope="session")
def judge(course):
    os.environ["TORCHGRADE_PLANTED"] = SECRET
    with Judge(course) as judge:
        yield judge
    os.environ.pop("TORCHGRADE_PLANTED", None)  # the check of walls plants its own under this name


@pytest.fixture(scope="session")
def hints(course, telltale, tmp_path_factory):
    """What an attacker may have found out: where things are."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text(SECRET)
    return {
        "@COURSE@": str(course.root),
        "@OUTSIDE@": str(outside),
        "@JUDGE@": str(os.getpid()),
        "@PORT@": str(telltale.port),
        "@SOCKET@": telltale.name,
    }


@pytest.fixture
def grade(judge, hints, tmp_path):
    """Grade a solution's text as an exercise of an assignment; ``by`` another judge than the common one."""

    def graded(assignment, exercise, text, by=judge):
        for name, value in hints.items():
            text = text.replace(name, value)
        # The first optimizer that a process makes has torch import its compiler, which takes a second or two.
        slow = assignment == "mixed_precision"
        by.worker.bounds = dataclasses.replace(by.worker.bounds, call_seconds=4.0 if slow else by.course.limits.call_seconds)
        by.course.limits.submission_seconds = 10.0 if slow else 4.0
        path = tmp_path / "attack.ipynb"
        cells = {} if text is None else {exercise: text}
        write_notebook(compose(load_assignment(by.course.assignments, assignment), cells), path)
        return by.grade(assignment, "eve", path, exercise=exercise, seed=1)

    return graded


def pytest_terminal_summary(terminalreporter):
    """A table: for each attack whether it was held, and by which wall."""
    rows = []
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            facts = dict(getattr(report, "user_properties", ())).get("attack")
            if facts and report.when == "call":
                rows.append((*facts, "held" if outcome == "passed" else "NOT HELD", report.duration))
    if not rows:
        return
    terminalreporter.section(f"{len(rows)} attacks")
    family = ""
    for row in sorted(rows):
        if row[0] != family:
            family = row[0]
            terminalreporter.write_line(family)
        terminalreporter.write_line(f"  {row[3]:8} {row[4]:5.1f} s  {row[1]:48} {row[2]}")
