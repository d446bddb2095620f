"""What must not be handed out: an answer, words for the author, points that are not the exercise's.

Answers are recognised by what the code says, not by its layout. Two consecutive statements of a right answer (the reference, a
wheat), or the single statement of a body that has only one, must not be in anything that is handed out, except in the
assignment's locked cells, which are written to be read. Chaffs are not answers: a notebook may well show the naive form that
fails.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from nbformat import NotebookNode

_LEAST = 24
"""The least number of characters in statements that give an answer away; anything shorter is everybody's ``return x``."""

_DELIMITERS = ("BEGIN SOLUTION", "END SOLUTION")


class Answers:
    """What must not be handed out: the right answers of one assignment, and its hidden checks."""

    def __init__(self, solutions: Path, graders: Path) -> None:
        self._runs: dict[tuple[str, ...], str] = {}
        self._whole: dict[bytes, str] = {}
        self._hidden = set()
        for path in sorted(solutions.rglob("*.py")):
            name = path.relative_to(solutions.parent.parent).as_posix()
            self._whole.setdefault(path.read_bytes(), name)
            if path.parent.name != "chaffs":
                for body in _bodies(path.read_text(encoding="utf-8")):
                    self._runs.update(dict.fromkeys(_runs(body), name))
        for path in sorted(graders.glob("*.py")):
            if not path.name.startswith("public_") and path.read_bytes().strip():
                self._whole.setdefault(path.read_bytes(), path.relative_to(graders.parent.parent).as_posix())
                self._hidden.add(path.name)

    def in_files(self, files: Mapping[str, bytes]) -> list[str]:
        """One line for every file (by its path in the release) that holds an answer or a hidden check."""
        return [f"{name}: {what}" for name, data in sorted(files.items()) if (what := self._in_file(name, data))]

    def in_notebook(self, notebook: NotebookNode) -> list[str]:
        """One line for every cell of the notebook that holds an answer."""
        found = []
        for number, cell in enumerate(notebook.cells, start=1):
            if any(delimiter in cell.source for delimiter in _DELIMITERS):
                found.append(f"cell {number}: a solution's delimiter is left")
            elif not _is_locked(cell) and (answer := self._in_text(cell.source)):
                found.append(f"cell {number}: code of {answer}")
        return found

    def _in_file(self, name: str, data: bytes) -> str:
        if PurePosixPath(name).name in self._hidden:
            return "a hidden grader's file"
        if (copied := self._whole.get(data)) is not None:
            return f"a copy of {copied}"
        answer = self._in_text(data.decode("utf-8", "replace"))
        return f"code of {answer}" if answer else ""

    def _in_text(self, text: str) -> str:
        for lines in _statements_of(text):
            for run in _runs(lines, whole=False):
                if run in self._runs:
                    return self._runs[run]
        return ""


def _is_locked(cell: NotebookNode) -> bool:
    facts = cell.metadata.get("nbgrader", {})
    return bool(facts.get("locked")) and not facts.get("solution")


def _runs(lines: list[str], *, whole: bool = True) -> Iterator[tuple[str, ...]]:
    """Pairs of consecutive lines; of a ``whole`` body that has one line, that line; of other text, each line as well."""
    singles = [(line,) for line in lines] if not whole or len(lines) == 1 else []
    for run in [*singles, *itertools.pairwise(lines)]:
        if sum(map(len, run)) >= _LEAST:
            yield run


def _bodies(source: str) -> Iterator[list[str]]:
    """The statements of every function of a solution, without docstrings, one line each, in a uniform spelling."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            body = node.body if isinstance(node.body, list) else [node.body]
            if lines := _lines(ast.Module(_without_docstring(body), [])):
                yield lines


def _statements_of(text: str) -> Iterator[list[str]]:
    """The lines of a text, in a uniform spelling if it is code, otherwise as they are (prose around code does no harm)."""
    try:
        notebook = json.loads(text)
        cells = [c["source"] for c in notebook["cells"]] if isinstance(notebook, dict) and "cells" in notebook else []
    except (ValueError, KeyError, TypeError):
        cells = []
    for part in ["".join(source) for source in cells] or [text]:
        with contextlib.suppress(SyntaxError, ValueError):
            yield _lines(ast.parse(part))
        # And as they are, too: an answer inside a docstring, or in a block of text, is still an answer.
        yield [line.strip() for line in part.splitlines() if line.strip()]


def _lines(tree: ast.AST) -> list[str]:
    return [line.strip() for line in ast.unparse(tree).splitlines() if line.strip()]


def _without_docstring(body: list[Any]) -> list[Any]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body


# ---- unfinished text and wrong points in what students get
#
# Only what can be recognised by the way ``torchgrade new`` writes it is checked. Words for the author begin with *For the
# author:*. A number of points is checked in two places, where it can mean nothing else: in the heading ``Exercise: `name` · … · 8
# points``, and in a table with columns *exercise* and *points*, in the one row whose exercise is just `` `name` ``, with or
# without a number before it. Any other number may be about a part, or about something else, and is not taken for a mistake.

_FOR_THE_AUTHOR = re.compile(r"^[^\w\n]*For the author: ", re.MULTILINE)
_HEADING = re.compile(r"Exercise(?: \d+)?: `(\w+)` ·(?:.* ·)? (\d+(?:\.\d+)?) points?")
_NAME = re.compile(r"(?:\d+\. )?`(\w+)`")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def unfinished_text(notebook: NotebookNode, files: Mapping[str, bytes], points: Mapping[str, float]) -> list[str]:
    """One line for all places with words for the author, and one for each number that differs from the exercise's ``points``.

    ``files`` are those handed out beside the notebook, by name.
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
    """The exercises whose points the text states, with those points."""
    tokens = MarkdownIt().enable("table").parse(source)
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and (found := _HEADING.fullmatch(tokens[at + 1].content)):
            yield found[1], float(found[2])
        elif token.type == "table_open":
            yield from _of_table(_rows(tokens[at:]))


def _rows(tokens: list[Token]) -> list[list[str]]:
    """The cells of the table with which these tokens begin, row by row, starting with the head."""
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
