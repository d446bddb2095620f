"""Errors about notebooks, each in one line, and how untrusted text gets into such a line."""

from __future__ import annotations

from torchgrade.errors import TorchgradeError


class NotebookError(TorchgradeError):
    """One line: what is wrong with the file, for whoever handed it in and for the instructor."""


def one_line(text: str, limit: int = 80) -> str:
    """At most ``limit`` printable characters of ``text``; the others (newlines, escapes, bidi marks) become U+FFFD."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(character if character.isprintable() else "\ufffd" for character in shown)
