"""Feedback without hidden tests: neither the tests themselves, nor what errors and printed text quote of them.

    a region of hidden tests in a cell       one line that says that there is one
    a frame of that cell in a traceback      one line that says where it would be
    any output of any cell that quotes one   the same

It hides what nbgrader shows by itself. Code that looks for the test can still put it out in another form: it runs in the
same process.
"""

from __future__ import annotations

import re
from html import unescape

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import ClearHiddenTests

from torchgrade.gradebook.resources import Resources

HERE = "# A hidden test stands here."
QUOTED = "(This quotes a hidden test.)"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SHORTEST = 6
"""Characters of a line that is looked for in outputs; shorter ones, ``else:`` say, stand in other code too."""


class HideTests(ClearHiddenTests):  # type: ignore[misc]  # nbgrader has no types
    """For ``GenerateFeedback.preprocessors``; its delimiters are those of ``c.ClearHiddenTests``."""

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
    """Finds these lines in outputs, and frames of the cells with these numbers in tracebacks."""

    def __init__(self, lines: set[str], numbers: set[str]) -> None:
        self._lines = lines
        self._frame = re.compile(rf"\s*(Cell |Input )?In ?\[({'|'.join(numbers)})\]")

    def hide(self, output: NotebookNode) -> None:
        """Put a line in the place of whatever quotes a test."""
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
        plain = " ".join(unescape(_COLOUR.sub("", text)).split())  # HTML has signs as words
        return any(line in plain for line in self._lines)
