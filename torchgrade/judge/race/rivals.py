"""Rivals of a student in a race: the exercise's reference, and solutions from the bank, each in a session of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Self

import torch

from torchgrade.checks.declared import GraderError
from torchgrade.course import Course
from torchgrade.jail import NotDefined, Session, Student, StudentFault, WarmWorker
from torchgrade.jail.protocol.remote_student import Answering, Exchange
from torchgrade.judge.environment import read_data
from torchgrade.judge.plan import read_probes
from torchgrade.notebook import Assignment, compose, take_program

REFERENCE = "reference"
_FOLDERS = ("", "wheats", "chaffs")
_SECONDS = 3600.0  # the rivals are ours, so a submission's limit does not apply to them


class Racers:
    """The rivals in one submission's races, started as they are asked for. ``exercise`` is set to that of the running check."""

    def __init__(self, worker: WarmWorker, course: Course, assignment: Assignment) -> None:
        self._worker, self._course, self._assignment = worker, course, assignment
        self._sessions: dict[tuple[str, str, str], Session] = {}
        self.exercise = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._sessions.values():
            session.end()

    def defines(self, name: str) -> bool:
        """Return whether one of the assignment's stubs defines this name."""
        return any(name in exercise.names for exercise in self._assignment.exercises)

    def has_reference(self) -> bool:
        """Return whether the exercise has a reference solution."""
        return (self._course.solutions / self._assignment.name / self.exercise / f"{REFERENCE}.py").is_file()

    def session(self, solution: str | Path = REFERENCE, *, role: str = REFERENCE) -> Session:
        """A session of a solution of the exercise; it knows nothing of the student.

        ``solution`` is a path, or a name in the exercise's bank: ``reference``, ``loop``, ``chaffs/loop.py``. Two roles in one
        race never share a session. Raises :class:`GraderError` if there is no such solution.
        """
        return self._session(str(solution), role, lambda: self._text(solution))

    def session_of(self, text: str, *, role: str) -> Session:
        """A session of a solution cell that holds ``text``, which comes from the engine itself."""
        return self._session(text, role, lambda: text)

    def _session(self, solution: str, role: str, text: Callable[[], str]) -> Session:
        key = self.exercise, solution, role
        session = self._sessions.get(key)
        if session is None:
            notebook = compose(self._assignment, {self.exercise: text()})
            probes = read_probes(self._course, self._assignment.name)
            data = read_data(self._course, self._assignment.name)
            program = take_program(self._assignment, notebook).to_wire()
            session = self._sessions[key] = Session(self._worker, program, probes=probes, seconds=_SECONDS, data=data)
        return session

    def student(self, session: Session, *, who: str) -> Student:
        """A solution's functions, as a grader calls them. Its failures are raised as ours, under the name ``who``."""
        return Student(
            _as_ours(session.exchange, who),
            seed=1,
            process_tree=session.process_tree,
        )

    def _text(self, solution: str | Path) -> str:
        bank = self._course.solutions / self._assignment.name / self.exercise
        name = Path(solution)
        name = name if name.suffix == ".py" else name.with_name(f"{name.name}.py")
        places = [name] if name.is_absolute() else [bank / folder / name for folder in _FOLDERS]
        for path in places:
            if path.is_file():
                try:
                    return path.read_text(encoding="utf-8")
                except OSError as error:
                    raise GraderError(f"a race needs this solution: {path}: {error.strerror}") from error
        raise GraderError(f"a race needs the solution {str(solution)!r}, which is not there: {places[0]}")


racers: ContextVar[Racers | None] = ContextVar("racers", default=None)


def _as_ours(exchange: Exchange, who: str) -> Exchange:
    def asked(
        request: dict[str, Any],
        tensors: list[torch.Tensor],
        seconds: float | None = None,
        answering: Answering | None = None,
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        try:
            return exchange(request, tensors, seconds, *((answering,) if answering is not None else ()))
        except StudentFault as fault:
            if isinstance(fault, NotDefined) and request.get("name", {}).get("v") == "":  # it was only woken
                raise
            raise GraderError(f"the {who} failed in a race: {fault}") from fault

    return asked


def require_racers(what: str) -> Racers:
    """The rivals for the running check. Raises :class:`GraderError` outside a grading run."""
    if (found := racers.get()) is None:
        raise GraderError(f"{what} runs in a grading run only; a public check cannot compare a student with the reference")
    return found


Rival = str | Path | Callable[..., Any]
"""A solution from the bank, or a function of ``probes.py`` that does the same slowly beside the reference."""
