"""Feedback without hidden tests: neither the tests themselves, nor what errors and printed text quote of them.

    a region of hidden tests in a cell       one line that says that there is one
    a frame of that cell in a traceback      one line that says where it would be
    any other output that quotes a test      the same

It hides what nbgrader shows by itself. Code that looks for the test can still put it out in another form: it runs in the
same process.
"""

from __future__ import annotations

import re
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests

HERE = "# A hidden test stands here."
QUOTED = "(This quotes a hidden test.)"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SHORTEST = 6
"""Characters of a line that is looked for in outputs; shorter ones, ``else:`` say, stand in other code too."""


class HideTests(ClearHiddenTests):  # type: ignore[misc]  # nbgrader has no types
    """For ``GenerateFeedback.preprocessors``; its delimiters are those of ``c.ClearHiddenTests``."""

    def preprocess_cell(self, cell: NotebookNode, resources: Any, cell_index: int) -> tuple[NotebookNode, Any]:  # noqa: ARG002 - nbconvert's
        """Nbconvert's entry."""
        whole = cell.source
        if self._remove_hidden_test_region(cell):
            left = cell.source.splitlines()
            hidden = [line for line in whole.splitlines() if line not in left]
            cell.source = "\n".join([*left, HERE])
            for output in cell.get("outputs", ()):
                _hide(output, hidden, cell.get("execution_count"))
        return cell, resources


def _hide(output: Any, hidden: list[str], number: int | None) -> None:
    wanted = [" ".join(line.split()) for line in hidden if len(line.strip()) >= _SHORTEST]

    def quotes(text: str) -> bool:
        plain = " ".join(_COLOUR.sub("", text).split())
        return any(line in plain for line in wanted)

    if output.output_type == "error":
        frame = re.compile(rf"\s*(Cell |Input )?In ?\[{number}\]")
        output.traceback = [
            QUOTED if frame.match(_COLOUR.sub("", part)) or quotes(part) else part for part in output.get("traceback", ())
        ]
        if quotes(output.evalue):
            output.evalue = QUOTED
    elif output.output_type == "stream" and quotes(output.text):
        output.text = QUOTED + "\n"
    elif "data" in output and any(quotes(str(value)) for value in output.data.values()):
        output.data = NotebookNode({"text/plain": QUOTED})
