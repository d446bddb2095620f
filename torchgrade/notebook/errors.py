"""Errors about notebooks, each in one line, and how untrusted text is put into such a line."""

from __future__ import annotations

from torchgrade.errors import TorchgradeError


class NotebookError(TorchgradeError):
    """What is wrong with a file, in one line, for the one who handed it in and for the instructor."""


def one_line(text: str, limit: int = 80) -> str:
    """At most ``limit`` printable characters of ``text``; the others (newlines, escapes, bidi marks) become U+FFFD."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(character if character.isprintable() else "\ufffd" for character in shown)
