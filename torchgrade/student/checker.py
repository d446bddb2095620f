"""``check("softmax")``: the public checks of an exercise, run on what the student has defined so far.

    public_softmax.py ──► checks ──► StandIn (the student's functions) ──► Exercise ──► table in the notebook
    checks.json ──────────────────────────────────────────────────────────────────────► "5 hidden checks follow"

It runs in the student's own kernel, on any operating system: no jail, no limit, and nothing that counts as a mark.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torchgrade.checks.declared import GraderError
from torchgrade.checks.raised import FILE, use_errors
from torchgrade.record import Outcome
from torchgrade.report import clean, exercise_text
from torchgrade.student.cells import OwnCode, shell
from torchgrade.student.display import say, show
from torchgrade.student.files import Beside, FilesError, beside_the_notebook, loaded
from torchgrade.student.local_student import StandIn
from torchgrade.student.running import run_checks
from torchgrade.student.validating import tell_validation, warnings_cost_nothing


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:  # the folder is gone
        return Path()


_START = _here()  # where the notebook was when it imported us; it may have changed its folder since


def check(*names: str) -> None:
    """Run the public checks of the exercises ``names`` (all that there are, if none is named) and show what came of them.

    They are read from ``public_<exercise>.py`` beside the notebook, each time anew. Nothing of the kernel's state changes:
    random generators, grad mode, default dtype, threads, warnings, current folder.
    """
    if getattr(sys.modules[__package__], "silent", False):
        return
    running = shell()
    namespace: Mapping[str, Any] = running.user_ns if running is not None else sys._getframe(1).f_globals  # noqa: SLF001
    here = _here()
    # The last is for whoever writes the assignment, in the course's own folder.
    beside = beside_the_notebook(here, _START, here.parent.parent / "graders" / here.name)
    own = OwnCode(namespace, here)
    with contextlib.suppress(GraderError):  # the instructor's, and hints only
        use_errors(beside.folder / FILE)
    hidden = beside.hidden()
    for name in names or beside.names() or ("<exercise>",):
        try:
            _check_one(str(name), beside, namespace, own, hidden)
        except FilesError as error:
            say(str(error))
            tell_validation(clean(str(error)))
        except KeyboardInterrupt:
            say(f"Stopped: {name} was not checked to the end.")
            return


def _check_one(
    name: str, beside: Beside, namespace: Mapping[str, Any], own: OwnCode, hidden: Mapping[str, Mapping[str, int]] | None
) -> None:
    with warnings_cost_nothing(), loaded(beside.require(name)) as module:
        exercise = run_checks(name, module, StandIn(namespace, own), own)
    follow = (hidden or {}).get(name)
    show(exercise, follow)
    if any(check.outcome is not Outcome.PASSED for check in exercise.checks):
        tell_validation(exercise_text(exercise, hidden=follow))
    if follow is None:
        say("There may be hidden checks too: checks.json, which lists them, is not beside this notebook or is damaged.")
