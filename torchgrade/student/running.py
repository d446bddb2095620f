"""Runs the public checks of one exercise in the student's own kernel, one after the other.

The outcome of each is settled by :mod:`torchgrade.checks.settling`, as in the judge. This module is only about running a check in
this very process: the kernel's state is kept, and an exception that the student's own lines raised becomes their fault.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import secrets
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import torch
from torch.autograd.gradcheck import GradcheckError

from torchgrade.checks.declared import CheckFailed, GraderError, PlannedCheck, UndecidedError, checks_in
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.generators import seed_all
from torchgrade.checks.notes import current_notes
from torchgrade.checks.settling import Scoresheet
from torchgrade.record import Check, Exercise, Outcome, Visibility
from torchgrade.student.cells import OwnCode
from torchgrade.student.local_student import StandIn


def run_checks(name: str, module: ModuleType, student: StandIn, own: OwnCode) -> Exercise:
    """Run the checks of ``module`` in order; a check is skipped if one that it needs did not pass. The kernel's state is kept."""
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
    """The student's fault, if their lines raised the error on the way to a check, as in a backward pass; else the error itself.

    The judge's proxy can tell the two apart by the process that raised.
    """
    if isinstance(error, StudentFault | CheckFailed | UndecidedError | GraderError | GradcheckError):
        return error
    if own.lines(error) or _in_backward(error):
        return own.fault(error, "a function's backward pass")
    return error


def _in_backward(error: BaseException) -> bool:
    """Return whether autograd raised ``error`` while it ran the graph of the student's code: then no frame shows their lines."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_globals.get("__name__", "").startswith("torch.autograd")


def _as_shown(sheet: Scoresheet, exercise: str) -> list[Check]:
    """The checks as shown to a student here: a missing name or an unwritten stub is reported once, without hints."""
    said: set[str] = set()
    shown = []
    for check in sheet.settled(exercise):
        if check.slip in ("not written", "not defined"):
            message = "" if check.message in said else check.message
            said.add(check.message)
            shown.append(dataclasses.replace(check, hint="", message=message))
        elif check.outcome is Outcome.UNGRADED and check.detail:
            # A judge has the reference and can tell whose mistake it is; here nobody can.
            raised = check.cause[:500]
            message = f"This check could not be run with your result. If that is as it should be, tell your instructor: {raised}"
            shown.append(dataclasses.replace(check, message=message))
        else:
            shown.append(check)
    return shown


# ---- the kernel's state around a check
#
# What a check or the student's code changes in it is set back afterwards.

_Setting = tuple[Callable[[], Any], Callable[[Any], Any]]

# How to read a setting, and how to set it. It is set back only if it differs: setting some of them is slow, or warns.
_SETTINGS: tuple[_Setting, ...] = (
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.get_default_device, torch.set_default_device),
    (torch.get_num_threads, torch.set_num_threads),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    (torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode),
    (lambda: _attributes(torch.backends.cudnn, "deterministic", "benchmark"), lambda v: _assign(torch.backends.cudnn, v)),
    (
        lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
        lambda value: torch.autograd.set_detect_anomaly(*value),
    ),
    (lambda: _folder(), lambda folder: _return_to(folder)),  # noqa: PLW0108 - they are defined below
)


@contextlib.contextmanager
def state_kept() -> Iterator[None]:
    """Keep generators, grad mode, dtypes, threads, determinism, warnings and the current folder as they are.

    Inside, gradients are recorded and the default dtype is float32, as when the work is graded.
    """
    settings = [(read, write, read()) for read, write in _SETTINGS]
    with _generators_kept(), warnings.catch_warnings(), torch.enable_grad():
        try:
            torch.set_default_dtype(torch.float32)
            yield
        finally:
            warnings.simplefilter("ignore")  # some settings warn of themselves when they are set
            for read, write, before in settings:
                if read() != before:
                    write(before)


@contextlib.contextmanager
def _generators_kept() -> Iterator[None]:
    python, numpy, ours = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002 - the legacy one
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        torch.set_rng_state(ours)
        if cuda is not None:
            torch.cuda.set_rng_state_all(cuda)


def seed_afresh() -> None:
    """Seed with new numbers for each run, so that an answer that fits only one set of inputs does not pass."""
    seed_all(secrets.randbits(63))


def _attributes(module: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(module, name) for name in names}


def _assign(module: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(module, name, value)


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 - as text, to go back to
    except OSError:  # the folder is gone
        return None


def _return_to(folder: str | None) -> None:
    if folder is not None:
        os.chdir(folder)
