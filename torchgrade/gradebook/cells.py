"""The copy of a submission that people read: the assignment's cells as handed out, the student's beside them.

A submission's metadata is the student's to write. nbgrader's steps trust much of it (points, locks, names; a broken one
stops them), and Formgrader and the feedback page draw it. So before any of them looks, it is thrown away and put back
from ``assignments/``: what belongs to the assignment is known by its ``grade_id`` alone.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from torchgrade.gradebook.exercises import has_checks, is_graded_by_hand, own_notebook
from torchgrade.gradebook.nbgrader_course import course_of
from torchgrade.gradebook.resources import Resources
from torchgrade.notebook.cells import grade_id_of

_new: Any = nbformat.v4  # its functions have no types
# Characters that make text read differently from what it is: bidirectional overrides, embeddings and isolates.
_INVISIBLE = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\N{REPLACEMENT CHARACTER}")
_IMAGES = ("image/png", "image/jpeg", "image/gif")


class RestoreCells(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Rebuild the submission, if checks give points in it, from its cells' text and the assignment's everything else.

    Locked cells and grade cells stand as in the assignment, deleted ones included, and once each. Of two cells with the
    name of one solution the last keeps it, as in a run from top to bottom. All other metadata is gone, and so is raw
    HTML: raw cells become indented text.
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
    """Return whether the text of this cell of the assignment is the student's to write."""
    return bool(cell.metadata.nbgrader.get("solution"))


def _known(cell: NotebookNode, original: NotebookNode) -> NotebookNode:
    known = copy.deepcopy(original)
    if is_answer(original) or original.metadata.nbgrader.get("task"):
        known.source = _text(cell.source) if is_answer(original) else original.source
        if cell.cell_type == known.cell_type == "markdown":
            known.update(_attachments(cell))
        if cell.cell_type == known.cell_type == "code" and is_graded_by_hand(original):
            known.outputs = copy.deepcopy(cell.get("outputs", []))  # of which pictures stay: ClearOutputButPictures
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
    """The pictures that were pasted into a text cell, and nothing else that may stand there."""
    kept = {}
    attachments = cell.get("attachments")
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        formats = bundle.items() if isinstance(bundle, dict) else ()
        if pictures := {kind: data for kind, data in formats if kind in _IMAGES and isinstance(data, str)}:
            kept[_text(name)] = pictures
    return {"attachments": kept} if kept else {}


def _add_missing(cells: list[NotebookNode], own: dict[str, NotebookNode]) -> None:
    """Put back what the student may not delete, each after the cell that it follows in the assignment."""
    place = 0
    for name, original in own.items():
        here = next((index for index, cell in enumerate(cells) if grade_id_of(cell) == name), None)
        if here is None and not is_answer(original):
            cells.insert(place, copy.deepcopy(original))
            here = place
        if here is not None:
            place = here + 1


def _with_unique_ids(cells: list[NotebookNode]) -> Iterator[NotebookNode]:
    """Cells that were copied from the assignment more than once must not share an id, which notebooks forbid."""
    for number, cell in enumerate(cells):
        if grade_id_of(cell) is None:
            # Not a random one: the same submission gives the same copy.
            cell["id"] = f"submitted-{number}"
        yield cell
