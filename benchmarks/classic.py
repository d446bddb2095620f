"""nbgrader's quickstart course, graded by plain nbgrader and by torchgrade with 1 and 2 workers, in one run.

    python -m benchmarks.classic [--students 12]

The class hands in the example submissions of nbgrader's package, two notebooks each. The cost of the jail alone is what one
kernel takes with and without it, from its start to its end, with one cell.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import nbgrader

from benchmarks.machine import keep
from benchmarks.throughput import run
from torchgrade.kernels.provisioner import JailedKernelManager

ASSIGNMENT = "ps1"
KERNELS = 8
EXAMPLES = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide" / "submitted"
TOOLS = Path(sys.executable).parent


def make_course(root: Path, students: int) -> Path:
    """The quickstart course, generated, with a class that hands in copies of the examples."""
    run([str(TOOLS / "nbgrader"), "quickstart", "plain"], root)
    course = root / "plain"
    run([str(TOOLS / "nbgrader"), "generate_assignment", ASSIGNMENT], course)
    examples = sorted(path for path in EXAMPLES.iterdir() if path.is_dir())
    for number in range(students):
        shutil.copytree(examples[number % len(examples)], course / "submitted" / f"student{number:03}")
    return course


def with_torchgrade(plain: Path, name: str) -> Path:
    """A copy of the course with torchgrade's lines."""
    course = plain.parent / name
    shutil.copytree(plain, course)
    path = course / "nbgrader_config.py"
    lines = "c = get_config()\nfrom torchgrade.classic import configure\nconfigure(c)\n"
    path.write_text(path.read_text(encoding="utf-8").replace("c = get_config()\n", lines, 1), encoding="utf-8")
    return course


def marks(course: Path) -> str:
    """The marks of the class, as nbgrader exports them."""
    subprocess.run([TOOLS / "nbgrader", "export", "--to=marks.csv"], cwd=course, check=True, capture_output=True)
    return (course / "marks.csv").read_text(encoding="utf-8")


def kernel_seconds(*, jailed: bool) -> float:
    """The median wall time of a notebook of one cell, the first one left out."""
    samples = []
    for _ in range(KERNELS + 1):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
        options: dict[str, Any] = {"kernel_manager_class": JailedKernelManager} if jailed else {}
        client = nbclient.NotebookClient(notebook, kernel_name="python3", shutdown_kernel="immediate", **options)
        started = time.perf_counter()
        client.execute()
        samples.append(time.perf_counter() - started)
    return statistics.median(samples[1:])


def main() -> None:
    """Measure, compare the marks, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=12)
    students = parser.parse_args().students
    with tempfile.TemporaryDirectory(prefix="torchgrade-benchmark-") as folder:
        plain = make_course(Path(folder), students)
        one, two = with_torchgrade(plain, "one"), with_torchgrade(plain, "two")
        seconds = {"torchgrade_2_workers": run([str(TOOLS / "torchgrade"), "grade", ASSIGNMENT, "--workers", "2"], two)}
        seconds["nbgrader"] = run([str(TOOLS / "nbgrader"), "autograde", ASSIGNMENT], plain)
        seconds["torchgrade_1_worker"] = run([str(TOOLS / "torchgrade"), "grade", ASSIGNMENT, "--workers", "1"], one)
        nothing = run([str(TOOLS / "torchgrade"), "grade", ASSIGNMENT, "--workers", "2"], two)
        if len({marks(course) for course in (plain, one, two)}) != 1:
            raise SystemExit("the marks differ")
    results = {
        "students": students,
        "notebooks": 2 * students,
        "seconds": {name: round(value, 2) for name, value in seconds.items()},
        "submissions_a_minute": {name: round(60 * students / value, 1) for name, value in seconds.items()},
        "times_as_fast": {name: round(seconds["nbgrader"] / value, 2) for name, value in seconds.items() if name != "nbgrader"},
        "nothing_changed_s": round(nothing, 2),
        "one_kernel_s": {
            "plain": round(kernel_seconds(jailed=False), 3),
            "jailed": round(kernel_seconds(jailed=True), 3),
        },
    }
    print(f"{results}\nwritten to {keep('classic', results)}")


if __name__ == "__main__":
    main()
