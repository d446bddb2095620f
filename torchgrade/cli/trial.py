"""A trial of the whole way from a notebook to a mark: a course of one exercise, made and graded in a folder that is then deleted.

What an installation lacks (a file, a plugin, a library) shows here before a class is graded with it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import nbformat

from torchgrade.authoring import new_exercise
from torchgrade.cli.left_open import cause_of
from torchgrade.course import find_course
from torchgrade.judge.judge import Judge
from torchgrade.notebook import NotebookFile, assignment_of_course, compose

_CONFIG = "from torchgrade.gradebook import configure\n\nc = get_config()\nconfigure(c)\n"
_ASSIGNMENT, _EXERCISE = "trial", "row_means"


def grade_skeleton() -> tuple[float, float]:
    """The shares of the points that a right answer and an untouched stub have. What went wrong beside that is raised."""
    with tempfile.TemporaryDirectory(prefix="torchgrade-doctor-") as folder:
        root = Path(folder)
        root.joinpath("nbgrader_config.py").write_text(_CONFIG, encoding="utf-8")
        course = find_course(root)
        new_exercise(course, _ASSIGNMENT, _EXERCISE)
        source = assignment_of_course(course, _ASSIGNMENT)
        reference = (course.solutions / _ASSIGNMENT / _EXERCISE / "reference.py").read_text(encoding="utf-8")
        shares = []
        with Judge(course) as judge:
            for answers in ({_EXERCISE: reference}, {}):
                notebook = nbformat.writes(compose(source, answers)).encode()
                record = judge.grade(_ASSIGNMENT, "doctor", NotebookFile("trial.ipynb", notebook))
                if cause := cause_of(record):
                    raise RuntimeError(cause)
                shares.append(record.points / record.max_points)
        return shares[0], shares[1]
