"""The course that ``nbgrader quickstart`` makes, with the example submissions that nbgrader's package has."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import nbformat
import nbgrader
import warm_commands
from warm_commands import TOOLS, environment

EXAMPLES = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide" / "submitted"
GRADES = """
SELECT student.id, notebook.name, base_cell.name, grade.auto_score, grade.extra_credit, grade.needs_manual_grade
FROM grade
JOIN submitted_notebook ON grade.notebook_id = submitted_notebook.id
JOIN notebook ON notebook.id = submitted_notebook.notebook_id
JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
JOIN student ON student.id = submitted_assignment.student_id
JOIN base_cell ON base_cell.id = grade.cell_id
ORDER BY 1, 2, 3
"""
COMMENTS = (
    GRADES.replace("FROM grade", "FROM comment")
    .replace("grade.auto_score, grade.extra_credit, grade.needs_manual_grade", "comment.auto_comment")
    .replace("grade.", "comment.")
)


def run(folder, *command, before=()):
    """A command of the real thing in a course's folder, with these words ``before`` it; its exit status, and what it said."""
    line = [*before, TOOLS / command[0], *command[1:]]
    done = warm_commands.run(line, cwd=folder, env=environment())
    return done.returncode, done.stdout + done.stderr


def make_plain(root):
    """The course, its assignment ``ps1`` generated, its examples handed in; for nbgrader alone."""
    status, said = run(root.parent, "nbgrader", "quickstart", root.name)
    assert status == 0, said
    status, said = run(root, "nbgrader", "generate_assignment", "ps1")
    assert status == 0, said
    shutil.copytree(EXAMPLES, root / "submitted")


def make_classic(plain, root, *lines):
    """A copy of the course with torchgrade's line in its configuration, and these."""
    shutil.copytree(plain, root)
    path = root / "nbgrader_config.py"
    ours = "\n".join(["c = get_config()", "from torchgrade.classic import configure", "configure(c)", *lines, ""])
    path.write_text(path.read_text().replace("c = get_config()\n", ours, 1))


def hand_in(root, student, squares, *, like="bitdiddle"):
    """Hand in ``problem1`` alone, as another student has, with this source in the cell that is to define ``squares``."""
    folder = root / "submitted" / student / "ps1"
    folder.mkdir(parents=True)
    notebook = nbformat.read(root / "submitted" / like / "ps1" / "problem1.ipynb", as_version=4)
    next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "squares").source = squares
    nbformat.write(notebook, folder / "problem1.ipynb")


def table(root, query=GRADES):
    """What the gradebook holds."""
    book = sqlite3.connect(root / "gradebook.db")
    try:
        return book.execute(query).fetchall()
    finally:
        book.close()


def outputs(root, student, notebook="problem1"):
    """The outputs of a graded copy, by cell, without the times at which they came."""
    copy = nbformat.read(root / "autograded" / student / "ps1" / f"{notebook}.ipynb", as_version=4)
    return [(cell.source, cell.get("outputs"), cell.get("execution_count")) for cell in copy.cells]
