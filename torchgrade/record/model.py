"""The shape of a record. Names and meanings are fixed: instructors script against the JSON."""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Callable, Mapping
from pathlib import Path

SCHEMA = 1
"""Raised whenever the meaning of a field changes; a record with another number is graded again."""


class Outcome(enum.StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # a check that it needs did not pass; worth 0
    DEFERRED = "deferred"  # needs a GPU and this machine has none; open until a GPU run
    UNGRADED = "ungraded"  # our fault: noise, a lost machine, a bug in the grader; open, never 0


class Status(enum.StrEnum):
    """The state of a mark: whether it can still change without the student doing anything."""

    FINAL = "final"
    PROVISIONAL = "provisional"  # some check that is worth points was deferred
    UNGRADED = "ungraded"  # some check that is worth points was ungraded


class Visibility(enum.StrEnum):
    """Who sees a check's source: students have that of a public check, but not that of a hidden one."""

    PUBLIC = "public"
    HIDDEN = "hidden"


class Evidence(enum.StrEnum):
    """The evidence for a check's outcome: recomputed data, the worker's word, or none."""

    DATA = "data"  # results that the judge recomputed
    WORD = "word"  # something that only the student's process could see: operation counts, dtype traces
    NONE = "none"  # the student's code was not called, or did not answer


_PLACE = re.compile(r'^  File "([^"]+)", line (\d+)', re.MULTILINE)
_MODULE = re.compile(r"^(?:\w+\.)+(?=\w+: )")  # torchgrade.jail.errors.GraderError: ...


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """One check of one exercise.

    ``message`` and ``hint`` are written for the student; ``detail`` is for the instructor and is never shown to students.
    ``slip`` is the kind of failure in a word or two: ``nan``, ``shape``, ``raised``, ``not defined``;
    ``place`` is the line of the student's code where it went wrong, if that is known.
    ``reached`` is false if the run ended before the check, or did not ask for it.
    ``seconds`` is the judge's wall time. ``measurements`` holds numbers that a check wants to keep; those that
    :mod:`torchgrade.record.measurements` describes are read again.
    """

    name: str
    title: str
    visibility: Visibility
    outcome: Outcome
    points: float
    max_points: float
    kind: str = "values"
    message: str = ""
    hint: str = ""
    slip: str = ""
    place: str = ""
    detail: str = ""
    evidence: Evidence = Evidence.DATA
    reached: bool = True
    seconds: float = 0.0
    measurements: Mapping[str, object] = dataclasses.field(default_factory=dict)

    @property
    def cause(self) -> str:
        """One line for the instructor: the exception in ``detail``, after the grader's file and line if that is a traceback."""
        raised = self.detail.strip().rpartition("\n")[2]
        places = [
            found for found in _PLACE.finditer(self.detail) if Path(found[1]).name.startswith(("test_", "public_", "probes"))
        ]
        text = _MODULE.sub("", raised)
        return f"{Path(places[-1][1]).name}, line {places[-1][2]}: {text}" if places else text

    @property
    def races(self) -> bool:
        """True if the check times the student's code, for which it needs a machine to itself."""
        return self.kind == "speed"

    @property
    def is_open(self) -> bool:
        """True if points of this check are still undecided; a check that is worth nothing is never open."""
        return not self.is_decided and self.max_points > 0

    @property
    def is_decided(self) -> bool:
        """True unless the check was deferred or left ungraded."""
        return self.outcome not in (Outcome.DEFERRED, Outcome.UNGRADED)


@dataclasses.dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise of the assignment, in the notebook's order. ``name`` is the solution cell's ``grade_id``."""

    name: str
    max_points: float
    checks: tuple[Check, ...]

    @property
    def points(self) -> float:
        """The sum of the checks' points."""
        return sum(check.points for check in self.checks)


@dataclasses.dataclass(frozen=True, slots=True)
class Digests:
    """SHA-256 of what the marks rest on. Equal digests mean that grading again would decide nothing new."""

    notebook: str
    graders: str
    engine: str
    settings: str


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """One graded submission.

    ``problems`` are lines for the student and the instructor about the submission as a whole: cells that raised, magics that were
    skipped, locked cells that were put back, or why the file could not be graded at all. ``readable`` is false if the file is not
    a notebook of this assignment, so that no check could be asked. ``partial`` is true if only some of the assignment's checks
    were asked for, so that the sums are those of a part and not a mark.
    """

    assignment: str
    student: str
    exercises: tuple[Exercise, ...]
    digests: Digests
    seed: int
    environment: Mapping[str, object]
    problems: tuple[str, ...] = ()
    readable: bool = True
    partial: bool = False
    graded_at: str = ""
    seconds: float = 0.0
    schema: int = SCHEMA

    @property
    def points(self) -> float:
        """The sum of the exercises' points."""
        return sum(exercise.points for exercise in self.exercises)

    @property
    def max_points(self) -> float:
        """The points of a perfect submission."""
        return sum(exercise.max_points for exercise in self.exercises)

    @property
    def status(self) -> Status:
        """``ungraded`` outweighs ``provisional``, which outweighs ``final``. Checks that are worth nothing keep no mark open."""
        outcomes = {check.outcome for check in self.checks if check.is_open}
        if Outcome.UNGRADED in outcomes:
            return Status.UNGRADED
        return Status.PROVISIONAL if Outcome.DEFERRED in outcomes else Status.FINAL

    @property
    def races(self) -> bool:
        """True if some check times the student's code."""
        return any(check.races for check in self.checks)

    @property
    def checks(self) -> tuple[Check, ...]:
        """All checks, in the order of the exercises."""
        return tuple(check for exercise in self.exercises for check in exercise.checks)

    @property
    def is_blank(self) -> bool:
        """True if no check was even begun: the judges that tried were lost."""
        return all(check.outcome is Outcome.UNGRADED for check in self.checks)

    @property
    def deferred(self) -> frozenset[str]:
        """The names of the checks that wait for a GPU."""
        return frozenset(check.name for check in self.checks if check.outcome is Outcome.DEFERRED)

    def with_races_of(self, other: Record) -> Record:
        """The record, but with the speed checks of another one of the same submission, made where they should run."""
        return self._with_checks_of(other, lambda ours, _: ours.races, "races")

    def completed_by(self, other: Record) -> Record:
        """The record, but with those checks that waited for a GPU and that another record of the same submission has decided."""
        return self._with_checks_of(
            other, lambda ours, theirs: ours.outcome is Outcome.DEFERRED and theirs.is_decided, "completed"
        )

    def _with_checks_of(self, other: Record, take: Callable[[Check, Check], bool], where: str) -> Record:
        """The record, with those checks of the other one for which ``take(ours, theirs)`` holds.

        The other one's machine and seed go into the environment under the name ``where``.
        """
        theirs = {(exercise.name, check.name): check for exercise in other.exercises for check in exercise.checks}

        def chosen(exercise: str, ours: Check) -> Check:
            check = theirs.get((exercise, ours.name))
            return ours if check is None or not take(ours, check) else check

        return dataclasses.replace(
            self,
            exercises=tuple(
                dataclasses.replace(e, checks=tuple(chosen(e.name, check) for check in e.checks)) for e in self.exercises
            ),
            environment={**self.environment, where: {**other.environment, "seed": other.seed}},
            problems=tuple(dict.fromkeys((*self.problems, *other.problems))),
            graded_at=other.graded_at,
            seconds=round(self.seconds + other.seconds, 4),
        )

    def to_json(self) -> dict[str, object]:
        """The record as plain JSON data, sums and status included; :mod:`torchgrade.record.reading` reads it."""
        data = {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(self) if field.name != "exercises"}
        data["exercises"] = [
            {"name": e.name, "points": e.points, "max_points": e.max_points, "checks": [_plain(c) for c in e.checks]}
            for e in self.exercises
        ]
        data |= {"status": self.status.value, "points": self.points, "max_points": self.max_points}
        return data


_SCALARS = frozenset({str, int, float, bool, type(None)})


def _plain(value: object) -> object:
    if type(value) in _SCALARS:  # nearly everything in a record, which is stamped once for each run and submission
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, enum.StrEnum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
