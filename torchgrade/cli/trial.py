"""A trial of the whole way from a notebook to a mark: a course of one exercise, made and graded in a folder that is then deleted.

What an installation lacks (a file, a plugin, a library) shows here before a class is graded with it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchgrade.jail.diagnose.doctor import Finding

_CONFIG = "from torchgrade.gradebook import configure\n\nc = get_config()\nconfigure(c)\n"
_ASSIGNMENT, _EXERCISE = "trial", "row_means"


def try_grading() -> Finding:
    """Grade the skeleton of ``torchgrade new`` twice: its reference, which has all points, and its stub, which has none."""
    from torchgrade.jail.diagnose.doctor import Finding  # noqa: PLC0415 - slow imports only where they are used

    try:
        right, untouched = _points()
    except Exception as error:  # noqa: BLE001 - whatever it is, it stands in the way of grading
        said = str(error).strip().rpartition("\n")[2] or type(error).__name__
        return Finding("grading", "does not work", good=False, remedy=said)
    told = f"a right answer has {right:.0%} of the points, an untouched stub {untouched:.0%}"
    if (right, untouched) != (1.0, 0.0):
        return Finding(
            "grading", told, good=False, remedy="These should be 100% and 0%: torchgrade is not whole, install it again."
        )
    return Finding("grading", told)


def _points() -> tuple[float, float]:
    """The shares of the points that a right answer and an untouched stub have. What went wrong beside that is raised."""
    import nbformat  # noqa: PLC0415

    from torchgrade.authoring import new_exercise  # noqa: PLC0415
    from torchgrade.cli.left_open import cause_of  # noqa: PLC0415
    from torchgrade.course import find_course  # noqa: PLC0415
    from torchgrade.judge.judge import Judge  # noqa: PLC0415
    from torchgrade.notebook import NotebookFile, assignment_of_course, compose  # noqa: PLC0415

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
