"""Puts the checks of an assignment's graders to one submission: the pytest plugin that a run registers.

    item ──► needs met? GPU there? ──► fresh secret seed ──► the test, with `student` ──► how it ended ──► Scoresheet

No check may cost another one anything: by its crash, its hang, the memory it holds, or the global state it changes. But a process
of its own for each check would cost more than most checks do. So the checks follow one another in one process for as long as they
pass: the inputs of each are secret and fresh, so nothing that an earlier check left behind can make a wrong answer right; and a
check that changes the submission says so, and ends its process (`ends_its_process`). A check that does not pass there is run
again alone, in a fresh process with the same inputs, and that run decides. Speed and memory are always looked at alone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import inspect
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest
import torch

from torchgrade.checks.declared import CheckFailed, declaration_of
from torchgrade.checks.faults import NotDefined, Raised
from torchgrade.checks.generators import seed_all
from torchgrade.checks.notes import Notes, current_notes
from torchgrade.checks.settling import Attempt, Scoresheet
from torchgrade.jail import Session, Student
from torchgrade.jail.resources.cuda import pin_numerics
from torchgrade.judge import environment
from torchgrade.judge.blame import may_be_about_the_answer, may_be_the_graders, of_the_answer, require_unlike
from torchgrade.judge.broken_cells import missing_name
from torchgrade.judge.plan import exercise_of
from torchgrade.judge.race import Racers, racers
from torchgrade.record import Outcome


@dataclasses.dataclass
class Asking:
    """A pytest plugin object: it puts each check to the submission in ``session`` and notes on ``sheet`` how it ended.

    ``seed`` decides every random input; two runs with the same seed ask the same things. ``racers`` gives speed checks the code
    to race against. If a check of an exercise did not find a name, ``why_missing`` tells which cell did not run through.
    ``errors`` are the graders' own: files that could not be collected.
    """

    sheet: Scoresheet
    session: Session
    seed: int
    returns: Mapping[str, str]
    makes: Mapping[str, str]
    racers: Racers
    why_missing: Callable[[str, str], str | None] = lambda _exercise, _name: None
    errors: list[str] = dataclasses.field(default_factory=list)
    _passed_here: int = 0

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        """The submission's names, as functions that run in the jail."""
        return self._student_for(request.node)

    def _student_for(self, item: pytest.Item) -> Student:
        return Student(
            self.session.exchange,
            seed=self._seed_of(item.nodeid, "student"),
            returns=self.returns,
            makes=self.makes,
            process_tree=self.session.process_tree,
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Run the check in the process where those before it passed; if it does not pass there, run it again alone."""
        if _key(pyfuncitem) is None:
            return None
        declaration = declaration_of(_function(pyfuncitem))
        if self._passed_here and declaration is not None and declaration.kind in _ALONE:
            self._renew()
        arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
        try:
            self._decide(pyfuncitem, arguments)
        except (Raised, NotDefined) as fault:
            if may_be_the_graders(fault, self.racers):
                with self._reference_in_place(pyfuncitem, arguments) as run:
                    require_unlike(fault, run)
            if (name := missing_name(fault)) and (why := self._why_missing(pyfuncitem, name)) is not None:
                raise NotDefined(why, name) from None
            raise
        except Exception as error:
            if may_be_about_the_answer(error, self.racers) and self._reference_passes(pyfuncitem, arguments):
                raise of_the_answer(error) from error
            raise
        return True

    def _why_missing(self, item: pytest.Function, name: str) -> str | None:
        key = _key(item)
        return None if key is None else self.why_missing(key[0], name)

    def _decide(self, item: pytest.Function, arguments: dict[str, Any]) -> None:
        try:
            item.obj(**arguments)
            if item.stash[_ATTEMPT].notes.ends_process:
                self._renew()
            else:
                self._passed_here += 1
        except Exception:
            alone = self._passed_here == 0
            self._renew()
            if alone:
                raise
            self._run_alone(item, arguments)

    def _reference_passes(self, item: pytest.Function, arguments: dict[str, Any]) -> bool:
        with self._reference_in_place(item, arguments) as run:
            try:
                run()
            except Exception:  # noqa: BLE001 - whichever way it ends, the check does not work for right answers
                return False
        return True

    @contextlib.contextmanager
    def _reference_in_place(self, item: pytest.Function, arguments: dict[str, Any]) -> Iterator[Callable[[], None]]:
        """Give a function that puts the same check to the reference, with the same inputs."""

        def run() -> None:
            with _own_state(self._seed_of(item.nodeid, "judge")):
                item.obj(**arguments)

        session = self.racers.session(role="trial")
        arguments["student"] = Student(
            session.exchange,
            seed=self._seed_of(item.nodeid, "student"),
            returns=self.returns,
            makes=self.makes,
            process_tree=session.process_tree,
        )
        token = current_notes.set(Notes())
        try:
            yield run
        finally:
            current_notes.reset(token)
            session.end_check()

    def _run_alone(self, item: pytest.Function, arguments: dict[str, Any]) -> None:
        attempt = item.stash[_ATTEMPT]
        attempt.notes = Notes()
        token = current_notes.set(attempt.notes)
        if "student" in arguments:
            arguments["student"] = self._student_for(item)
        try:
            with _own_state(self._seed_of(item.nodeid, "judge")):
                item.obj(**arguments)
        finally:
            current_notes.reset(token)
            self._renew()

    def _renew(self) -> None:
        """Make the next call go to a process that has not answered any check yet."""
        self.session.end_check()
        self._passed_here = 0

    @pytest.fixture
    def device(self) -> torch.device:
        """The device that checks are to run on: the GPU, if this machine has one."""
        return torch.device("cuda" if environment.has_gpu() else "cpu")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run one item, unless something that it needs is missing, and note how it ended."""
        key = _key(item)
        if key is None:
            return (yield)
        attempt = item.stash[_ATTEMPT] = self.sheet.begin(*key)
        started = time.perf_counter()
        with _own_state(self._seed_of(item.nodeid, "judge")):
            self.racers.exercise = key[0]
            tokens = current_notes.set(attempt.notes), racers.set(self.racers)
            try:
                return (yield)
            finally:
                current_notes.reset(tokens[0])
                racers.reset(tokens[1])
                attempt.seconds = time.perf_counter() - started

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skip a check whose needs are not met, or that needs a GPU if there is none."""
        key = _key(item)
        if key is None:
            return
        declaration = declaration_of(_function(item))
        if declaration is not None and (hindrance := self.sheet.hindrance(key[0], declaration.needs)) is not None:
            _leave(item, hindrance)
        if item.get_closest_marker("gpu") is not None and not environment.has_gpu():
            _leave(item, Attempt.not_run(Outcome.DEFERRED, "This needs a GPU; it is graded on a machine that has one."))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn what the item raised into an outcome."""
        attempt = item.stash.get(_ATTEMPT, None)
        if attempt is not None and call.excinfo is not None and attempt.outcome is Outcome.PASSED:
            error = call.excinfo.value
            if (instead := item.stash.get(_INSTEAD, None)) is not None:
                attempt.becomes(instead)
            elif isinstance(error, pytest.fail.Exception):
                attempt.ended_by(CheckFailed(str(error.msg)))
            else:
                attempt.ended_by(error)
        return (yield)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a grader that cannot be collected: that is our fault, so its checks must not count as failed."""
        if report.failed:
            self.errors.append(str(report.longrepr)[-4000:])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put public checks first and then hidden ones, each file in its own order."""
        items.sort(key=lambda item: item.path.name.startswith("test_"))

    def _seed_of(self, *what: str) -> int:
        """A number of 63 bits that depends on the run's secret seed and on what it is for."""
        text = repr((self.seed, *what)).encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1


_ATTEMPT = pytest.StashKey[Attempt]()
_INSTEAD = pytest.StashKey[Attempt]()
"""The attempt that takes the place of a check that is not run."""
_ALONE = ("speed", "memory")


def _leave(item: pytest.Item, instead: Attempt) -> NoReturn:
    item.stash[_INSTEAD] = instead
    pytest.skip(instead.message)


def _function(item: pytest.Item) -> Callable[..., Any]:
    function = getattr(item, "function", None)
    assert callable(function)  # noqa: S101 - _key has made sure of it
    return function  # type: ignore[no-any-return]


def _key(item: pytest.Item) -> tuple[str, str] | None:
    """The exercise and the check of a pytest item; ``None`` if it is not a check."""
    found = exercise_of(Path(item.path))
    function = getattr(item, "function", None)
    if found is None or not callable(function) or declaration_of(function) is None:
        return None
    return found[1], function.__name__


class _own_state:  # noqa: N801 - used as a function
    """Gives a check its own seeds, grad mode, default dtype and threads, and pins a GPU's arithmetic; then puts all back."""

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
