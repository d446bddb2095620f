"""Runs the public checks of one exercise, one after the other, and says what came of each as the judge would.

The judge's own account is :mod:`torchgrade.grading.outcomes`, which needs pytest; a student's kernel has none.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any

from torch.autograd.gradcheck import GradcheckError

from torchgrade.grading.checks import (
    CheckFailed,
    Declaration,
    Running,
    UndecidedError,
    declaration_of,
    running,
    title_of,
)
from torchgrade.record import Check, Exercise, Outcome, Visibility
from torchgrade.sandbox.errors import NotDefined, StudentFault
from torchgrade.student.cells import NotWritten, OwnCode
from torchgrade.student.standin import StandIn
from torchgrade.student.state import seed_afresh, state_kept


def run_checks(name: str, module: ModuleType, student: StandIn, own: OwnCode) -> Exercise:
    """The checks of ``module`` in its order; one whose needs did not pass is skipped. The kernel's state is kept."""
    done: dict[str, Check] = {}
    said: set[str] = set()
    for test in _tests_of(module):
        declaration = declaration_of(test)
        if declaration is None:
            continue
        done[test.__name__] = _first_missing(test, declaration, done) or _run(test, declaration, student, own, said)
    return Exercise(name, sum(check.max_points for check in done.values()), tuple(done.values()))


def _tests_of(module: ModuleType) -> list[FunctionType]:
    tests = [
        value
        for name, value in vars(module).items()
        if name.startswith("test_") and isinstance(value, FunctionType) and value.__module__ == module.__name__
    ]
    return sorted(tests, key=lambda test: test.__code__.co_firstlineno)


def _first_missing(test: FunctionType, declaration: Declaration, done: Mapping[str, Check]) -> Check | None:
    for needed in declaration.needs:
        check = done.get(needed)
        if check is None or check.outcome is Outcome.PASSED or (check.outcome is Outcome.FAILED and check.points > 0):
            continue
        outcome = Outcome.UNGRADED if check.is_open else Outcome.SKIPPED
        return _check(test, declaration, outcome, f"Not looked at, because this comes first: {check.title}.")
    return None


def _run(test: Callable[..., Any], declaration: Declaration, student: StandIn, own: OwnCode, said: set[str]) -> Check:
    account = Running()
    outcome, message = Outcome.PASSED, ""
    started = time.perf_counter()
    token = running.set(account)
    try:
        with state_kept():
            seed_afresh()
            test(student)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, the next check runs
        outcome, message = judge_exception(error, own)
        if isinstance(error, NotWritten | NotDefined):
            # Said once; every check below would say it again, and hint at mistakes that nobody made yet.
            declaration = Declaration(declaration.points, "", declaration.kind, declaration.needs)
            message = "" if message in said else message
            said.add(message)
    finally:
        running.reset(token)
    share = account.share if outcome is Outcome.PASSED else 0.0
    if outcome is Outcome.PASSED and share < 1:
        outcome, message = Outcome.FAILED, account.message
    return _check(test, declaration, outcome, message, share, time.perf_counter() - started, account)


def judge_exception(error: BaseException, own: OwnCode) -> tuple[Outcome, str]:
    """Outcome, and message for the student, of what a check raised. Only the student's own lines are ever shown."""
    if isinstance(error, StudentFault):  # as it is: it may begin with the name of a function
        return Outcome.FAILED, str(error)
    if isinstance(error, CheckFailed):
        return Outcome.FAILED, _sentence(str(error))
    if isinstance(error, UndecidedError):
        return Outcome.UNGRADED, _sentence(str(error))
    if isinstance(error, GradcheckError):
        return Outcome.FAILED, "The gradient differs from the numerical estimate (finite differences)."
    if own.lines(error) or _in_backward(error):
        return Outcome.FAILED, str(own.fault(error, "a function's backward pass"))
    if isinstance(error, AssertionError):
        return Outcome.FAILED, _sentence(str(error)) or "This does not hold for your code."
    kind = type(error).__name__[:100]
    return Outcome.UNGRADED, f"This check could not be run: {kind} in the check itself, not in your code. Tell your instructor."


def _in_backward(error: BaseException) -> bool:
    """Whether autograd raised it: what it runs is the graph of the student's code, which leaves no line of theirs."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_globals.get("__name__", "").startswith("torch.autograd")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _check(
    test: Callable[..., Any],
    declaration: Declaration,
    outcome: Outcome,
    message: str,
    share: float = 0.0,
    seconds: float = 0.0,
    account: Running | None = None,
) -> Check:
    account = account or Running()
    return Check(
        name=test.__name__,
        title=title_of(test),
        visibility=Visibility.PUBLIC,
        outcome=outcome,
        points=round(declaration.points * share, 6),
        max_points=declaration.points,
        kind=declaration.kind,
        message=message,
        hint=declaration.hint if outcome is Outcome.FAILED else "",
        evidence=account.evidence,
        seconds=round(seconds, 4),
        measurements=account.measurements,
    )
