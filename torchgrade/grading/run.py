"""One run of an assignment's graders over one submission: the pytest plugin that a run registers.

item ──► needs met? GPU there? ──► fresh secret seed ──► the test, with `student` ──► how it ended ──► Check

No check may cost another anything: by its crash, its hang, the memory it holds, the global state it changes. Yet a process of
its own for each costs more than most checks. So checks follow one another in one process for as long as they pass: the inputs
of each are secret and fresh, so nothing that an earlier one left behind makes a wrong answer right. One that does not pass there
is run again alone, in a fresh process with the same inputs, and that run decides. Speed and memory are always looked at alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from _pytest.outcomes import Skipped  # pytest.skip.Exception, with a type

from torchgrade.grading import environment
from torchgrade.grading.checks import Running, declaration_of, running
from torchgrade.grading.outcomes import Ended, as_check, judge_exception
from torchgrade.grading.plan import Plan, exercise_of
from torchgrade.grading.race import Racers, racers
from torchgrade.record import Check, Evidence, Outcome
from torchgrade.sandbox import Session, Student
from torchgrade.sandbox.cuda import pin_numerics
from torchgrade.sandbox.generators import seed_all


@dataclasses.dataclass
class GradingRun:
    """A pytest plugin object: the submission's session, the plan, and what came of each check so far.

    ``seed`` decides every random input; two runs with the same seed ask the same. ``racers`` gives speed checks what they time
    against.
    """

    plan: Plan
    session: Session
    seed: int
    returns: Mapping[str, str]
    racers: Racers | None = None
    ended: dict[tuple[str, str], list[Ended]] = dataclasses.field(default_factory=lambda: defaultdict(list))
    errors: list[str] = dataclasses.field(default_factory=list)
    _passed_here: int = 0

    def checks(self, exercise: str) -> list[Check]:
        """The exercise's checks as they stand in the record."""
        return [as_check(planned, self.ended.get((exercise, planned.name), ())) for planned in self.plan.of(exercise)]

    # ---- pytest's hooks

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        """The submission's names, as functions that run in the jail."""
        return self._student_for(request.node)

    def _student_for(self, item: pytest.Item) -> Student:
        return Student(
            self.session.exchange,
            seed=self._seed_of(item.nodeid, "student"),
            returns=self.returns,
            outside=self.session.outside,
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Run the check where those before it passed; if it does not pass there, run it again alone."""
        if _key(pyfuncitem) is None:
            return None
        declaration = declaration_of(_function(pyfuncitem))
        if self._passed_here and declaration is not None and declaration.kind in _ALONE:
            self._renew()
        arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
        try:
            pyfuncitem.obj(**arguments)
            self._passed_here += 1
        except Exception:
            alone = self._passed_here == 0
            self._renew()
            if alone:
                raise
            self._run_alone(pyfuncitem, arguments)
        return True

    def _run_alone(self, item: pytest.Function, arguments: dict[str, Any]) -> None:
        ended = item.stash[_ENDED]
        ended.running = Running()
        token = running.set(ended.running)
        if "student" in arguments:
            arguments["student"] = self._student_for(item)
        try:
            with _own_state(self._seed_of(item.nodeid, "judge")):
                item.obj(**arguments)
        finally:
            running.reset(token)
            self._renew()

    def _renew(self) -> None:
        """The next call finds a process that has answered no check."""
        self.session.end_check()
        self._passed_here = 0

    @pytest.fixture
    def device(self) -> torch.device:
        """The device that checks are to run on: the GPU where this machine has one."""
        return torch.device("cuda" if environment.has_gpu() else "cpu")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run one item unless what it needs is missing, and note how it ended."""
        key = _key(item)
        if key is None:
            return (yield)
        ended = Ended(Outcome.PASSED)
        self.ended[key].append(ended)
        item.stash[_ENDED] = ended
        started = time.perf_counter()
        with _own_state(self._seed_of(item.nodeid, "judge")):
            if self.racers is not None:
                self.racers.exercise = key[0]
            tokens = running.set(ended.running), racers.set(self.racers)
            try:
                return (yield)
            finally:
                running.reset(tokens[0])
                racers.reset(tokens[1])
                ended.seconds = time.perf_counter() - started

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skip a check whose needs are not met, or that needs a GPU where there is none."""
        key = _key(item)
        if key is None:
            return
        declaration = declaration_of(_function(item))
        for needed in declaration.needs if declaration else ():
            earlier = self.ended.get((key[0], needed))
            if earlier and all(item.outcome is Outcome.PASSED and item.running.share > 0 for item in earlier):
                continue
            title = next((check.title for check in self.plan.of(key[0]) if check.name == needed), needed)
            before = {e.outcome for e in earlier or ()}
            # What waits for one that is open is open too, and for the same reason.
            outcome = next((o for o in (Outcome.UNGRADED, Outcome.DEFERRED) if o in before), Outcome.SKIPPED)
            raise _NotRun(outcome, f"Not looked at, because this comes first: {title}.")
        if item.get_closest_marker("gpu") is not None and not environment.has_gpu():
            raise _NotRun(Outcome.DEFERRED, "This needs a GPU; it is graded on a machine that has one.")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn what the item raised into an outcome."""
        ended = item.stash.get(_ENDED, None)
        if ended is not None and call.excinfo is not None and ended.outcome is Outcome.PASSED:
            error = call.excinfo.value
            if isinstance(error, _NotRun):
                ended.outcome, ended.message = error.outcome, str(error)
                ended.running.evidence = Evidence.NONE
            else:
                ended.outcome, ended.message, ended.detail = judge_exception(error)
        return (yield)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A grader that cannot be collected is our fault; its checks must not count as failed."""
        if report.failed:
            self.errors.append(str(report.longrepr)[-4000:])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Public checks first, then hidden ones, each file in its order."""
        items.sort(key=lambda item: item.path.name.startswith("test_"))

    def _seed_of(self, *what: str) -> int:
        """A number of 63 bits that depends on the run's secret seed and on what it is for."""
        text = repr((self.seed, *what)).encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1


class _NotRun(Skipped):
    """A check that is not run, and what that makes of it."""

    def __init__(self, outcome: Outcome, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


_ENDED = pytest.StashKey[Ended]()
_ALONE = ("speed", "memory")


def _function(item: pytest.Item) -> Callable[..., Any]:
    function = getattr(item, "function", None)
    assert callable(function)  # noqa: S101 - _key looked
    return function  # type: ignore[no-any-return]


def _key(item: pytest.Item) -> tuple[str, str] | None:
    """Exercise and check of a pytest item; ``None`` for one that is no check."""
    found = exercise_of(Path(item.path))
    function = getattr(item, "function", None)
    if found is None or not callable(function) or declaration_of(function) is None:
        return None
    return found[1], function.__name__


class _own_state:  # noqa: N801 - used as a function
    """Seeds, grad mode, default dtype and threads that are the check's own, and put back after it; a GPU's arithmetic pinned."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __enter__(self) -> None:
        pin_numerics()
        self._before = torch.get_default_dtype(), torch.get_num_threads(), torch.is_grad_enabled()
        seed_all(self._seed, cuda=environment.has_gpu())

    def __exit__(self, *_: object) -> None:
        dtype, threads, grad = self._before
        torch.set_default_dtype(dtype)
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        torch.set_grad_enabled(grad)
