"""Runs the public checks of one exercise in the student's own kernel, one after the other.

What comes of each is settled by :mod:`torchgrade.checks.settling`, as in the judge. Here is only how a check is run in this very
process: the kernel's state is kept, and an exception that the student's own lines raised becomes their fault.
"""

from __future__ import annotations

import dataclasses
import time
import traceback
from types import FunctionType, ModuleType

from torch.autograd.gradcheck import GradcheckError

from torchgrade.checks.declared import CheckFailed, GraderError, PlannedCheck, UndecidedError, checks_in
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.notes import current_notes
from torchgrade.checks.settling import Scoresheet
from torchgrade.record import Check, Exercise, Outcome, Visibility
from torchgrade.student.cells import OwnCode
from torchgrade.student.local_student import StandIn
from torchgrade.student.state import seed_afresh, state_kept


def run_checks(name: str, module: ModuleType, student: StandIn, own: OwnCode) -> Exercise:
    """The checks of ``module`` in its order; one whose needs did not pass is skipped. The kernel's state is kept."""
    tests = list(checks_in(module, name, Visibility.PUBLIC))
    sheet = Scoresheet(check for check, _ in tests)
    for check, test in tests:
        _run(check, test, sheet, student, own)
    checks = tuple(_as_shown(sheet, name))
    return Exercise(name, sum(check.max_points for check in checks), checks)


def _run(check: PlannedCheck, test: FunctionType, sheet: Scoresheet, student: StandIn, own: OwnCode) -> None:
    hindrance = sheet.hindrance(check.exercise, check.declaration.needs)
    attempt = sheet.begin(check.exercise, check.name)
    if hindrance is not None:
        attempt.becomes(hindrance)
        return
    started = time.perf_counter()
    token = current_notes.set(attempt.notes)
    try:
        with state_kept():
            seed_afresh()
            test(student)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, the next check runs
        attempt.ended_by(_blamed(error, own))
    finally:
        current_notes.reset(token)
        attempt.seconds = time.perf_counter() - started


def _blamed(error: BaseException, own: OwnCode) -> BaseException:
    """The student's fault where their lines raised it on the way to a check, as in a backward pass; else the error itself.

    The judge's proxy tells the two apart by the process that raised.
    """
    if isinstance(error, StudentFault | CheckFailed | UndecidedError | GraderError | GradcheckError):
        return error
    if own.lines(error) or _in_backward(error):
        return own.fault(error, "a function's backward pass")
    return error


def _in_backward(error: BaseException) -> bool:
    """Return whether autograd raised ``error`` while it ran the graph of the student's code, which leaves no line of theirs."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_globals.get("__name__", "").startswith("torch.autograd")


def _as_shown(sheet: Scoresheet, exercise: str) -> list[Check]:
    """The checks as a student reads them here: that a name is missing or a stub not written is said once, and without hints."""
    said: set[str] = set()
    shown = []
    for check in sheet.settled(exercise):
        if check.slip in ("not written", "not defined"):
            message = "" if check.message in said else check.message
            said.add(check.message)
            shown.append(dataclasses.replace(check, hint="", message=message))
        elif check.outcome is Outcome.UNGRADED and check.detail:
            # With the reference at hand a judge can tell whose mistake it is; here nobody can.
            raised = check.cause[:500]
            message = f"This check could not be run with your result. If that is as it should be, tell your instructor: {raised}"
            shown.append(dataclasses.replace(check, message=message))
        else:
            shown.append(check)
    return shown
