"""How a check comes to its outcome, whoever runs it: the judge, ``pytest --submission`` or a student's ``check()``.

    Scoresheet.hindrance ──► what it needs did not pass: an Attempt that was not run ──┐
    test function ──► returned, or raised ──► Attempt (one for each parameter) ────────┴──► settle ──► Check

The one that runs a check decides how a call reaches the student's code, and nothing else. What a raised exception means, what
part marks add up to, and when a need is met is decided here.
"""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Iterable, Sequence
from typing import Any

from torchgrade.checks.bounds import plain_measurements, shortened
from torchgrade.checks.declared import CheckFailed, PlannedCheck, UndecidedError
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.notes import Notes
from torchgrade.checks.raised import hint_for
from torchgrade.record import Check, Evidence, Outcome

_MOST_DETAIL = 8_000
_NOT_REACHED = "This check was not reached."


@dataclasses.dataclass(slots=True)
class Attempt:
    """How one run of a check's test function ended (a parametrised check has several), or why it was not run.

    ``message`` and ``hint`` are for the student, ``detail`` is for the instructor, ``slip`` is the kind of failure in a word, and
    ``place`` is the line of the student's code where it went wrong.
    """

    outcome: Outcome = Outcome.PASSED
    message: str = ""
    hint: str = ""
    slip: str = ""
    place: str = ""
    detail: str = ""
    seconds: float = 0.0
    notes: Notes = dataclasses.field(default_factory=Notes)
    reached: bool = True

    @classmethod
    def not_run(cls, outcome: Outcome, message: str, *, reached: bool = True) -> Attempt:
        """An attempt in which the student's code was not called."""
        return cls(outcome, message, notes=Notes(evidence=Evidence.NONE), reached=reached)

    @classmethod
    def not_reached(cls, outcome: Outcome = Outcome.FAILED) -> Attempt:
        """An attempt that stands for a check that the run did not reach."""
        return cls.not_run(outcome, _NOT_REACHED, reached=False)

    @property
    def earned(self) -> bool:
        """True if the check passed and gives at least part of its points."""
        return self.outcome is Outcome.PASSED and self.notes.share > 0

    def becomes(self, other: Attempt) -> None:
        """Become what ``other`` is, because the test function was not run."""
        self.outcome, self.message, self.notes, self.reached = other.outcome, other.message, other.notes, other.reached

    def ended_by(self, error: BaseException) -> None:
        """Note what the test function raised: whose failure that is, and what the student and the instructor read about it."""
        self.outcome, self.message, self.detail = _meaning(error)
        if isinstance(error, CheckFailed):
            self.hint, self.slip = error.hint, error.slip
        if isinstance(error, StudentFault):
            self.hint, self.slip, self.place = hint_for(error), error.slip, error.place


def _meaning(error: BaseException) -> tuple[Outcome, str, str]:
    if isinstance(error, StudentFault):  # kept as it is: it may begin with the name of a function
        return Outcome.FAILED, str(error), ""
    if isinstance(error, CheckFailed):
        # Whatever the answer made the grader raise, if that is why the check failed.
        return Outcome.FAILED, _sentence(str(error)), _trace(error.__cause__) if error.__cause__ is not None else ""
    if isinstance(error, UndecidedError):
        return Outcome.UNGRADED, _sentence(str(error)), ""
    if isinstance(error, AssertionError):
        # pytest may have appended its explanation, which quotes the grader; only the author's own words are for students.
        own = str(error).partition("\nassert ")[0].strip()
        told = bool(own) and not own.startswith("assert ")
        return Outcome.FAILED, _sentence(own) if told else "Your code does not pass this check.", _trace(error)
    if _is_gradcheck(error):
        return Outcome.FAILED, "The gradient differs from the numerical estimate (finite differences).", str(error)[:_MOST_DETAIL]
    text = f"This check could not be run: {type(error).__name__[:100]} in the grader. You lose no points because of it."
    return Outcome.UNGRADED, text, _trace(error)


def _is_gradcheck(error: BaseException) -> bool:
    """Return whether ``torch.autograd.gradcheck`` raised ``error``, without importing torch to find out."""
    return any(kind.__name__ == "GradcheckError" and kind.__module__.startswith("torch.") for kind in type(error).__mro__)


def _sentence(text: str) -> str:
    """Return the text with a capital letter, unless it begins with a name or a formula: ``train_amp``, ``dF/dy``, ``m``."""
    first = text.partition(" ")[0].rstrip(",:")
    is_word = first in ("a", "I") or (len(first) > 1 and first.isalpha() and first.islower())
    return text[:1].upper() + text[1:] if is_word else text


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-_MOST_DETAIL:]


class Scoresheet:
    """The outcomes of a run's checks so far, by exercise and name.

    ``checks`` are all checks of the run, in order. A check that is never begun has failed: it was not reached.
    """

    def __init__(self, checks: Iterable[PlannedCheck]) -> None:
        self._checks = tuple(checks)
        self._attempts: dict[tuple[str, str], list[Attempt]] = {}

    def begin(self, exercise: str, name: str) -> Attempt:
        """A new attempt at a check; it passes unless something else happens to it."""
        attempt = Attempt()
        self._attempts.setdefault((exercise, name), []).append(attempt)
        return attempt

    def was_begun(self, exercise: str, name: str) -> bool:
        """Return whether the check has been attempted."""
        return (exercise, name) in self._attempts

    def hindrance(self, exercise: str, needs: Sequence[str]) -> Attempt | None:
        """Why a check that needs others is not run: the first of those that earned nothing, or that never ran."""
        for needed in needs:
            earlier = self._attempts.get((exercise, needed), ())
            if earlier and all(attempt.earned for attempt in earlier):
                continue
            title = next((check.title for check in self.of(exercise) if check.name == needed), needed)
            before = {attempt.outcome for attempt in earlier}
            # A check that waits for an open one is open too, and for the same reason.
            outcome = next((each for each in (Outcome.UNGRADED, Outcome.DEFERRED) if each in before), Outcome.SKIPPED)
            return Attempt.not_run(outcome, f"Not checked, because this has to pass first: {title}.")
        return None

    def of(self, exercise: str) -> list[PlannedCheck]:
        """The checks of one exercise, as they were declared."""
        return [check for check in self._checks if check.exercise == exercise]

    def settled(self, exercise: str) -> list[Check]:
        """The checks of one exercise, as they go into the record."""
        return [settle(check, self._attempts.get((exercise, check.name), ())) for check in self.of(exercise)]


# Several attempts together have the first of these outcomes that any of them has.
_WORST = (Outcome.UNGRADED, Outcome.DEFERRED, Outcome.FAILED, Outcome.SKIPPED, Outcome.PASSED)
_WEAKEST = (Evidence.NONE, Evidence.WORD, Evidence.DATA)


def settle(planned: PlannedCheck, attempts: Iterable[Attempt]) -> Check:
    """The check as it goes into the record, from all attempts at it: as bad as the worst of them, as sure as the least sure."""
    all_of_them = list(attempts) or [Attempt.not_reached()]
    worst = min(all_of_them, key=lambda attempt: _WORST.index(attempt.outcome))
    share = min(attempt.notes.share for attempt in all_of_them) if worst.outcome is Outcome.PASSED else 0.0
    outcome, message, hint, slip = worst.outcome, worst.message, worst.hint, worst.slip
    if outcome is Outcome.PASSED and share < 1:
        outcome, slip = Outcome.FAILED, "partly"
        message, hint = next((a.notes.message, a.notes.hint) for a in all_of_them if a.notes.share == share)
    measurements: dict[str, Any] = {}
    for attempt in all_of_them:
        measurements.update(attempt.notes.measurements)
    if used := max(attempt.notes.tolerance_used for attempt in all_of_them):
        measurements["tolerance_used"] = round(used, 4)
    return Check(
        name=planned.name,
        title=planned.title,
        visibility=planned.visibility,
        outcome=outcome,
        points=round(planned.declaration.points * share, 6),
        max_points=planned.declaration.points,
        kind=planned.declaration.kind,
        message=shortened(message),
        hint=hint if outcome is Outcome.FAILED else "",
        slip=slip if outcome is Outcome.FAILED else "",
        place=worst.place,
        detail=worst.detail,
        evidence=min((attempt.notes.evidence for attempt in all_of_them), key=_WEAKEST.index),
        reached=worst.reached,
        seconds=round(sum(attempt.seconds for attempt in all_of_them), 4),
        measurements=plain_measurements(measurements),
    )
