"""Does the text that students get say what holds? Only where that can be known from how ``torchgrade new`` writes it.

Words for the author are those that begin with *For the author:*. A figure of points is looked at in two places, where nothing
else can be meant: the heading ``Exercise: `name` · … · 8 points``, and a table with columns *exercise* and *points*, in the one
row whose exercise is just `` `name` ``, with a number before it or none. Any other figure may be of a part, or of something else,
and is nobody's mistake.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from markdown_it import MarkdownIt
from markdown_it.token import Token
from nbformat import NotebookNode

_FOR_THE_AUTHOR = re.compile(r"^[^\w\n]*For the author: ", re.MULTILINE)
_HEADING = re.compile(r"Exercise(?: \d+)?: `(\w+)` ·(?:.* ·)? (\d+(?:\.\d+)?) points?")
_NAME = re.compile(r"(?:\d+\. )?`(\w+)`")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def unfinished_text(notebook: NotebookNode, files: Mapping[str, bytes], points: Mapping[str, float]) -> list[str]:
    """One line for all places with words for the author, and one for each figure that is not the exercise's ``points``.

    ``files`` are handed out beside the notebook, by name.
    """
    named = [(str(cell.metadata.get("nbgrader", {}).get("grade_id") or number), cell) for number, cell in _numbered(notebook)]
    left = [f"the cell {name!r}" for name, cell in named if _FOR_THE_AUTHOR.search(cell.source)]
    left += [name for name, data in sorted(files.items()) if _FOR_THE_AUTHOR.search(data.decode("utf-8", "replace"))]
    wrong = [f"what begins with 'For the author:' is still in {', '.join(left)}: replace it"] if left else []
    for place, cell in named:
        if cell.cell_type == "markdown":
            wrong += [
                f"the cell {place!r} says {said:g} points for {name!r}, whose grade cell has {points[name]:g}: change one of them"
                for name, said in _figures(cell.source)
                if name in points and not math.isclose(said, points[name], abs_tol=1e-6)
            ]
    return wrong


def _numbered(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode]]:
    return enumerate(notebook.cells, start=1)


def _figures(source: str) -> Iterator[tuple[str, float]]:
    """The exercises whose points the text says, with the points."""
    tokens = MarkdownIt().enable("table").parse(source)
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and (found := _HEADING.fullmatch(tokens[at + 1].content)):
            yield found[1], float(found[2])
        elif token.type == "table_open":
            yield from _of_table(_rows(tokens[at:]))


def _rows(tokens: list[Token]) -> list[list[str]]:
    """The cells of the table with which these tokens begin, the head's first."""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content.strip())
    return rows


def _of_table(rows: list[list[str]]) -> Iterator[tuple[str, float]]:
    head = [text.lower() for text in rows[0]]
    if head.count("exercise") != 1 or head.count("points") != 1:
        return
    exercise, points = head.index("exercise"), head.index("points")
    named = [(found[1], row[points]) for row in rows[1:] if (found := _NAME.fullmatch(row[exercise]))]
    often = Counter(name for name, _ in named)
    for name, figure in named:
        if often[name] == 1 and _NUMBER.fullmatch(figure):
            yield name, float(figure)
