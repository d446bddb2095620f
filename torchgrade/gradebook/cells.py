"""The cells of a submission: where a grade cell's points come from, and the copy that people read."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearOutput, NbGraderPreprocessor

from torchgrade.course import CHECKS_COURSE, Course, CourseKind
from torchgrade.errors import cannot
from torchgrade.gradebook.nbgrader_course import GradebookError, Resources, course_of
from torchgrade.notebook.cells import CHECK, exercise_among_tests, facts_of, grade_id_of
from torchgrade.notebook.pictures import pictures_of
from torchgrade.notebook.reading import REFUSALS

# ---- the source of a grade cell's points: checks, tests inside it, or a person
#
# In a course of checks, every automatically graded cell gets them from checks, and is named ``<exercise>-check``. In a classic
# course, a cell does so only if it also calls ``check("<exercise>")``, and is in the notebook that has the assignment's name.
# Other cells and other notebooks hold tests of their own.


def exercise_of(cell: NotebookNode, kind: CourseKind = CHECKS_COURSE) -> str | None:
    """The exercise that a cell grades automatically; ``None`` for any other cell, including manually graded ones.

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
    """Return whether checks give points in an assignment or, if named, in this notebook; in a course of checks they always do.

    Raises :class:`GradebookError` for a notebook of a classic course whose exercises cannot be graded.
    """
    return not course.kind.tests_in_cells or bool(exercises_among_tests(course, assignment, notebook))


def exercises_among_tests(course: Course, assignment: str, notebook: str = "") -> list[str]:
    """The exercises in the notebooks of a classic course's assignment or, if named, in this notebook.

    Raises :class:`GradebookError` if they are in a notebook that does not have the assignment's name, or have no graders.
    """
    names: list[str] = []
    for path in course.notebooks(assignment):
        if notebook not in ("", path.stem):
            continue
        found = [name for cell in own_notebook(path).cells if (name := exercise_among_tests(cell)) is not None]
        if found and path.stem != assignment:
            raise GradebookError(
                f"the exercise {found[0]!r} is in {path.name}, but checks look only into {assignment}.ipynb: move it there, "
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
    """A notebook of the course itself, as it is on disk now; do not change it.

    Raises :class:`GradebookError` if the file is not a notebook.
    """
    try:
        with cannot(f"read {path}", GradebookError):
            return _read(path, path.stat().st_mtime_ns)
    except REFUSALS as error:
        raise GradebookError(f"{path} is not a notebook: repair it, for example after a merge that left conflicts") from error


@functools.lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> NotebookNode:
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


# ---- the copy of a submission that people read
#
# It has the assignment's cells as they were handed out, and the student's among them.
#
# Students can write anything into a submission's metadata. nbgrader's steps trust much of it (points, locks, names; broken
# metadata stops them), and Formgrader and the feedback page show it. So before any of them looks, it is thrown away and restored
# from ``assignments/``: only its ``grade_id`` tells which of the assignment's cells a cell is.

_new: Any = nbformat.v4  # its functions have no types
# Characters that make text read differently from what it is: bidirectional overrides, embeddings and isolates.
_INVISIBLE = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\N{REPLACEMENT CHARACTER}")
_IMAGES = ("image/png", "image/jpeg", "image/gif")


class RestoreCells(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Rebuild the submission, if checks give points in it: the text of its cells, and everything else from the assignment.

    Locked cells and grade cells are as in the assignment, once each, even if they were deleted. If two cells have the name of
    one solution, the last one keeps it, as in a run from top to bottom. All other metadata is gone, and so is raw HTML: raw
    cells become indented text.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Nbconvert's entry: the notebook as nbgrader may see it."""
        course, facts = course_of(self), resources["nbgrader"]
        if not has_checks(course, facts["assignment"], facts["notebook"]):
            return nb, resources
        path = course.assignments / facts["assignment"] / f"{facts['notebook']}.ipynb"
        return restore(nb, own_notebook(path)), resources


def restore(submission: NotebookNode, assignment: NotebookNode) -> NotebookNode:
    """A new notebook: the cells of ``submission``, in its order, with the assignment's own put back."""
    own = {name: cell for cell in assignment.cells if (name := grade_id_of(cell)) is not None}
    last = {name: index for index, cell in enumerate(submission.cells) if (name := grade_id_of(cell)) in own}
    cells = [
        _known(cell, own[name]) if (name := grade_id_of(cell)) is not None and last.get(name) == index else _other(cell)
        for index, cell in enumerate(submission.cells)
    ]
    _add_missing(cells, own)
    restored = copy.deepcopy(assignment)
    restored.cells = list(_with_unique_ids(cells))
    return restored


def is_answer(cell: NotebookNode) -> bool:
    """Return whether students may write the text of this cell of the assignment."""
    return bool(cell.metadata.nbgrader.get("solution"))


def _known(cell: NotebookNode, original: NotebookNode) -> NotebookNode:
    known = copy.deepcopy(original)
    if is_answer(original) or original.metadata.nbgrader.get("task"):
        known.source = _text(cell.source) if is_answer(original) else original.source
        if cell.cell_type == known.cell_type == "markdown":
            known.update(_attachments(cell))
        if cell.cell_type == known.cell_type == "code" and is_graded_by_hand(original):
            known.outputs = copy.deepcopy(cell.get("outputs", []))  # only pictures stay: see ClearOutputButPictures
    return known


def _other(cell: NotebookNode) -> NotebookNode:
    source = _text(cell.source)
    new: NotebookNode
    if cell.cell_type == "code":
        new = _new.new_code_cell(source)
    elif cell.cell_type == "markdown":
        new = _new.new_markdown_cell(source, **_attachments(cell))
    else:
        new = _new.new_markdown_cell("\n".join("    " + line for line in source.split("\n")))
    return new


def _text(source: str) -> str:
    return source.encode("utf-8", "replace").decode("utf-8").translate(_INVISIBLE)


def _attachments(cell: NotebookNode) -> dict[str, dict[str, dict[str, str]]]:
    """The pictures that were pasted into a text cell, and nothing else that may be attached to it."""
    kept = {}
    attachments = cell.get("attachments")
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        formats = bundle.items() if isinstance(bundle, dict) else ()
        if pictures := {kind: data for kind, data in formats if kind in _IMAGES and isinstance(data, str)}:
            kept[_text(name)] = pictures
    return {"attachments": kept} if kept else {}


def _add_missing(cells: list[NotebookNode], own: dict[str, NotebookNode]) -> None:
    """Put back the cells that students may not delete, each after the cell that it follows in the assignment."""
    place = 0
    for name, original in own.items():
        here = next((index for index, cell in enumerate(cells) if grade_id_of(cell) == name), None)
        if here is None and not is_answer(original):
            cells.insert(place, copy.deepcopy(original))
            here = place
        if here is not None:
            place = here + 1


def _with_unique_ids(cells: list[NotebookNode]) -> Iterator[NotebookNode]:
    """Give each cell an id of its own: a cell of the assignment may have been copied, and notebooks forbid equal ids."""
    for number, cell in enumerate(cells):
        if grade_id_of(cell) is None:
            # Not a random one: the same submission gives the same copy.
            cell["id"] = f"submitted-{number}"
        yield cell


# ---- pictures in answers that a person grades
#
# They are kept as they were handed in, since nothing here runs the notebook and draws them again.
#
#     submission ──► ClearOutputButPictures ──► autograded copy ──► Formgrader, feedback page
#
# Every other output is cleared, as nbgrader does. That a picture was drawn by the code beside it is only the student's claim.


class ClearOutputButPictures(ClearOutput):  # type: ignore[misc]  # nbgrader has no types
    """Clear a submission's outputs, except the PNG and JPEG pictures in answers that a person grades."""

    def preprocess_cell(self, cell: NotebookNode, resources: Resources, cell_index: int) -> tuple[NotebookNode, Resources]:
        """Nbconvert's entry, for one cell."""
        kept = pictures_of(cell.get("outputs")) if is_graded_by_hand(cell) else []
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if kept:
            cell.outputs = nbformat.from_dict(kept)
        return cell, resources
