"""The findings of an audit, as data: a matrix of checks and solutions, figures for each check, and the problems in words."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from statistics import NormalDist

from torchgrade.audit.candidates import Kind
from torchgrade.bank.misconceptions import fingerprint
from torchgrade.report.audit_document import LETTERS, SCHEMA, AuditBasis, AuditCheck, AuditDocument, AuditExercise, AuditSolution


@dataclasses.dataclass(frozen=True, slots=True)
class Repeat:
    """One grading of a candidate: the outcome of each check by name, the points that it earned, and those that it lost."""

    seed: int
    points: float
    outcomes: Mapping[str, str]
    tolerance_used: Mapping[str, float] = dataclasses.field(default_factory=dict)
    messages: Mapping[str, str] = dataclasses.field(default_factory=dict)
    slips: Mapping[str, str] = dataclasses.field(default_factory=dict)
    lost: float = 0.0
    hints: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def failed(self) -> frozenset[str]:
        """The checks that it failed; those that were skipped are not among them."""
        return frozenset(name for name, outcome in self.outcomes.items() if outcome == "failed")

    @property
    def asked(self) -> frozenset[str]:
        """The checks that were asked, or skipped because of one that was."""
        return frozenset(name for name, outcome in self.outcomes.items() if outcome)

    @property
    def ungraded(self) -> list[str]:
        """The checks that could not be decided, through no fault of the candidate's; a check comes before those that need it."""
        return [name for name, outcome in self.outcomes.items() if outcome == "ungraded"]


@dataclasses.dataclass(frozen=True, slots=True)
class Graded:
    """A candidate and its repeats.

    ``may_cost``: the points that a chaff's mistake may cost, where its author gives a reason (``because``) for more than a third.
    """

    kind: Kind
    name: str
    title: str
    fails: tuple[str, ...]
    because: str
    repeats: tuple[Repeat, ...]
    may_cost: float | None = None

    @property
    def price(self) -> float:
        """The points that it lost, at most, in any repeat."""
        return max((repeat.lost for repeat in self.repeats), default=0.0)

    @property
    def nearest(self) -> dict[str, float]:
        """The largest error of each check that compares numbers, as a share of its tolerance: of all repeats the nearest to 1."""
        found: dict[str, float] = {}
        for repeat in self.repeats:
            for name, used in repeat.tolerance_used.items():
                if 0 < used < math.inf and abs(math.log(used)) < abs(math.log(found.get(name, math.inf))):
                    found[name] = used
        return found

    @property
    def hints(self) -> dict[str, str]:
        """The hint that a student would read beside each check that failed, if any; of several repeats the first to fail."""
        return {name: repeat.hints.get(name, "") for repeat in reversed(self.repeats) for name in sorted(repeat.failed)}


@dataclasses.dataclass(frozen=True, slots=True)
class ExerciseAudit:
    """One exercise."""

    name: str
    checks: tuple[AuditCheck, ...]
    solutions: tuple[Graded, ...]
    problems: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Audit:
    """The audit of an assignment. ``rests_on`` has digests: while these stay the same, the audit holds."""

    assignment: str
    repeats: int
    seconds: float
    rests_on: AuditBasis
    complete: bool
    environment: Mapping[str, object]
    exercises: tuple[ExerciseAudit, ...]
    schema: int = SCHEMA

    @property
    def problems(self) -> list[str]:
        """All exercises' problems."""
        return [problem for exercise in self.exercises for problem in exercise.problems]

    def to_json(self) -> AuditDocument:
        """Plain data. Outcomes are strings with a letter for each check, in the checks' order: see :data:`LETTERS`."""
        return {
            "assignment": self.assignment,
            "repeats": self.repeats,
            "seconds": self.seconds,
            "rests_on": self.rests_on,
            "complete": self.complete,
            "environment": dict(self.environment),
            "exercises": [_exercise(exercise) for exercise in self.exercises],
            "schema": self.schema,
            "letters": {letter: outcome for outcome, letter in LETTERS.items()},
        }


def _exercise(exercise: ExerciseAudit) -> AuditExercise:
    names = [check["name"] for check in exercise.checks]
    return {
        "name": exercise.name,
        "checks": list(exercise.checks),
        "solutions": [_solution(solution, names) for solution in exercise.solutions],
        "problems": list(exercise.problems),
    }


def _solution(solution: Graded, checks: list[str]) -> AuditSolution:
    return {
        "kind": solution.kind,
        "name": solution.name,
        "title": solution.title,
        "fails": list(solution.fails),
        "because": solution.because,
        "price": round(solution.price, 4),
        "may_cost": solution.may_cost,
        "nearest": {name: float(f"{used:.3g}") for name, used in solution.nearest.items()},
        "hints": solution.hints if solution.kind is Kind.CHAFF else {},
        "repeats": [
            {
                "seed": repeat.seed,
                "points": repeat.points,
                "outcomes": "".join(LETTERS[repeat.outcomes.get(name, "")] for name in checks),
                "slips": dict(repeat.slips),
                "said": _said(repeat) if solution.kind is Kind.CHAFF else {},
            }
            for repeat in solution.repeats
        ],
    }


def _said(repeat: Repeat) -> dict[str, str]:
    return {name: fingerprint(repeat.messages.get(name, "")) for name in sorted(repeat.failed)}


def wilson_upper(hits: int, runs: int, confidence: float = 0.95) -> float:
    """The upper end of Wilson's score interval for a rate of ``hits`` in ``runs``; 1 where there were none.

    Source: E. B. Wilson, Journal of the American Statistical Association 22 (1927), 209-212.
    """
    if not runs:
        return 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, spread = hits / runs, z * z / runs
    return min(1.0, (rate + spread / 2 + math.sqrt(spread * rate * (1 - rate) + spread * spread / 4)) / (1 + spread))
