"""From what a check's pytest items did to the outcome in the record: whose fault it was, and what the student reads."""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from torch.autograd.gradcheck import GradcheckError

from torchgrade.grading.checks import CheckFailed, Running, UndecidedError
from torchgrade.grading.plan import PlannedCheck
from torchgrade.record import Check, Evidence, Outcome
from torchgrade.sandbox.errors import StudentFault

_MOST_DETAIL = 8_000


@dataclasses.dataclass(slots=True)
class Ended:
    """How one pytest item of a check ended (a parametrised check has several)."""

    outcome: Outcome
    message: str = ""
    detail: str = ""
    seconds: float = 0.0
    running: Running = dataclasses.field(default_factory=Running)


def judge_exception(error: BaseException) -> tuple[Outcome, str, str]:
    """Outcome, message for the student, and detail for the instructor, of what a check raised."""
    if isinstance(error, StudentFault):
        return Outcome.FAILED, str(error), ""
    if isinstance(error, CheckFailed):
        return Outcome.FAILED, _sentence(str(error)), ""
    if isinstance(error, UndecidedError):
        return Outcome.UNGRADED, _sentence(str(error)), ""
    if isinstance(error, pytest.fail.Exception):
        return Outcome.FAILED, _sentence(str(error.msg)), ""
    if isinstance(error, AssertionError):
        # pytest appends its explanation, which quotes the grader; only a message of the author's own is for students.
        own = str(error).partition("\nassert ")[0].strip()
        told = bool(own) and not own.startswith("assert ")
        return Outcome.FAILED, _sentence(own) if told else "This does not hold for your code.", _trace(error)
    if isinstance(error, GradcheckError):
        return (
            Outcome.FAILED,
            "The gradient differs from the numerical estimate (finite differences).",
            str(error)[:_MOST_DETAIL],
        )
    text = f"This check could not be run: {type(error).__name__} in the grader. You lose nothing by it."
    return Outcome.UNGRADED, text, _trace(error)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-_MOST_DETAIL:]


_WORST = (Outcome.UNGRADED, Outcome.DEFERRED, Outcome.FAILED, Outcome.SKIPPED, Outcome.PASSED)


def as_check(planned: PlannedCheck, items: Iterable[Ended]) -> Check:
    """The check in the record. One that no item ran for has failed: it was not reached."""
    ended = list(items) or [Ended(Outcome.FAILED, "This check was not reached.", running=Running(evidence=Evidence.NONE))]
    worst = min(ended, key=lambda item: _WORST.index(item.outcome))
    share = min(item.running.share for item in ended) if worst.outcome is Outcome.PASSED else 0.0
    outcome, message = worst.outcome, worst.message
    if outcome is Outcome.PASSED and share < 1:
        outcome = Outcome.FAILED
        message = next(item.running.message for item in ended if item.running.share == share)
    measurements: dict[str, Any] = {}
    for item in ended:
        measurements.update(item.running.measurements)
    if used := max(item.running.tolerance_used for item in ended):
        measurements["tolerance_used"] = round(used, 4)
    return Check(
        name=planned.name,
        title=planned.title,
        visibility=planned.visibility,
        outcome=outcome,
        points=round(planned.declaration.points * share, 6),
        max_points=planned.declaration.points,
        kind=planned.declaration.kind,
        message=message,
        hint=planned.declaration.hint if outcome is Outcome.FAILED else "",
        detail=worst.detail,
        evidence=_weakest(ended),
        seconds=round(sum(item.seconds for item in ended), 4),
        measurements=_finite(measurements),
    )


def _weakest(ended: list[Ended]) -> Evidence:
    order = (Evidence.NONE, Evidence.WORD, Evidence.DATA)
    return min((item.running.evidence for item in ended), key=order.index)


def _finite(measurements: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers that JSON has none for become text."""

    def plain(value: Any) -> Any:
        if isinstance(value, float):
            return value if value - value == 0 else str(value)
        if isinstance(value, list | tuple):
            return [plain(item) for item in value]
        if isinstance(value, Mapping):
            return {str(key): plain(item) for key, item in value.items()}
        return value if isinstance(value, int | str | bool | None) else str(value)

    return {str(key): plain(value) for key, value in measurements.items()}
