"""A course of one assignment and two exercises, made in a folder, with records that a test writes instead of grading."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from warm_commands import TOOLS, environment, run

from torchgrade.course import Course, Submission, find_course
from torchgrade.record import Check, Exercise, Outcome, Record, Results, Visibility
from torchgrade.runs.reuse import rests_on

ASSIGNMENT = "sums"
POINTS = {"add": 4.0, "double": 6.0}
HIDDEN = {"add": {"values": 2}, "double": {"values": 1, "gradients": 2}}
PUBLIC = '''from torchgrade import points


@points(0, kind="values")
def test_small(student):
    """Small."""
    assert student.add is not None
'''
CHECK = """

@points({points}, kind="{kind}")
def test_{kind}_{number}(student):
    \"\"\"Right {number}.\"\"\"
    assert student.{exercise} is not None
"""
REPOSITORY = Path(__file__).parents[2]

CONFIG = """
from torchgrade.gradebook import configure

c = get_config()
configure(c)
c.CourseDirectory.course_id = "tiny"
"""
STUB = '''def {name}(x):
    """What it does."""
    raise NotImplementedError
'''
ANSWERS = {
    "add": "def add(x):\n    total = x.new_zeros(())\n    return total + x.sum(dim=-1)\n",
    "double": "def double(x):\n    return torch.add(x, x, alpha=1)\n",
}


def meta(grade_id: str, **flags: Any) -> dict[str, Any]:
    """The metadata of one of nbgrader's cells."""
    facts = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}
    return {"nbgrader": {**facts, "grade_id": grade_id, **flags}}


def assignment_notebook() -> Any:
    """Title, imports, then for each exercise a text, a stub and a grade cell."""
    cells = [
        new_markdown_cell("# Sums", id="title", metadata=meta("title")),
        new_code_cell("import torch", id="imports", metadata=meta("imports")),
    ]
    for name, points in POINTS.items():
        solution = meta(name, locked=False, solution=True)
        graded = meta(f"{name}-check", grade=True, points=points)
        cells += [
            new_markdown_cell(f"## {name}\n\n$x < y$", id=f"text-{name}", metadata=meta(f"text-{name}")),
            new_code_cell(STUB.format(name=name), id=name, metadata=solution),
            new_code_cell(f'check("{name}")', id=f"{name}-check", metadata=graded),
        ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def grader(exercise: str) -> str:
    """The hidden checks of an exercise: as many of each kind as HIDDEN has, that add up to its points."""
    kinds = HIDDEN[exercise]
    each = POINTS[exercise] / sum(kinds.values())
    checks = [
        CHECK.format(points=each, kind=kind, number=number, exercise=exercise)
        for kind, count in kinds.items()
        for number in range(count)
    ]
    return "from torchgrade import points\n" + "".join(checks)


class TinyCourse:
    """The course's folder and what happens in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        files = {
            "nbgrader_config.py": CONFIG,
            "graders/__init__.py": "",
            "graders/sums/__init__.py": "",
            "graders/sums/public_add.py": PUBLIC,
            **{f"graders/sums/test_{name}.py": grader(name) for name in POINTS},
            "assignments/sums/data.csv": "1,2\n",
            **{f"solutions/sums/{name}/reference.py": f'"""Right."""\n{code}' for name, code in ANSWERS.items()},
            "solutions/sums/double/chaffs/naive.py": '"""Wrong."""\ndef double(x):\n    return x.detach() + x.detach()\n',
        }
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.write(root / "assignments/sums/sums.ipynb", assignment_notebook())

    @property
    def course(self) -> Course:
        """As torchgrade's commands find it."""
        return find_course(self.root)

    @staticmethod
    def write(path: Path, notebook: Any) -> None:
        """Write a notebook."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(nbformat.writes(notebook) + "\n")

    def submit(self, student: str, notebook: Any = None, *, timestamp: str = "") -> Path:
        """Hand in ``notebook``, or the released one as it is."""
        folder = self.root / "submitted" / student / ASSIGNMENT
        if notebook is None:
            notebook = nbformat.read(self.root / "release/sums/sums.ipynb", as_version=4)
        self.write(folder / "sums.ipynb", notebook)
        if timestamp:
            (folder / "timestamp.txt").write_text(timestamp)
        return folder / "sums.ipynb"

    def grade(self, student: str, add: float, double: float, *, outcome: Outcome | None = None, **facts: Any) -> Record:
        """Write a record of what is handed in that gives these points; ``outcome`` is that of a further check of ``double``."""
        exercises = (exercise("add", add), exercise("double", double, outcome))
        digests = rests_on(self.course, Submission(ASSIGNMENT, student))
        record = Record(ASSIGNMENT, student, exercises, digests, seed=1, environment={}, **facts)
        Results(self.root / "results").write(record)
        return record

    def nbgrader(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run nbgrader's own command line in the course's folder."""
        # Another nbgrader_config.py of whoever runs the tests must not be read.
        env = environment(JUPYTER_CONFIG_DIR=str(self.root / ".jupyter"), JUPYTER_NO_CONFIG="")
        return run([TOOLS / "nbgrader", *arguments], cwd=self.root, env=env)


def exercise(name: str, points: float, outcome: Outcome | None = None) -> Exercise:
    """An exercise with one check that decides, and one with ``outcome`` that is worth a point."""
    extra = () if outcome is None else (Check("test_extra", "Extra", Visibility.HIDDEN, outcome, 0.0, 1.0),)
    most = POINTS[name] - len(extra)
    decided = Outcome.PASSED if points == most else Outcome.FAILED
    check = Check("test_values", "Values are right", Visibility.HIDDEN, decided, points, most, message="of <b>3</b>")
    return Exercise(name, POINTS[name], (check, *extra))


def scores(root: Path) -> dict[str, dict[str, tuple[float | None, bool]]]:
    """Per student, the score and the flag "needs manual grade" of each grade cell in the gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", "tiny") as book:
        return {
            submission.student.id: {
                grade.name: (grade.auto_score, grade.needs_manual_grade)
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in book.assignment_submissions(ASSIGNMENT)
        }
