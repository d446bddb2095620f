"""A class of correct submissions, graded once by plain nbgrader and once by torchgrade, with the same checks, in one run.

    python -m benchmarks.throughput [--students 12]

For nbgrader the checks stand in the notebook's own cells and call the functions there, as its users write them; for torchgrade
they are the graders. Both write marks to a gradebook. The notebooks, the functions and the assertions are the same.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import nbformat

from benchmarks.machine import keep
from torchgrade.bank import read_bank
from torchgrade.course import Course, find_course
from torchgrade.judge.plan import grader_files, grader_points
from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Record, Results

ASSIGNMENT = "numerical_stability"
_LEFT_OUT = re.compile(r"\brace\(|\bmark\.gpu\b")
WORKERS = 2
# Runs the checks of a grader file in the notebook's kernel: the student's functions stand in for the proxy. It is written as an
# instructor would write it who has only nbgrader; speed checks are left out of both, since a kernel has nothing to race against.
IN_KERNEL = """
import torch, torchgrade
from torchgrade.checks.observing import Observation, count_operations, share_memory
class _Function:
    def __init__(self, f): self.f = f
    def __call__(self, *a, **k): return self.f(*a, **k)
    def observe(self, *a, **k):
        r = self.f(*a, **k); return Observation(r, a, share_memory(r, a))
    def count_operations(self, *a, **k): return count_operations(self.f, *a, **k)
class _Student:
    def __getattr__(self, name): return _Function(globals()[name])
"""


def copy_course(assignments: Iterable[str]) -> Course:
    """A copy of the course in a folder of its own, without the speed checks of these assignments."""
    source = find_course(Path(__file__).parent.parent)
    root = Path(tempfile.mkdtemp(prefix="torchgrade-benchmark-"))
    for name in ("assignments", "graders", "solutions"):
        shutil.copytree(source.root / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source.root / "nbgrader_config.py", root)
    course = find_course(root)
    for assignment in assignments:
        for path in grader_files(course, assignment):
            path.write_text(without_races(path.read_text(encoding="utf-8")), encoding="utf-8")
        fit_points(course, assignment)
    return course


def make_course(students: int) -> Course:
    """A copy of the course with a class of correct submissions handed in."""
    # Neither side is timed on speed checks: a kernel has nothing to race against.
    course = copy_course([ASSIGNMENT])
    assignment = load_assignment(course.assignments, ASSIGNMENT)
    banks = {e.name: [s for s in read_bank(course, ASSIGNMENT, e.name) if s.is_correct] for e in assignment.exercises}
    for number in range(students):
        # Each with a line of its own: submissions of the same content are graded once.
        cells = {name: f"{bank[number % len(bank)].text}\n# {number}\n" for name, bank in banks.items()}
        path = course.submission(f"student{number:03}", ASSIGNMENT)
        path.parent.mkdir(parents=True)
        write_notebook(compose(assignment, cells), path)
    return course


def fit_points(course: Course, assignment: str) -> None:
    """Make the grade cells worth what the checks that are left add up to."""
    points = grader_points(course, assignment)
    path = course.assignments / assignment / f"{assignment}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        facts = cell.metadata.get("nbgrader", {})
        if facts.get("grade"):
            facts["points"] = points[facts["grade_id"].removesuffix("-check")]
    nbformat.write(notebook, path)


def without_races(source: str) -> str:
    """A grader file without its speed checks, and without those that need a GPU."""
    tree = ast.parse(source)
    tree.body = [n for n in tree.body if not (isinstance(n, ast.FunctionDef) and _LEFT_OUT.search(ast.unparse(n)))]
    return ast.unparse(tree)


def plain_nbgrader(course: Course) -> Path:
    """The same course for nbgrader alone: each grade cell holds the exercise's checks and runs them in the kernel."""
    root = Path(tempfile.mkdtemp(prefix="plain-"))
    shutil.copytree(course.submitted, root / "submitted")
    shutil.copytree(course.assignments, root / "source")
    (root / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'plain'\n", encoding="utf-8")
    cells = {}
    for exercise in load_assignment(course.assignments, ASSIGNMENT).exercises:
        parts = [IN_KERNEL]
        for path in grader_files(course, ASSIGNMENT):
            if path.stem.partition("_")[2] == exercise.name:
                parts += [path.read_text(encoding="utf-8").replace("from . import probes", "")]
                parts += ["[f(_Student()) for n, f in sorted(globals().items()) if n.startswith('test_')]"]
                parts += ["for n in [n for n in globals() if n.startswith('test_')]: del globals()[n]"]
        cells[f"{exercise.name}-check"] = "\n".join(parts)
    for path in [*root.glob("source/*/*.ipynb"), *root.glob("submitted/*/*/*.ipynb")]:
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in cells:
                cell.source = cells[name]
        nbformat.write(notebook, path)
    return root


def run(command: list[str], folder: Path) -> float:
    """Wall seconds of a command, which must succeed."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return time.perf_counter() - started


def seconds_of_checks(records: Iterable[Record]) -> float:
    """What the checks of these took by themselves."""
    return sum(check.seconds for record in records for exercise in record.exercises for check in exercise.checks)


class PeakMemory:
    """The most memory that this process's descendants held together, in bytes: proportional set sizes, sampled."""

    def __enter__(self) -> Self:
        self.peak, self._stop = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        pause = 0.1
        while not self._stop.wait(pause):
            started = time.perf_counter()
            self.peak = max(self.peak, sum(_proportional(pid) for pid in descendants(os.getpid())))
            # A look walks through all pages of all processes: it is not to take more than a hundredth of the time.
            pause = max(0.1, 100 * (time.perf_counter() - started))


def descendants(of: int) -> list[int]:
    """The processes below one, at this moment."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found, frontier = [], {of}
    while frontier:
        frontier = {pid for pid, parent in parents.items() if parent in frontier}
        found += sorted(frontier)
    return found


def _proportional(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=12)
    students = parser.parse_args().students
    course = make_course(students)
    plain = plain_nbgrader(course)
    tools = Path(sys.executable).parent
    results: dict[str, Any] = {"students": students, "workers": WORKERS}
    run([str(tools / "nbgrader"), "generate_assignment", ASSIGNMENT, "--create"], plain)
    run([str(tools / "torchgrade"), "release", ASSIGNMENT, "--no-audit"], course.root)
    results["nbgrader_s"] = run([str(tools / "nbgrader"), "autograde", ASSIGNMENT], plain)
    command = [str(tools / "torchgrade"), "grade", ASSIGNMENT, "--workers", str(WORKERS)]
    with PeakMemory() as memory:
        results["torchgrade_s"] = run(command, course.root)
    results["torchgrade_peak_memory_gb"] = round(memory.peak / 2**30, 3)
    results["torchgrade_nothing_changed_s"] = run(command, course.root)
    records = list(Results(course.results).all(ASSIGNMENT))
    if any(record.points != record.max_points for record in records):
        raise SystemExit("a correct submission lost points")
    checks = seconds_of_checks(records)
    results["checks_s_a_submission"] = checks / students
    results["nbgrader_s_a_submission"] = results["nbgrader_s"] / students
    results["torchgrade_s_a_submission"] = results["torchgrade_s"] / students
    results["times_faster"] = results["nbgrader_s"] / results["torchgrade_s"]
    # Of the two judges' time, what was not spent in checks: start-up, loading, recording, table.
    results["share_not_checks"] = 1 - checks / (WORKERS * results["torchgrade_s"])
    for name, value in results.items():
        print(f"{name:32} {value:.3f}" if isinstance(value, float) else f"{name:32} {value}")
    print(keep("throughput", results))
    shutil.rmtree(course.root)
    shutil.rmtree(plain)


if __name__ == "__main__":
    main()
