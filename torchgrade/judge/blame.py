"""Finds out whose mistake it is when a check ends with an exception that the student's own lines did not raise.

    Raised by a probe, or by the call itself   ──► the same check, same inputs, with the reference in the submission's place
    NotDefined, of a name that no stub has     ──►     it fails the same way: the grader's mistake, GraderError
                                                       it does not: the submission's failure, as it was
    Raised by the grader's own lines           ──►     it passes: the submission's failure, as of torch.allclose for another shape
                                                       it does not: the grader's mistake, as it was

Where an exception was raised is known only by the word of the process that ran the student's code. That word decides only whether
a trial is worth its time. The trial itself is decided by what the reference does in a jail of its own: nothing that a submission
says or does can turn its failure into ours.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from torchgrade.checks.declared import CheckFailed, GraderError, UndecidedError
from torchgrade.checks.faults import BadAnswer, NotDefined, Raised, SandboxError
from torchgrade.checks.settling import Attempt
from torchgrade.judge.race import Racers
from torchgrade.record import Outcome


def may_be_the_graders(fault: Raised | NotDefined, racers: Racers) -> bool:
    """Return whether the grader may have caused the fault, and there is a reference to find out with."""
    if isinstance(fault, NotDefined):
        suspicious = bool(fault.name) and not racers.defines(fault.name)
    else:
        suspicious = fault.probe is not None or not fault.lines
    return suspicious and racers.has_reference()


def may_be_about_the_answer(error: Exception, racers: Racers) -> bool:
    """Return whether lines of the grader may have raised this because of the answer, with a reference there to find out."""
    settled = Attempt()
    settled.ended_by(error)
    of_ours = isinstance(error, UndecidedError | GraderError | SandboxError | OSError | MemoryError | torch.OutOfMemoryError)
    return settled.outcome is Outcome.UNGRADED and not of_ours and racers.has_reference()


def of_the_answer(error: Exception) -> CheckFailed:
    """The failure of a submission whose answer made the grader raise. It leaves out the error, which may quote a hidden check."""
    return CheckFailed(
        f"The check cannot compare your result with the right one: the comparison ended with {type(error).__name__}. Look at the "
        "type, the shape and the dtype of the result.",
        slip="not comparable",
    )


def require_unlike(fault: Raised | NotDefined, run: Callable[[], None]) -> None:
    """Raise :class:`GraderError` if ``run``, which puts the check to the reference, ends with the same kind of fault."""
    try:
        run()
    except (Raised, NotDefined, BadAnswer) as same:
        where = f"{same.probe}: " if isinstance(same, Raised) and same.probe is not None else ""
        what = f"{same.kind}: {same.text}" if isinstance(same, Raised) else str(same)
        raise GraderError(f"{where}{what} (the reference solution fails here, too)") from fault
    except Exception:  # noqa: BLE001 - if it ends in any other way, the submission is no better for it
        return
