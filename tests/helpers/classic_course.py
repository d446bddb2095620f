"""A small classic course: one assignment ``ps`` of one notebook, with two answers, their tests, and one that a person grades."""

from __future__ import annotations

import json
import shutil
import sqlite3

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from quickstart import run

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "doubles"
from torchgrade.classic import configure
configure(c)
"""
SOLUTION = "### BEGIN SOLUTION\n{}\n### END SOLUTION"
CELLS = {
    "given": "factor = 2",
    "double": SOLUTION.format("def double(x):\n    return factor * x"),
    "samples": "samples = [1, 3]",
    "double-test": "assert [double(x) for x in samples] == [2, 6]",
    "total": SOLUTION.format("def total(xs):\n    return sum(xs)"),
    "total-test": "assert total(samples) == 4\n### BEGIN HIDDEN TESTS\nassert total([]) == 0\n### END HIDDEN TESTS",
    "essay": "Why?",
}
POINTS = {"double-test": 2, "total-test": 1, "essay": 3}
ANSWERS = {"double", "total", "essay"}
RIGHT = {"double": "def double(x):\n    return factor * x\n", "total": "def total(xs):\n    return sum(xs)\n", "essay": "So."}
WRONG = "def double(x):\n    return 0\n"
SLOW = "import time\ntime.sleep(2)\n" + RIGHT["double"]


def cell(name):
    """A cell of the assignment."""
    facts = {"grade": name in POINTS, "solution": name in ANSWERS, "locked": name not in ANSWERS, "task": False}
    facts |= {"grade_id": name, "schema_version": 3} | ({"points": POINTS[name]} if name in POINTS else {})
    return (new_markdown_cell if name == "essay" else new_code_cell)(CELLS[name], id=name, metadata={"nbgrader": facts})


def make(root, *lines, write=lambda text: text):
    """The course, with these lines in its configuration; ``write`` may change the text of the notebook's file."""
    (root / "source" / "ps").mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(CONFIG + "".join(f"{line}\n" for line in lines))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new_notebook(cells=[cell(name) for name in CELLS], metadata={"kernelspec": kernel})
    (root / "source" / "ps" / "ps.ipynb").write_text(write(nbformat.writes(notebook)))
    release(root)


def release(root):
    """Into the gradebook, and the folder ``release/ps``."""
    status, said = run(root, "torchgrade", "release", "ps")
    assert status == 0, said


def hand_in(root, student, change=lambda cells: cells, name="ps.ipynb", **answers):
    """Hand in right answers, but for these; ``change`` gives the cells that are handed in, of those that were released."""
    folder = root / "submitted" / student / "ps"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    notebook = nbformat.read(root / "release" / "ps" / "ps.ipynb", as_version=4)
    for each in notebook.cells:
        each.source = (RIGHT | answers).get(each.metadata["nbgrader"]["grade_id"], each.source)
    notebook.cells = change(notebook.cells)
    nbformat.write(notebook, folder / name)
    return folder


def grade(root, *options, before=()):
    """``torchgrade grade ps``; its exit status and what it said."""
    return run(root, "torchgrade", "grade", "ps", "--workers", "2", *options, before=before)


def scores(root):
    """By student, of those who have a submission in the gradebook: the automatic scores of both tests."""
    with sqlite3.connect(root / "gradebook.db") as book:
        rows = book.execute(
            "SELECT a.student_id, c.name, g.auto_score FROM submitted_assignment a"
            " JOIN submitted_notebook n ON n.assignment_id = a.id JOIN grade g ON g.notebook_id = n.id"
            " JOIN base_cell c ON c.id = g.cell_id"
        ).fetchall()
    book.close()
    found = {}
    for student, name, score in rows:
        found.setdefault(student, {})[name] = score
    return {student: (cells["double-test"], cells["total-test"]) for student, cells in found.items()}


def has_run(root, student):
    """Whether the student's graded copy is there, with cells that were run."""
    try:
        copy = json.loads((root / "autograded" / student / "ps" / "ps.ipynb").read_text())
    except (OSError, ValueError):  # not there, or being written
        return False
    return any(each.get("execution_count") for each in copy["cells"])
