"""How a check failed, and the hint that goes with that: a hint for one kind of failure is misleading after another.

what went wrong ──► a slip: "shape", "dtype", "nan", "values", "sign", …
the grader's hints, by slip; else its plain hint, if the numbers are wrong; else what fits any code ──► CheckFailed.hint
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from torchgrade.checks.declared import CheckFailed, GraderError

Hint = str | Mapping[str, str]
"""One sentence for what an assertion is about (wrong numbers, if it compares), or sentences by slip (:data:`SLIPS`)."""

VALUES = ("values", "nan", "sign", "factor", "offset", "transposed", "shifted", "constant")
"""The slips of a result that has the right form but wrong numbers; all but the first are patterns that can be recognised."""

SLIPS = ("type", "shape", "dtype", "device", "detached", "inputs", "layout", "raised", *VALUES)
"""All slips. ``values`` stands for each of :data:`VALUES` for which a grader has no sentence of its own."""

_NAN = (
    "nan comes from 0/0, inf - inf or 0 * inf, and inf from a division by 0, exp of a large number or the log of 0. Which of "
    "them can happen here?"
)


def fail(text: str, slip: str, hint: Hint = "", *, usually: str = "") -> NoReturn:
    """Raise :class:`CheckFailed` with the hint for this slip. ``usually`` is a hint that fits any code, if the grader has none.

    Raises :class:`GraderError` for hints under a name that is not one of :data:`SLIPS`.
    """
    __tracebackhide__ = True
    raise CheckFailed(text, hint=chosen(hint, slip) or usually or _USUALLY.get(slip, ""), slip=slip)


def chosen(hint: Hint, slip: str) -> str:
    """Return the grader's hint for a slip, or an empty string."""
    if isinstance(hint, str):
        return hint
    if unknown := sorted(set(hint) - set(SLIPS)):
        raise GraderError(f"a hint is for {unknown[0]!r}, which is none of {', '.join(SLIPS)}")
    return hint.get(slip) or (hint.get("values", "") if slip in VALUES else "")


def is_slip(slip: str, named: str) -> bool:
    """True if a check failed in the named way; ``values`` stands for wrong numbers in any pattern, but not for nan."""
    return slip == named or (named == "values" and slip in VALUES and slip != "nan")


def by_slip(hint: Hint) -> Hint:
    """Return the part of a hint that is about more than wrong numbers: a single sentence leaves nothing."""
    return "" if isinstance(hint, str) else hint


_USUALLY = {"nan": _NAN}


def of_shapes(actual: tuple[int, ...], expected: tuple[int, ...]) -> str:
    """Return what usually gives a result this shape when another is expected, or an empty string."""
    if [size for size in actual if size != 1] == [size for size in expected if size != 1] and len(actual) != len(expected):
        return (
            "A dimension of size 1 is missing: a reduction drops its dimension without keepdim=True, and squeeze() drops all."
            if len(actual) < len(expected)
            else "There is a dimension of size 1 too many: keepdim=True keeps one, and so does an index of the form 0:1 or None."
        )
    if len(actual) == len(expected) and sorted(actual) == sorted(expected):
        return "The sizes are right and stand in another order: which dimension of the inputs is which?"
    if len(actual) == len(expected) + 1 and actual == (*expected[:1], *expected):
        return "A (n, 1) and a (n,) broadcast to (n, n): print the shapes of the two sides before the operation between them."
    return ""
