"""Steps for notebooks with tests in their own cells, in place of those of nbgrader that give marks for nothing, or no marks.

PutBackDeletedCells    a submission in which a grade cell is missing
SaveScores             a score from what a test cell put out
HideTests              a feedback page without hidden tests
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import ClearHiddenTests, OverwriteCells, SaveAutoGrades
from traitlets import Bool

from torchgrade.classic.execute import not_run
from torchgrade.gradebook.cells import own_notebook
from torchgrade.gradebook.nbgrader_course import Resources, course_of, handed_on
from torchgrade.notebook.cells import grade_id_of

# ---- grade cells that a student deleted


class PutBackDeletedCells(OverwriteCells):  # type: ignore[misc]  # nbgrader has no types
    """Grade cells that a student deleted, put back where they stood, whatever else was deleted with them.

        the answer or test before it is there    after that one, as nbgrader does
        it is not                                before the assignment's next cell that is there; at the end, if there is none

    nbgrader's own step looks for the preceding cell among the grade and solution cells of the submission. If that one is gone,
    too, or is neither a grade nor a solution cell, the submission gets no marks; nor does it if a student has copied a cell.

    This is nbgrader's step that restores the assignment's cells; its settings are those of ``c.OverwriteCells``.
    """

    def preprocess_cell(self, cell: NotebookNode, resources: Resources, cell_index: int) -> tuple[NotebookNode, Resources]:
        """Make one cell what it was in the assignment; any cell that is not the assignment's is the student's own."""
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if grade_id_of(cell) is None:  # nbgrader removes only the name, and would fail on the rest
            cell.metadata.pop("nbgrader", None)
        return cell, resources

    def add_missing_grade_cells(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Put back each cell that is worth points, including answers to be graded by hand."""
        known = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
        sources = {cell.name: cell for cell in known.source_cells}
        answers = {cell.name for cell in known.solution_cells}
        points = {cell.name: cell.max_score for cell in known.grade_cells}
        missing = points.keys() - {grade_id_of(cell) for cell in nb.cells if _is_marked(cell)}
        order = self._order(sources) if missing else []
        for name in order:
            if name in missing:
                cell = self.missing_cell_transform(sources[name], points[name], is_solution=name in answers)
                self._put(cell, nb, _place(nb, order, name))
        return nb, resources

    def add_missing_task_cells(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Put back each task at the end, as nbgrader does."""
        known = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
        sources = {cell.name: cell for cell in known.source_cells}
        points = {cell.name: cell.max_score for cell in known.task_cells}
        missing = points.keys() - {grade_id_of(cell) for cell in nb.cells}
        for name in self._order(sources) if missing else []:
            if name in missing:
                self._put(self.missing_cell_transform(sources[name], points[name], is_task=True), nb, len(nb.cells))
        return nb, resources

    def _order(self, sources: Mapping[str, object]) -> list[str]:
        """The names of the assignment's cells in the order of its notebook; the gradebook keeps them in no order."""
        path = course_of(self).assignments / self.assignment_id / f"{self.notebook_id}.ipynb"
        names = [name for cell in own_notebook(path).cells if (name := grade_id_of(cell)) is not None and name in sources]
        return [*names, *(name for name in sources if name not in names)]

    def _put(self, cell: NotebookNode, nb: NotebookNode, place: int) -> None:
        self.log.warning("the cell %r was deleted, and is put back", grade_id_of(cell))
        cell["id"] = f"put-back-{len(nb.cells)}"
        nb.cells.insert(place, cell)


def _is_marked(cell: NotebookNode) -> bool:
    return bool(utils.is_grade(cell) or utils.is_solution(cell))


def _place(nb: NotebookNode, order: list[str], name: str) -> int:
    """The place where a missing cell belongs."""
    places = {grade_id: index for index, cell in enumerate(nb.cells) if (grade_id := grade_id_of(cell)) is not None}
    here = order.index(name)
    if here == 0:
        return 0
    before = places.get(order[here - 1])
    if before is not None and _is_marked(nb.cells[before]):
        return before + 1
    earliest = 1 + max((places[each] for each in order[:here] if each in places), default=-1)
    return max(earliest, next((places[each] for each in order[here:] if each in places), len(nb.cells)))


# ---- scores of test cells

_LONGEST = 80


class SaveScores(SaveAutoGrades):  # type: ignore[misc]  # nbgrader has no types
    """From the outputs of a test cell to its score; nbgrader's own rule sometimes gives marks for nothing.

        outputs ──► without stderr ──► none, and never run: 0
                                   ──► a last value that is not a score: open, and the instructor is told
                                   ──► nbgrader's rule: an error is 0, a number is the score, anything else full marks

    This is only for test cells: what a student wrote to be graded by hand is left to nbgrader as it is.

    This is nbgrader's step that enters the scores. Each setting brings back what plain nbgrader does.
    """

    stderr_fails = Bool(default_value=False, help="Whether output on stderr, say a warning, makes a test fail.").tag(config=True)
    other_values_pass = Bool(
        default_value=False,
        help="Whether a last value that is not a score (nan, False, a text, a negative number) gives full marks. Otherwise the "
        "cell waits to be graded by hand, and the run names it.",
    ).tag(config=True)
    unrun_passes = Bool(
        default_value=False, help="Whether a test cell that was not run, and shows nothing, gives full marks."
    ).tag(config=True)

    def preprocess_cell(self, cell: NotebookNode, resources: Any, cell_index: int) -> tuple[NotebookNode, Any]:
        """Enter the score of one cell, or its comment; the notebook's own cell stays as it is."""
        judged = cell
        if utils.is_grade(cell) and cell.cell_type == "code" and not utils.is_solution(cell):
            name = f"{resources['nbgrader']['notebook']}: {cell.metadata.nbgrader['grade_id']}"
            judged = self._judged(cell, name, handed_on(resources).problems)
        super().preprocess_cell(judged, resources, cell_index)
        return cell, resources

    def _judged(self, cell: NotebookNode, name: str, problems: list[str]) -> NotebookNode:
        """The test cell as nbgrader's rule should see it; if its last value is not a score, a cell that is left to a person."""
        outputs = [output for output in cell.outputs if self.stderr_fails or not _is_stderr(output)]
        if not self.unrun_passes and cell.get("execution_count") is None and not cell.outputs:
            outputs = [not_run("This cell was not run.")]
        elif not self.other_values_pass and (problem := _problem_of(outputs, float(cell.metadata.nbgrader["points"]))):
            self.log.error("%s %s", name, problem)
            problems.append(f"{name} {problem}")
            return NotebookNode({**cell, "cell_type": "markdown"})
        return NotebookNode({**cell, "outputs": outputs})


def _problem_of(outputs: list[Any], points: float) -> str:
    """Why the last value is not a score, in words that follow the cell's name; empty if it is one, or if no value decides."""
    deciding = next((output for output in outputs if _decides(output)), None)
    if deciding is None or deciding.output_type != "execute_result":
        return ""
    text = str(deciding.get("data", {}).get("text/plain", ""))
    if _is_score(text, points):
        return ""
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return (
        f"ended with {shown!r}, which is not a score from 0 to {points:g}. Fix the test (a test without partial credit "
        "ends with a line that has no value), or grade this cell by hand"
    )


def _is_stderr(output: Any) -> bool:
    return bool(output.output_type == "stream" and output.name == "stderr")


def _decides(output: Any) -> bool:
    return output.output_type in ("error", "execute_result") or _is_stderr(output)


def _is_score(text: str, points: float) -> bool:
    try:
        score = float(text)
    except ValueError:
        return False
    return math.isfinite(score) and 0 <= score <= points


# ---- feedback without hidden tests

HERE = "# A hidden test stands here."
QUOTED = "(This quotes a hidden test.)"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SHORTEST = 6
"""Least length of a line that is looked for in outputs; shorter ones, such as ``else:``, are in other code, too."""


class HideTests(ClearHiddenTests):  # type: ignore[misc]  # nbgrader has no types
    """Removes hidden tests from feedback: the tests themselves, and what errors and printed text quote from them.

        a region of hidden tests in a cell       one line that says that there is one
        a frame of that cell in a traceback      one line that says where it would be
        any output of any cell that quotes one   the same

    It hides what nbgrader would show by itself. Code that looks for the tests can still put them out in another form, because it
    runs in the same process.

    For ``GenerateFeedback.preprocessors``; its delimiters are those of ``c.ClearHiddenTests``.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Nbconvert's entry."""
        hidden: set[str] = set()
        numbers: set[str] = set()
        for cell in nb.cells:
            if utils.is_grade(cell) and not utils.is_solution(cell):  # in any other cell the words are the student's
                whole = cell.source.splitlines()
                if self._remove_hidden_test_region(cell):
                    left = cell.source.splitlines()
                    hidden.update(" ".join(line.split()) for line in whole if line not in left)
                    numbers.add(str(cell.get("execution_count")))
                    cell.source = "\n".join([*left, HERE])
        quotes = _Quotes({line for line in hidden if len(line) >= _SHORTEST}, numbers)
        for cell in nb.cells:
            for output in cell.get("outputs", ()):
                quotes.hide(output)
        return nb, resources


class _Quotes:
    """Finds these lines in outputs, and in tracebacks the frames of the cells with these numbers."""

    def __init__(self, lines: set[str], numbers: set[str]) -> None:
        self._lines = lines
        self._frame = re.compile(rf"\s*(Cell |Input )?In ?\[({'|'.join(numbers)})\]")

    def hide(self, output: NotebookNode) -> None:
        """Replace whatever quotes a test by a line that says so."""
        if not self._lines:
            return
        if output.output_type == "error":
            output.traceback = [
                QUOTED if self._is_frame(part) or self._in(part) else part for part in output.get("traceback", ())
            ]
            if self._in(output.evalue):
                output.evalue = QUOTED
        elif output.output_type == "stream" and self._in(output.text):
            output.text = QUOTED + "\n"
        elif "data" in output and any(self._in(str(value)) for value in output.data.values()):
            output.data = NotebookNode({"text/plain": QUOTED})

    def _is_frame(self, part: str) -> bool:
        return self._frame.match(_COLOUR.sub("", part)) is not None

    def _in(self, text: str) -> bool:
        plain = " ".join(unescape(_COLOUR.sub("", text)).split())  # HTML writes some characters as names
        return any(line in plain for line in self._lines)
