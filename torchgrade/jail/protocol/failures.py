"""Failures in the jail, in words for the student: an answer that is an error, and a process that ended.

What the worker says is only its word: anything not in the expected form becomes short text, or an answer that cannot be right.
"""

from __future__ import annotations

import signal
from typing import Any

from torchgrade.checks.faults import BadAnswer, Died, Line, NotDefined, Raised, StudentFault


def died(status: int | None) -> Died:
    """The end of a student's process with this status, which is negative for a signal, and ``None`` if nobody knows it."""
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
    """Raise what an answer says went wrong, or :class:`BadAnswer` if it holds neither an error nor a result."""
    if isinstance(text := answer.get("undefined"), str):
        raise NotDefined(text[:500], str(answer.get("name", ""))[:100])
    if isinstance(text := answer.get("refused"), str):
        raise BadAnswer(text[:500])
    if "error" in answer:
        raise raised(answer["error"])
    if "result" not in answer:
        raise BadAnswer("The notebook's process gave an answer without a result.")


def raised(error: Any) -> Raised:
    """The worker's account of an exception; anything malformed becomes text."""
    if not isinstance(error, dict):
        return Raised("Exception", "")
    reported = error.get("lines")
    lines = _lines(reported[-5:] if isinstance(reported, list) else [])
    text = _in_short(str(error.get("text") or "")[:2000])
    probe = next(iter(_lines([error.get("probe")])), None)
    return Raised(str(error.get("kind"))[:100], text, tuple(lines), probe=probe)


def _lines(reported: list[Any]) -> list[Line]:
    return [
        Line(str(line.get("cell"))[:60], line["number"], str(line.get("text"))[:200])
        for line in reported
        if isinstance(line, dict) and type(line.get("number")) is int and abs(line["number"]) < 10**9
    ]


_CUDA_ERROR = "CUDA error: "
_CUDA_ERRORS = {
    "device-side assert": "A kernel found an impossible value, most often an index out of range or a label that is not a class.",
    "illegal memory access": "A kernel read or wrote outside its tensors.",
    "misaligned address": "A kernel read or wrote at an address that no tensor of its dtype can have.",
    "out of memory": "The GPU had no memory left for it.",
    "invalid configuration": "A kernel was started with a size that the GPU does not have.",
}
_LATER = "The GPU reports errors late: the cause may be in an earlier line."


def _in_short(text: str) -> str:
    """Return what torch says about an error on the GPU, without its advice to people who debug torch, and with ours."""
    if "CUDA out of memory" in text:
        return text.partition(" If reserved but unallocated")[0]
    if _CUDA_ERROR not in text:
        return text
    first = text.partition("\n")[0].rstrip(". ")
    return f"{first}. {hint} {_LATER}" if (hint := _known(text)) else first


def _known(text: str) -> str:
    return next((hint for error, hint in _CUDA_ERRORS.items() if error in text), "")


def lost_context(fault: StudentFault) -> bool:
    """Return whether the process, by its own word, has met an error on the GPU, after which it can seldom use the GPU again."""
    return isinstance(fault, Raised) and _CUDA_ERROR in fault.text


def may_be_the_gpus(fault: StudentFault) -> bool:
    """Return whether this is not an error that a submission's own code makes: then the GPU itself may be at fault."""
    return lost_context(fault) and not _known(str(fault))
