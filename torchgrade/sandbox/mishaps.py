"""What went wrong in the jail, in words for the student: an answer that is an error, and a process that ended.

What the worker says is its word alone: whatever has not the expected form becomes short text, or an answer that cannot be.
"""

from __future__ import annotations

import signal
from typing import Any

from torchgrade.sandbox.errors import BadAnswer, Died, Line, NotDefined, Raised


def died(status: int | None) -> Died:
    """A process of the student's that ended with this status, negative for a signal; ``None`` where nobody knows."""
    if status is None or status == -signal.SIGKILL:
        return Died("Your code's process was ended from outside or by itself (SIGKILL).")
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = str(-status)
        return Died(f"Your code's process crashed with signal {name}.")
    return Died(f"Your code ended its process (exit status {status}) instead of returning.")


def raise_if_error(answer: dict[str, Any]) -> None:
    """Raise what an answer says went wrong, or :class:`BadAnswer` where it holds neither an error nor a result."""
    if isinstance(text := answer.get("undefined"), str):
        raise NotDefined(text[:500])
    if "error" in answer:
        raise raised(answer["error"])
    if "result" not in answer:
        raise BadAnswer("The notebook's process gave an answer without a result.")


def raised(error: Any) -> Raised:
    """The worker's account of an exception; anything malformed becomes text."""
    if not isinstance(error, dict):
        return Raised("Exception", "")
    reported = error.get("lines")
    lines = [
        Line(str(line.get("cell"))[:60], line["number"], str(line.get("text"))[:200])
        for line in (reported[-5:] if isinstance(reported, list) else [])
        if isinstance(line, dict) and type(line.get("number")) is int and abs(line["number"]) < 10**9
    ]
    return Raised(str(error.get("kind"))[:100], str(error.get("text") or "")[:2000], tuple(lines[-5:]))
