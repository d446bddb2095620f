"""The document of an audit: kept as JSON in the course's folder of audits, printed, drawn as a page, and asked by release.

    audit ──► Audit.to_json ──► AuditDocument ──► <assignment>.json ──► release
                                      └─────────► audit_text, audit_page

Its form is defined here alone, beside what draws it and outside of what decides marks: changing it regrades nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

SCHEMA = 3
"""Raised when a field changes its meaning; release asks for a new audit where one has another number."""

LETTERS = {"passed": "+", "failed": "x", "skipped": "-", "deferred": "o", "ungraded": "?", "": " "}
"""The letter of each outcome in :class:`AuditRepeat`; a space for a check that was not reached."""


class AuditRepeat(TypedDict):
    """One grading of a solution.

    ``outcomes`` has a letter for each check, in the checks' order. ``slips`` says of the checks that failed how: nan, shape, …
    ``said``, of a chaff: the message of each check that failed, less what depends on the seed.
    """

    seed: int
    points: float
    outcomes: str
    slips: Mapping[str, str]
    said: NotRequired[Mapping[str, str]]


class AuditSolution(TypedDict):
    """A solution that was graded. ``kind`` is ``wheat``, ``chaff``, ``degenerate`` or ``mutant``.

    ``price`` is what it lost, in points; ``may_cost`` what a chaff's author defends (``because``) where that is over a third.
    ``nearest``: for each check that compares numbers the largest error as a share of what is allowed, above 1 where it fails.
    ``hints``: of a chaff, for each check that failed the hint that a student would read, empty where there is none.
    """

    kind: str
    name: str
    title: str
    fails: Sequence[str]
    because: str
    price: float
    may_cost: float | None
    nearest: NotRequired[Mapping[str, float]]  # documents of before have none
    hints: NotRequired[Mapping[str, str]]
    repeats: Sequence[AuditRepeat]


class AuditCheck(TypedDict):
    """The figures of one check.

    ``caught``: chaffs that fail it. ``alone``: those that fail no other. ``mutants``: killed by it first. ``tolerance_used``: the
    largest share of its tolerance that a right answer used. ``flakes`` of ``runs``: right answers that it refused, with the upper
    end of the 95 % interval of the rate. ``deferred``: it waits for a GPU, so that none of this could be seen here.
    """

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


class AuditBasis(TypedDict):
    """Digests of what an audit's outcomes rest on: what the instructor wrote, and what graded it."""

    notebook: str
    graders: str
    bank: str
    engine: str
    settings: str


class AuditDocument(TypedDict):
    """One assignment. ``letters`` says which outcome each letter stands for."""

    assignment: str
    repeats: int
    seconds: float
    rests_on: AuditBasis
    complete: bool
    environment: Mapping[str, object]
    exercises: Sequence[AuditExercise]
    schema: int
    letters: Mapping[str, str]
