"""IPython's magics as plain Python on the same lines: nothing of a shell runs in a grading run.

``TransformerManager`` turns magics into calls of ``get_ipython()``; those calls are then found in the syntax tree, so text that
merely holds a ``%`` or ``!`` is left alone.
"""

from __future__ import annotations

import ast
import dataclasses
import re

from IPython.core.inputtransformer2 import TransformerManager

_manager = TransformerManager()
_CELL_MAGIC = re.compile(r"%%(\w+)([^\n]*)\n?")
_RUN_BODY = {"time", "capture"}
# Harmless where there is no display and no shell; not worth a word.
_QUIET = {
    "matplotlib",
    "load_ext",
    "reload_ext",
    "autoreload",
    "config",
    "pylab",
    "timeit",
    "prun",
    "precision",
    "who",
    "whos",
    "xmode",
    "pdb",
    "pinfo",
    "pinfo2",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    """A cell without magics: as many lines as before, and what was left out, as (line, what) pairs."""

    python: str
    skipped: tuple[tuple[int, str], ...] = ()


def without_magics(source: str) -> Plain:
    """The cell as plain Python. A cell that is not valid Python is returned as it is: running it will say so."""
    if "%" not in source and "!" not in source and "?" not in source:
        return Plain(source)
    leading = re.match(r"\s*", source)
    start = leading.end() if leading else 0
    if source.startswith("%%", start):
        return _cell_magic(source, start)
    return _line_magics(source)


def _cell_magic(source: str, start: int) -> Plain:
    found = _CELL_MAGIC.match(source, start)
    name = found[1] if found else ""
    line = source[:start].count("\n") + 1
    if found is not None and name in _RUN_BODY:
        inner = without_magics(source[found.end() :])
        shift = line
        return Plain("\n" * line + inner.python, tuple((number + shift, what) for number, what in inner.skipped))
    blank = "\n" * source.count("\n")
    return Plain(blank, () if name in _QUIET else ((line, f"%%{name}"),))


def _line_magics(source: str) -> Plain:
    try:
        transformed = _manager.transform_cell(source)
        tree = ast.parse(transformed)
    except (SyntaxError, ValueError, RecursionError):
        return Plain(source)
    calls = _Calls()
    calls.visit(tree)
    if not calls.found:
        return Plain(source)
    lines = transformed.splitlines()
    skipped: list[tuple[int, str]] = []
    # From the end, so that positions before it stay true.
    for node, method, arguments in reversed(calls.found):
        text, what = _replacement(method, arguments)
        if what:
            skipped.append((node.lineno, what))
        _replace(lines, node, text)
    python = "\n".join(lines)
    # A magic continued over lines becomes one line: line numbers are then wrong below it, but the code is right.
    return Plain(python, tuple(sorted(skipped)))


def _replacement(method: str, arguments: list[str]) -> tuple[str, str]:
    """The text that stands for a magic's call, and what to say about it."""
    if method == "run_line_magic":
        name, rest = arguments[0], arguments[1] if len(arguments) > 1 else ""
        if name == "time" and rest.strip():
            return rest.strip(), ""
        return "None", "" if name in _QUIET else f"%{name}"
    if method == "getoutput":
        return "[]", f"!{arguments[0][:40]}"
    if method == "system":
        return "None", f"!{arguments[0][:40]}"
    return "None", "" if method in ("set_next_input", "show_usage") else f"%{arguments[0] if arguments else method}"


class _Calls(ast.NodeVisitor):
    """Calls of methods of ``get_ipython()`` whose arguments are plain text: what the transformer writes."""

    _METHODS = ("run_line_magic", "run_cell_magic", "system", "getoutput", "show_usage", "set_next_input")

    def __init__(self) -> None:
        self.found: list[tuple[ast.Call, str, list[str]]] = []

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if (
            isinstance(function, ast.Attribute)
            and function.attr in self._METHODS
            and isinstance(function.value, ast.Call)
            and isinstance(function.value.func, ast.Name)
            and function.value.func.id == "get_ipython"
            and all(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in node.args)
        ):
            self.found.append((node, function.attr, [str(a.value) for a in node.args if isinstance(a, ast.Constant)]))
        else:
            self.generic_visit(node)


def _replace(lines: list[str], node: ast.Call, text: str) -> None:
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset :].decode()
    lines[first] = head + text + tail
    for number in range(first + 1, last + 1):
        lines[number] = ""
