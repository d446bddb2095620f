"""Turns a cell that JupyterLab accepts into plain Python with the same number of lines, and with nothing of IPython left in it.

    %%time, prompts, indents ──► IPython's own transformer, a line at a time ──► get_ipython().run_line_magic(…) ──► Python

What is not Python is left to IPython's transformer, which knows what is inside a string and what is not. The calls that it
leaves are found in the syntax tree and taken out: those that only show or time something are dropped quietly, the statement after
``%time`` stays, and a command is never run. A cell that is not Python even then is left to the worker, which will say so.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
import warnings
from collections.abc import Iterator
from typing import Any

LONGEST_CELL = 100_000
"""Characters. A longer cell has to be plain Python: looking for magics in it could take minutes."""
MOST_WORK = 1_000_000
"""Characters that the transformer may have to read in one notebook's cells: it reads a whole cell once for each magic."""

_BODY_RUNS = frozenset({"time", "capture", "prun"})
_QUIET_NAMES = """
    autoawait autocall automagic autoreload colors config debug doctest_mode gui hist history load_ext logoff logon logstart
    logstate logstop lprun lsmagic magic matplotlib memit mprun page pdb pdef pdoc pfile pinfo pinfo2 pprint precision prun
    psearch psource quickref reload_ext show_usage tb timeit unload_ext who who_ls whos xmode
"""
_QUIET = frozenset(_QUIET_NAMES.split())
_CELL_MAGIC = re.compile(r"%%(?!\w+\?)\s*(\S*)")


@dataclasses.dataclass(frozen=True)
class Translation:
    """The code that runs, and the cell's lines (numbered from 1) with something left out that the author should know about."""

    python: str
    left_out: tuple[int, ...] = ()


class Translator:
    """Translates the cells of one notebook. The work that it does in all is bounded."""

    def __init__(self, work: int = MOST_WORK) -> None:
        self._work = work

    def translate(self, source: str) -> Translation:
        """``source`` as Python with the same number of lines; unchanged if it cannot be made into Python."""
        if len(source) > LONGEST_CELL:
            return Translation(source)
        if parse(source) is not None:
            return _without_calls(source) if "get_ipython" in source else Translation(source)
        try:
            return self._from_ipython(source)
        except Exception:  # noqa: BLE001 - IPython's transformer on a stranger's text; the worker will say what is wrong
            return Translation(source)

    def _from_ipython(self, source: str) -> Translation:
        lines = _split(source)
        done = 0  # how many lines come before the rest; they hold nothing to run
        while True:
            while lines and not lines[0].strip():
                lines, done = lines[1:], done + 1
            lines = self._clean(lines)
            found = _CELL_MAGIC.match(lines[0]) if lines else None
            if found is None:
                break
            if found[1] not in _BODY_RUNS:
                return Translation("\n" * source.count("\n"), () if found[1] in _QUIET else (done + 1,))
            lines, done = lines[1:], done + 1
        python = "\n" * done + "".join(self._to_calls(lines))
        return _without_calls(python.removesuffix("\n"))

    def _clean(self, lines: list[str]) -> list[str]:
        """Take prompts and a common indent away."""
        self._spend(lines)
        for clean in _manager().cleanup_transforms:
            lines = clean(lines)
        return _split("".join(lines).removesuffix("\n")) if lines else []

    def _to_calls(self, lines: list[str]) -> list[str]:
        """Turn each magic into a call of ``get_ipython()``."""
        changed = True
        while changed:
            self._spend(lines)
            changed, lines = _manager().do_one_token_transform(lines)
        return lines

    def _spend(self, lines: list[str]) -> None:
        self._work -= sum(map(len, lines))
        if self._work < 0:
            raise OverflowError("too many magics")


def parse(source: str) -> ast.Module | None:
    """The syntax tree of ``source``, or None if it is not Python (or is nested too deeply to be looked at)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an unknown escape in a string is for the student to see to
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _split(text: str) -> list[str]:
    # Not splitlines(): unlike str, Python does not end a line at a form feed or at U+2028.
    return [line + "\n" for line in text.split("\n")]


@functools.cache
def _manager() -> Any:
    """IPython's transformer, changed so that it keeps the number of lines. Imported only when it is needed: that takes 0.3 s."""
    from IPython.core import inputtransformer2 as ipython  # noqa: PLC0415

    def keep_lines(transformer: type[Any]) -> type[Any]:
        class KeepsLines(transformer):  # type: ignore[misc]  # IPython's classes are only known once it is imported
            def transform(self, lines: list[str]) -> list[str]:
                after: list[str] = super().transform(lines)
                at = self.start_line + 1
                return [*after[:at], *["\n"] * (len(lines) - len(after)), *after[at:]]

        return KeepsLines

    class DropsHelp(ipython.HelpEnd):
        # IPython would search the line for the name that is asked about, in time that is quadratic in its length.
        def transform(self, lines: list[str]) -> list[str]:
            before, after = lines[: self.start_line], lines[self.q_line + 1 :]
            return [*before, lines[self.start_line][: self.start_col] + "get_ipython().show_usage()\n", *after]

    manager = ipython.TransformerManager()
    transformers = (ipython.MagicAssign, ipython.SystemAssign, ipython.EscapedCommand, DropsHelp)
    manager.token_transformers = [keep_lines(transformer) for transformer in transformers]
    return manager


@dataclasses.dataclass(frozen=True)
class _Call:
    """A call of one of the shell's methods that stand for magics and commands."""

    node: ast.Call
    method: str
    arguments: list[str]
    is_statement: bool


def _calls(tree: ast.Module) -> Iterator[_Call]:
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Call(func=ast.Name(id="get_ipython"), args=[]),
                    attr="run_line_magic" | "run_cell_magic" | "system" | "getoutput" | "show_usage" as method,
                ),
                args=given,
            ):
                texts = [item.value for item in given if isinstance(item, ast.Constant) and isinstance(item.value, str)]
                if len(texts) == len(given):
                    yield _Call(node, method, texts, id(node) in statements)


def _without_calls(python: str) -> Translation:
    """Replace the calls that magics became, from the last to the first, so that the positions stay right."""
    tree = parse(python)
    if tree is None:
        return Translation(python)
    rows = [row.encode() for row in python.split("\n")]  # the tree counts columns in bytes
    left_out = []
    for call in sorted(_calls(tree), key=lambda call: (call.node.lineno, call.node.col_offset), reverse=True):
        node = call.node
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before, after = rows[first][: node.col_offset], rows[last][node.end_col_offset :]
        text, quiet = _instead(call, alone=call.is_statement and not before.strip())
        if not quiet:
            left_out.append(node.lineno)
        if last > first:
            text = f"({text}" + "\n" * (last - first) + ")"
        rows[first : last + 1] = (before + text.encode() + after).split(b"\n")
    return Translation(b"\n".join(rows).decode(), tuple(sorted(set(left_out))))


def _instead(call: _Call, *, alone: bool) -> tuple[str, bool]:
    """The Python expression that replaces a magic's call, and whether it can be replaced without a remark."""
    if call.method == "getoutput":
        return "[]", False
    name = call.method if call.method in ("system", "show_usage") else next(iter(call.arguments), "")
    if call.method == "run_line_magic" and name == "time":
        return _timed(" ".join(call.arguments[1:]).strip(), alone=alone)
    return "None", name in _QUIET and call.is_statement


def _timed(statement: str, *, alone: bool) -> tuple[str, bool]:
    """The statement after ``%time``: unchanged if it is on a line of its own, as an expression elsewhere."""
    tree = parse(statement)
    if tree is None or not tree.body or "\n" in statement:
        return "None", not statement
    if alone:
        return statement, True
    expression = tree.body[0]
    if len(tree.body) == 1 and isinstance(expression, ast.Expr):
        return f"({ast.unparse(expression.value)})", True
    return "None", False
