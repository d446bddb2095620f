"""From the outputs of a test cell to its score, where nbgrader's own rule gives marks for nothing.

    outputs ──► without stderr ──► none, and never run: 0
                               ──► a last value that is no score: open, and the instructor is told
                               ──► nbgrader's rule: an error is 0, a number is the score, anything else full marks

Only test cells come here: what a student wrote for a grade by hand is left to nbgrader as it is.
"""

from __future__ import annotations

import math
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import SaveAutoGrades
from traitlets import Bool

from torchgrade.classic.execute import not_run
from torchgrade.gradebook.handed_on import handed_on

_LONGEST = 80


class SaveScores(SaveAutoGrades):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's step that enters the scores. Each setting brings back what plain nbgrader does."""

    stderr_fails = Bool(default_value=False, help="Whether a line on stderr, a warning say, makes a test fail.").tag(config=True)
    other_values_pass = Bool(
        default_value=False,
        help="Whether a last value that is no score (nan, False, a text, a negative number) gives full marks. Otherwise the "
        "cell waits for a grade by hand, and the run names it.",
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
        """The test cell as nbgrader's rule should see it: one that it leaves to a person, where the last value is no score."""
        outputs = [output for output in cell.outputs if self.stderr_fails or not _is_stderr(output)]
        if not self.unrun_passes and cell.get("execution_count") is None and not cell.outputs:
            outputs = [not_run("This cell was not run.")]
        elif not self.other_values_pass and (problem := _problem_of(outputs, float(cell.metadata.nbgrader["points"]))):
            self.log.error("%s %s", name, problem)
            problems.append(f"{name} {problem}")
            return NotebookNode({**cell, "cell_type": "markdown"})
        return NotebookNode({**cell, "outputs": outputs})


def _problem_of(outputs: list[Any], points: float) -> str:
    """Why the last value is no score, in words that follow the cell's name; empty if it is one, or if none decides."""
    deciding = next((output for output in outputs if _decides(output)), None)
    if deciding is None or deciding.output_type != "execute_result":
        return ""
    text = str(deciding.get("data", {}).get("text/plain", ""))
    if _is_score(text, points):
        return ""
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return (
        f"ended with {shown!r}, which is no score from 0 to {points:g}. Mend the test (a test without partial credit "
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
