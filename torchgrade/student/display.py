"""Shows a table or a line where the student is: rich in a notebook, plain text in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from torchgrade.record import Exercise
from torchgrade.report import clean, exercise_html, exercise_text
from torchgrade.student.cells import shell

# For terminals that cannot show Unicode.
_PLAIN = str.maketrans({"✓": "+", "✗": "x", "◐": "~", "○": "?", "–": "-", "…": "...", "�": "?"})  # noqa: RUF001 - a dash is meant


def show(exercise: Exercise, hidden: Mapping[str, int] | None) -> None:
    """Show an exercise's table."""
    text = exercise_text(exercise, hidden=hidden)
    if shell() is None:
        print(_printable(text))  # noqa: T201 - the terminal is the place
        return
    from IPython.display import display  # noqa: PLC0415 - only where it runs already

    # A terminal's IPython prints the text, a notebook takes the HTML.
    data = {"text/plain": _printable(text), "text/html": exercise_html(exercise, hidden=hidden)}
    display(data, raw=True)


def say(text: str) -> None:
    """Print one line."""
    print(_printable(clean(text)))  # noqa: T201


def _printable(text: str) -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return text.translate(_PLAIN).encode("ascii", "replace").decode("ascii")
    return text
