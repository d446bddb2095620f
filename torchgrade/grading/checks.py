"""What a grader says about its checks: points, hints, what they need, and how much of them was earned.

Only declarations live here, so that the public checks can be imported in a student's kernel: no pytest, no jail.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

from torchgrade.record import Evidence

Test = TypeVar("Test", bound=Callable[..., Any])

KINDS = ("values", "stability", "shapes", "gradients", "dtypes", "inputs", "errors", "memory", "operations", "speed")
"""What a check can look at; students are told how many hidden checks there are of each kind."""


class GraderError(Exception):
    """A grader is written wrongly. The text is one line for the instructor; no student loses a point by it."""


class CheckFailed(AssertionError):
    """A check does not hold. The text is written for the student and shows nothing of the grader's source."""


class UndecidedError(Exception):
    """A check cannot be decided on this machine now. It is ungraded; the text is written for the student."""


@dataclasses.dataclass(frozen=True, slots=True)
class Declaration:
    """What ``@points`` was given."""

    points: float
    hint: str
    kind: str
    needs: tuple[str, ...]


def points(
    worth: float,
    *,
    hint: str = "",
    kind: str = "values",
    needs: Callable[..., Any] | Sequence[Callable[..., Any]] = (),
) -> Callable[[Test], Test]:
    """Declare a test function to be a check worth ``worth`` points.

    ``hint`` is shown to a student whose code fails it. ``kind`` is one of :data:`KINDS`. ``needs`` are checks defined
    above in the same file: where one of them did not pass, this one is skipped, says which, and gives nothing. A check
    of speed, memory, dtype or untouched inputs should need one of the values, or a wrong answer could earn it.
    The first line of the docstring is the check's title in the feedback.
    """

    def declare(test: Test) -> Test:
        name = getattr(test, "__name__", repr(test))
        if not (math.isfinite(worth) and worth >= 0):
            raise GraderError(f"{name}: points must be a finite number of at least 0, not {worth!r}")
        if kind not in KINDS:
            raise GraderError(f"{name}: kind {kind!r} is not one of {', '.join(KINDS)}")
        if not (test.__doc__ or "").strip():
            raise GraderError(f"{name}: a check needs a docstring; its first line is the title that students read")
        needed = (needs,) if callable(needs) else tuple(needs)
        for other in needed:
            if declaration_of(other) is None:
                raise GraderError(f"{name} needs {getattr(other, '__name__', other)!r}, which has no @points")
        names = tuple(other.__name__ for other in needed)
        test.__torchgrade__ = Declaration(float(worth), hint, kind, names)  # type: ignore[attr-defined]
        return test

    return declare


def declaration_of(test: Callable[..., Any]) -> Declaration | None:
    """What ``@points`` said about a test function, if it has one."""
    found = getattr(test, "__torchgrade__", None)
    return found if isinstance(found, Declaration) else None


def title_of(test: Callable[..., Any]) -> str:
    """The title of a check: its docstring's first line, without the full stop."""
    return (test.__doc__ or "").strip().splitlines()[0].strip().rstrip(".")


@dataclasses.dataclass(slots=True)
class Running:
    """What a check says about itself while it runs."""

    share: float = 1.0
    message: str = ""
    evidence: Evidence = Evidence.DATA
    tolerance_used: float = 0.0
    measurements: dict[str, Any] = dataclasses.field(default_factory=dict)


running: ContextVar[Running | None] = ContextVar("running", default=None)


def award(share: float, message: str) -> None:
    """Give ``share`` (0 to 1) of the running check's points, and tell the student why it is not all."""
    if not 0 <= share <= 1:
        raise GraderError(f"award takes a share from 0 to 1, not {share!r}")
    if (check := running.get()) is not None:
        check.share, check.message = float(share), message


def measured(name: str, value: Any) -> None:
    """Keep a number (or a list of them) of the running check in the record."""
    if (check := running.get()) is not None:
        check.measurements[name] = value


def tolerance_used(share: float) -> None:
    """Note the largest share of its tolerance that a right answer used; the audit looks how close they come to it."""
    if (check := running.get()) is not None:
        check.tolerance_used = max(check.tolerance_used, float(share))


def rests_on_word() -> None:
    """Say that the running check's outcome rests on what only the student's process could see."""
    if (check := running.get()) is not None:
        check.evidence = Evidence.WORD
