"""The document of an audit, as ``Audit.to_json`` makes it: what is kept as JSON, printed, drawn as a page, and asked by release.

Types alone: the room that makes it and the one that draws it do not know each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict


class AuditRepeat(TypedDict):
    """One grading of a solution. ``outcomes`` has a letter for each check, in the checks' order."""

    seed: int
    points: float
    outcomes: str


class AuditSolution(TypedDict):
    """A solution that was graded. ``kind`` is ``wheat``, ``chaff``, ``degenerate`` or ``mutant``.

    ``price`` is what it lost, in points; ``may_cost`` what a chaff's author defends (``because``) where that is over a third.
    """

    kind: str
    name: str
    title: str
    fails: Sequence[str]
    because: str
    price: float
    may_cost: float | None
    repeats: Sequence[AuditRepeat]


class AuditCheck(TypedDict):
    """The figures of one check: see :class:`torchgrade.audit.result.CheckAudit`."""

    name: str
    title: str
    visibility: str
    kind: str
    points: float
    evidence: str
    caught: int
    alone: int
    mutants: int
    tolerance_used: float
    flakes: int
    runs: int
    flake_rate_at_most: float
    deferred: bool


class AuditExercise(TypedDict):
    """One exercise."""

    name: str
    checks: Sequence[AuditCheck]
    solutions: Sequence[AuditSolution]
    problems: Sequence[str]


class AuditDocument(TypedDict):
    """One assignment. ``letters`` says which outcome each letter stands for."""

    assignment: str
    repeats: int
    seconds: float
    digest: str
    complete: bool
    environment: Mapping[str, object]
    exercises: Sequence[AuditExercise]
    schema: int
    letters: Mapping[str, str]
