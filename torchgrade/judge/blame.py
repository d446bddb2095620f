"""Tries whose mistake it is when a check ends with an exception that the student's own lines did not raise.

    Raised by a probe, or by the call itself   ──► the same check, same inputs, with the reference in the submission's place
    NotDefined, of a name that no stub has     ──►     it fails the same way: the grader's mistake, GraderError
                                                       it does not: the submission's failure, as it was

What was raised where is the word of the process that ran the student's code. It decides only whether a trial is worth its time,
and a trial decides by what the reference does in a jail of its own: nothing that a submission says or does makes a failure ours.
"""

from __future__ import annotations

from collections.abc import Callable

from torchgrade.checks.declared import GraderError
from torchgrade.checks.faults import BadAnswer, NotDefined, Raised
from torchgrade.judge.race import Racers


def may_be_the_graders(fault: Raised | NotDefined, racers: Racers) -> bool:
    """Return whether the grader may have caused the fault, and a reference is there to try that with."""
    if isinstance(fault, NotDefined):
        suspicious = bool(fault.name) and not racers.defines(fault.name)
    else:
        suspicious = fault.probe is not None or not fault.lines
    return suspicious and racers.has_reference()


def require_unlike(fault: Raised | NotDefined, run: Callable[[], None]) -> None:
    """Raise :class:`GraderError` if ``run``, which puts the check to the reference, ends with the same kind of fault."""
    try:
        run()
    except (Raised, NotDefined, BadAnswer) as same:
        where = f"{same.probe}: " if isinstance(same, Raised) and same.probe is not None else ""
        what = f"{same.kind}: {same.text}" if isinstance(same, Raised) else str(same)
        raise GraderError(f"{where}{what} (the reference solution fails here, too)") from fault
    except Exception:  # noqa: BLE001 - however else it ends, the submission is no better for it
        return
