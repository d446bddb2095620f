"""Outputs of a classic course's cells, made safe for a page: a student's code may have put out anything.

    graded copy ──► nbconvert's own copy of it ──► CleanCells ──► template ──► feedback, Formgrader
    (as it was put out)

A script among the outputs would run in the browser of whoever reads the page, who may be about to change marks. So pictures,
text and formulas are drawn as they are, HTML is cleaned, and the rest is left out. The graded copy itself stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from torchgrade.gradebook.pages import clean, is_too_much
from torchgrade.gradebook.preprocessor import OURS
from torchgrade.gradebook.resources import Resources

_DRAWN = ("text/html", "text/markdown", "image/svg+xml", "text/latex", "image/png", "image/jpeg", "text/plain")
"""Formats that nbconvert draws without running anything, if HTML is clean: an SVG becomes an ``<img>``, where no script runs."""
_WORDS = ("raw_mimetype", "magics_language")
"""Metadata of a cell that pages need beside nbgrader's own; the rest could set classes of the page or hide sources."""
# With what is in them: a table of pandas begins with a style sheet, which would be shown as text.
_UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_LONGEST = 200


class CleanCells(Preprocessor):
    """For ``HTMLExporter.preprocessors``: nbconvert gives it a copy of the notebook, for one page."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Nbconvert's entry: the notebook as it may be drawn."""
        nb.metadata.pop("widgets", None)
        for cell in nb.cells:
            facts = cell.metadata.items()
            cell.metadata = NotebookNode({name: each for name, each in facts if name == "nbgrader" or _is_word(name, each)})
            for output in cell.get("outputs", ()):
                if "data" in output and OURS not in output.metadata:
                    output.data = _drawn(output.data)
                    output.metadata = _sizes(output.metadata)
        return nb, resources


def _is_word(name: str, fact: object) -> bool:
    return name in _WORDS and isinstance(fact, str)


def _drawn(data: Mapping[str, object]) -> NotebookNode:
    """The formats of an output that may be drawn, or a line of text where none may."""
    kept = {kind: value for kind, value in data.items() if kind in _DRAWN and isinstance(value, str)}
    if html := _clean(kept.pop("text/html", "")):
        kept["text/html"] = html
    what = ", ".join(sorted(data))[:_LONGEST]
    return NotebookNode(kept or {"text/plain": f"(Not shown: {what}.)"})


def _clean(html: str) -> str:
    """HTML that may stand in a page; nothing where there would be nothing to see: a video, or a plot that a script draws."""
    html = _UNSEEN.sub("", html)
    cleaned = "" if is_too_much(html) else clean(html)
    return cleaned if _TAG.sub("", cleaned).strip() or " src=" in cleaned else ""


def _sizes(metadata: Mapping[str, object]) -> NotebookNode:
    """The safe metadata of pictures: sizes that are numbers, since nbconvert writes them unquoted, and alternative texts."""
    kept = NotebookNode()
    for kind in ("image/png", "image/jpeg"):
        facts = metadata.get(kind)
        if isinstance(facts, Mapping):
            sizes = {name: size for name in ("width", "height") if isinstance(size := facts.get(name), int | float)}
            words = {"alt": facts["alt"]} if isinstance(facts.get("alt"), str) else {}
            kept[kind] = {**sizes, **words}
    return kept
