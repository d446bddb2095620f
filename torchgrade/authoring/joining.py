"""The two lines that make nbgrader's configuration torchgrade's, put where they belong: right below ``c = get_config()``.

Whatever stands below them may change what they set. Every other byte of the file stays as it is.
"""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

from torchgrade.course import CourseError

CHECKS = "torchgrade.gradebook"
"""The module whose ``configure`` is for a course of checks."""
TESTS = "torchgrade.classic"
"""The module whose ``configure`` is for a course with tests in its notebooks' own cells."""


def lines_of(module: str, name: str) -> tuple[str, str]:
    """The two lines, for a configuration that calls its object ``name``."""
    return f"from {module} import configure\n", f"configure({name})\n"


def with_lines(source: bytes, module: str, path: Path) -> bytes:
    """The configuration ``source`` with the two lines; ``path`` is for errors.

    Raises :class:`CourseError` where it is not Python, or does not call ``get_config`` in a line of its own.
    """
    try:
        tree = ast.parse(source)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except (SyntaxError, ValueError) as error:
        raise CourseError(f"{path} is not Python: {error}. Nothing was changed.") from error
    name, line = _got(tree)
    if not name:
        raise CourseError(
            f"{path} has no line c = get_config(): write {'; '.join(lines_of(module, 'c')).replace(chr(10), '')} below the line "
            "that gets the configuration. Nothing was changed."
        )
    lines = source.splitlines(keepends=True)
    newline = "\r\n" if lines[0].endswith(b"\r\n") else "\n"
    if not lines[line - 1].endswith((b"\n", b"\r")):
        lines[line - 1] += newline.encode()
    lines[line:line] = [each.replace("\n", newline).encode(encoding) for each in lines_of(module, name)]
    return b"".join(lines)


def _got(tree: ast.Module) -> tuple[str, int]:
    """The variable that ``get_config()`` is first given to, and the last line of that statement; empty where there is none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
            target = node.targets[0]
            if node.value.func.id == "get_config" and isinstance(target, ast.Name):
                return target.id, node.end_lineno or node.lineno
    return "", 0
