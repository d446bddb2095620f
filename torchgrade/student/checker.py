"""``check("softmax")``: the public checks of an exercise, run on what the student has defined so far.

    public_softmax.py ──► checks ──► StandIn (the student's functions) ──► Exercise ──► table in the notebook
    checks.json ──────────────────────────────────────────────────────────────────────► "5 hidden checks follow"

It runs in the student's own kernel, on any operating system, without a jail or limits, and nothing that it shows is a mark.
"""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from torchgrade.checks.declared import GraderError
from torchgrade.checks.raised import FILE, use_errors
from torchgrade.record import Exercise, Outcome
from torchgrade.report.pages import exercise_html, exercise_text
from torchgrade.report.text import clean
from torchgrade.student.cells import Beside, FilesError, OwnCode, beside_the_notebook, loaded, shell
from torchgrade.student.local_student import StandIn
from torchgrade.student.running import run_checks


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:  # the folder is gone
        return Path()


_START = _here()  # where the notebook was when it imported us; it may have changed its folder since


def check(*names: str) -> None:
    """Run the public checks of the exercises ``names`` (of all exercises, if none is named) and show the results.

    They are read from ``public_<exercise>.py`` beside the notebook, afresh each time. The kernel's state does not change:
    random generators, grad mode, default dtype, threads, warnings, current folder.
    """
    if getattr(sys.modules[__package__], "silent", False):
        return
    running = shell()
    namespace: Mapping[str, Any] = running.user_ns if running is not None else sys._getframe(1).f_globals  # noqa: SLF001
    here = _here()
    # The last folder is for the author of the assignment, who works in the course's own folder.
    beside = beside_the_notebook(here, _START, here.parent.parent / "graders" / here.name)
    own = OwnCode(namespace, here)
    with contextlib.suppress(GraderError):  # the instructor's mistake, and it concerns only hints
        use_errors(beside.folder / FILE)
    hidden = beside.hidden()
    for name in names or beside.names() or ("<exercise>",):
        try:
            _check_one(str(name), beside, namespace, own, hidden)
        except FilesError as error:
            say(str(error))
            tell_validation(clean(str(error)))
        except KeyboardInterrupt:
            say(f"Stopped: {name} was not checked to the end.")
            return


def _check_one(
    name: str, beside: Beside, namespace: Mapping[str, Any], own: OwnCode, hidden: Mapping[str, Mapping[str, int]] | None
) -> None:
    with warnings_cost_nothing(), loaded(beside.require(name)) as module:
        exercise = run_checks(name, module, StandIn(namespace, own), own)
    follow = (hidden or {}).get(name)
    show(exercise, follow)
    if any(check.outcome is not Outcome.PASSED for check in exercise.checks):
        tell_validation(exercise_text(exercise, hidden=follow))
    if follow is None:
        say("There may be hidden checks too: checks.json, which lists them, is not beside this notebook or is damaged.")


# ---- display of a table or a line: rich in a notebook, plain text in a terminal

# For terminals that cannot show Unicode.
_PLAIN = str.maketrans({"✓": "+", "✗": "x", "◐": "~", "○": "?", "–": "-", "…": "...", "�": "?"})  # noqa: RUF001 - a dash is meant


def show(exercise: Exercise, hidden: Mapping[str, int] | None) -> None:
    """Show an exercise's table."""
    text = exercise_text(exercise, hidden=hidden)
    if shell() is None:
        print(_printable(text))  # noqa: T201 - it belongs on the terminal
        return
    from IPython.display import display  # noqa: PLC0415 - only if it is already running

    # IPython in a terminal prints the text; a notebook shows the HTML.
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


# ---- messages of ``check`` for nbgrader's Validate
#
# Validate runs the notebook anew and looks at each grade cell's output.
#
#     check("softmax") ──► not all passed: the table as text, on stderr ──► Validate: this cell failed, with that text
#
# To nbgrader, a cell has failed if it wrote to stderr or raised; every other cell has passed. So a table on its own would always
# pass, and a mere warning in the student's function would always fail.

_WIDTH = 100


def validating() -> bool:
    """Return whether nbgrader's Validate is running the notebook."""
    return "NBGRADER_VALIDATING" in os.environ


@contextlib.contextmanager
def warnings_cost_nothing() -> Iterator[None]:
    """While nbgrader validates, send to stdout what the student's functions write to stderr."""
    if not validating():
        yield
        return
    with contextlib.redirect_stderr(sys.stdout):
        yield


def tell_validation(text: str) -> None:
    """Make nbgrader's Validate report the running cell as failed, with ``text``."""
    if validating():
        sys.stderr.write("".join(f"{_folded(line)}\n" for line in text.splitlines()))


def _folded(line: str) -> str:
    """A long line broken into several: Validate's window cuts lines off instead of wrapping them."""
    margin = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(line, _WIDTH, subsequent_indent=margin) or line
