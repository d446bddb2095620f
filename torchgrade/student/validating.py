"""Messages of ``check`` for nbgrader's Validate, which runs the notebook anew and looks at each grade cell's output.

    check("softmax") ──► not all passed: the table as text, on stderr ──► Validate: this cell failed, with that text

To nbgrader a cell has failed that wrote to stderr or raised, and every other has passed. So a table on its own would always
pass, and a mere warning in the student's function would always fail.
"""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
from collections.abc import Iterator

_WIDTH = 100


def validating() -> bool:
    """Return whether nbgrader's Validate is running the notebook."""
    return "NBGRADER_VALIDATING" in os.environ


@contextlib.contextmanager
def warnings_cost_nothing() -> Iterator[None]:
    """Send to stdout what the student's functions write to stderr, while nbgrader validates."""
    if not validating():
        yield
        return
    with contextlib.redirect_stderr(sys.stdout):
        yield


def tell_validation(text: str) -> None:
    """Make nbgrader's Validate call the running cell failed, and show ``text`` for it."""
    if validating():
        sys.stderr.write("".join(f"{_folded(line)}\n" for line in text.splitlines()))


def _folded(line: str) -> str:
    """A long line broken into several: Validate's window does not wrap lines, it cuts them off."""
    margin = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(line, _WIDTH, subsequent_indent=margin) or line
