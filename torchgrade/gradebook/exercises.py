"""Which grade cells get their points from checks, which from tests that stand in them, and which from a person.

In a course of checks every automatically graded cell gets them from checks, and is named ``<exercise>-check``. In a classic
course only those do that call ``check("<exercise>")`` as well, in the notebook that has the assignment's name; other cells and
other notebooks hold tests of their own.
"""

from __future__ import annotations

import functools
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from torchgrade.course import CHECKS_COURSE, Course, CourseKind
from torchgrade.gradebook.errors import GradebookError
from torchgrade.notebook.cells import CHECK, exercise_among_tests, facts_of
from torchgrade.notebook.reading import REFUSALS


def exercise_of(cell: NotebookNode, kind: CourseKind = CHECKS_COURSE) -> str | None:
    """The exercise that a cell grades automatically; ``None`` for any other cell, manually graded ones among them.

    Raises :class:`GradebookError` for a grade cell that belongs to no exercise, unless it may hold tests of its own.
    """
    if kind.tests_in_cells:
        return exercise_among_tests(cell)
    facts = cell.metadata.get("nbgrader", {})
    if cell.cell_type != "code" or not facts.get("grade") or facts.get("solution"):
        return None
    name = str(facts["grade_id"])
    if not name.endswith(CHECK):
        raise GradebookError(f"the grade cell {name!r} belongs to no exercise: its name must be an exercise's name and {CHECK!r}")
    return name.removesuffix(CHECK)


def is_graded_by_hand(cell: NotebookNode) -> bool:
    """Return whether a person gives this cell's points: an answer that is both solution and grade cell, or a task."""
    facts = facts_of(cell)
    return (facts.get("grade") is True and facts.get("solution") is True) or facts.get("task") is True


def has_checks(course: Course, assignment: str, notebook: str = "") -> bool:
    """Return whether checks give points in an assignment, or in this one of its notebooks; in a course of checks they always do.

    Raises :class:`GradebookError` for a notebook of a classic course whose exercises cannot be graded.
    """
    return not course.kind.tests_in_cells or bool(exercises_among_tests(course, assignment, notebook))


def exercises_among_tests(course: Course, assignment: str, notebook: str = "") -> list[str]:
    """The exercises in the notebooks of a classic course's assignment, or in this one of them.

    Raises :class:`GradebookError` where they stand in a notebook without the assignment's name, or have no graders.
    """
    names: list[str] = []
    for path in course.notebooks(assignment):
        if notebook not in ("", path.stem):
            continue
        found = [name for cell in own_notebook(path).cells if (name := exercise_among_tests(cell)) is not None]
        if found and path.stem != assignment:
            raise GradebookError(
                f"the exercise {found[0]!r} stands in {path.name}: checks look into {assignment}.ipynb alone; move it there, "
                "or rename that notebook"
            )
        names += found
    folder = course.graders / assignment
    for name in names:
        if not any((folder / f"{kind}_{name}.py").is_file() for kind in ("test", "public")):
            raise GradebookError(
                f"the exercise {name!r} of {assignment} has no checks: expected {folder / f'test_{name}.py'}; write it "
                f"(docs/authoring.md), or let the cell {name + CHECK!r} hold a test instead of check({name!r})"
            )
    return names


def own_notebook(path: Path) -> NotebookNode:
    """A notebook of the course itself, as it is on the disk now; not to be changed.

    Raises :class:`GradebookError` where the file is none.
    """
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise GradebookError(f"cannot read {path}: {error.strerror or error}") from error
    except REFUSALS as error:
        raise GradebookError(f"{path} is not a notebook: mend it, after a merge that left conflicts for example") from error


@functools.lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> NotebookNode:
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook
