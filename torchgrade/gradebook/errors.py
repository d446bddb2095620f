"""Errors of nbgrader or its gradebook, as one line for an instructor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

ANEW = (
    "To have a new one: torchgrade release ASSIGNMENT, torchgrade grade ASSIGNMENT. That grades nothing again: marks come from "
    "results/, points by hand from results/by-hand/, as they were when marks were last entered."
)
"""The way out where there is no gradebook any more."""
_DAMAGE = ("not a database", "malformed", "disk image")
_LONGEST = 500
"""Characters of an error that may become part of a line; validators like to print the whole notebook."""

# PostgreSQL's names for errors, https://www.postgresql.org/docs/current/errcodes-appendix.html
_LOCKED = ("55P03", "40P01")
"""A lock that did not come in time, a deadlock."""
_UNREACHABLE = ("08", "57P")
"""The classes of a lost connection, and of a server that was stopped."""


class GradebookError(Exception):
    """nbgrader or its gradebook could not do what was asked. The text is one line, for the instructor.

    ``pages`` are the feedback pages that were written all the same.
    """

    def __init__(self, line: str, pages: Sequence[Path] = ()) -> None:
        super().__init__(line)
        self.pages = tuple(pages)


def without_password(db_url: str) -> str:
    """The gradebook's address as it may be printed: without its password."""
    try:
        url = make_url(db_url)
    except (ArgumentError, ValueError):
        return re.sub(r"//.*@", "//***@", db_url)
    text = db_url if url.password is None else url.render_as_string(hide_password=True)
    return re.sub(r"(password=)[^&]*", r"\1***", text)


def explain(error: BaseException, db_url: str) -> str:
    """One line for an instructor about what went wrong with the gradebook or in a converter, without the gradebook's password."""
    if not isinstance(error, SQLAlchemyError):
        said = " ".join(str(error).split())[:_LONGEST]
        # Such a text is a bare key, or names an object of the program: alone it says nothing.
        bare = isinstance(error, LookupError | AttributeError | TypeError)
        return f"{type(error).__name__}: {said}" if said and bare else said or type(error).__name__
    what = " ".join(str(getattr(error, "orig", None) or error).replace(db_url, without_password(db_url)).split())[:_LONGEST]
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    where = f"the gradebook {without_password(db_url)}"
    if "locked" in what or state in _LOCKED:
        return f"{where} is locked: another program is writing to it. Wait for it or close it, then run this again."
    file = file_of(db_url)
    if file is not None and ("no such table" in what or (not file.exists() and "unable to open" not in what)):
        return (
            f"{where} is gone: its file was moved or deleted while it was in use. Put it back, then run this again: no record is "
            f"lost. {ANEW}"
        )
    if file is not None and any(damage in what for damage in _DAMAGE):
        return f"{where} is damaged ({what}). Put a copy of it back, or move it away. {ANEW}"
    if "readonly" in what or "read-only" in what:
        return f"{where} cannot be written (read-only). Fix its permissions, then run this again."
    if isinstance(error, OperationalError) and "no such" in what:
        return f"{where} is of another version of nbgrader ({what}). Copy it somewhere safe, then run: nbgrader db upgrade"
    if isinstance(error, OperationalError) and file is None and (state is None or state.startswith(_UNREACHABLE)):
        return f"{where} does not answer ({what}). Start its server, then run this again: no record is lost."
    return f"{where} cannot be used: {what}"


def file_of(db_url: str) -> Path | None:
    """The file of a gradebook that is one; ``None`` for a server, or for an address that only SQLite understands."""
    try:
        url = make_url(db_url)
    except (ArgumentError, ValueError):
        return None
    if url.get_backend_name() != "sqlite" or not url.database or url.database.startswith(("file:", ":")):
        return None
    return Path(url.database)
