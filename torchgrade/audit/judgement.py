"""The findings of an audit: a matrix of checks and solutions, and its problems, a line each."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist

from torchgrade.audit.candidates import FILE, Candidate, Exceptions, Kind
from torchgrade.bank import fingerprint
from torchgrade.checks.declared import PlannedCheck
from torchgrade.checks.slips import is_slip
from torchgrade.report.audit import LETTERS, SCHEMA, AuditBasis, AuditCheck, AuditDocument, AuditExercise, AuditSolution


@dataclasses.dataclass(frozen=True, slots=True)
class Repeat:
    """One grading of a candidate: the outcome of each check by name, the points that it earned and those that it lost."""

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
        """The checks that were run, or skipped because of one that was run."""
        return frozenset(name for name, outcome in self.outcomes.items() if outcome)

    @property
    def ungraded(self) -> list[str]:
        """The checks that could not be decided, through no fault of the candidate; each comes before those that need it."""
        return [name for name, outcome in self.outcomes.items() if outcome == "ungraded"]


@dataclasses.dataclass(frozen=True, slots=True)
class Graded:
    """A candidate and its repeats.

    ``may_cost``: the points that a chaff's mistake may cost, if its author gives a reason (``because``) for more than a third.
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
        """The most points that it lost in any repeat."""
        return max((repeat.lost for repeat in self.repeats), default=0.0)

    @property
    def nearest(self) -> dict[str, float]:
        """For each check that compares numbers: its largest error as a share of its tolerance, nearest to 1 of all repeats."""
        found: dict[str, float] = {}
        for repeat in self.repeats:
            for name, used in repeat.tolerance_used.items():
                if 0 < used < math.inf and abs(math.log(used)) < abs(math.log(found.get(name, math.inf))):
                    found[name] = used
        return found

    @property
    def hints(self) -> dict[str, str]:
        """The hint, if any, that a student would read beside each failed check; it is taken from the first repeat that failed."""
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
        """The problems of all exercises."""
        return [problem for exercise in self.exercises for problem in exercise.problems]

    def to_json(self) -> AuditDocument:
        """Return plain data. Outcomes are strings with a letter for each check, in the checks' order: see :data:`LETTERS`."""
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
    """The upper end of Wilson's score interval for a rate of ``hits`` in ``runs``; 1 if there were no runs.

    Source: E. B. Wilson, Journal of the American Statistical Association 22 (1927), 209-212.
    """
    if not runs:
        return 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, spread = hits / runs, z * z / runs
    return min(1.0, (rate + spread / 2 + math.sqrt(spread * rate * (1 - rate) + spread * spread / 4)) / (1 + spread))


# ---- the problems in a matrix
#
# Each is a line that says which check, which solution, and how to see it again.

_EPSILON = 1e-6
FAIR_SHARE = 1 / 3
"""The share of an exercise's points that one mistake may cost if nobody gives a reason for more."""


def problems_of(
    again: str, checks: Sequence[PlannedCheck], candidates: Sequence[Candidate], graded: Sequence[Graded]
) -> Iterator[str]:
    """Yield the problems with each solution's marks. ``again`` is the command that repeats a grading, without name and seed."""
    names = {check.name for check in checks}
    undecided: dict[str, list[tuple[Candidate, int]]] = {}
    for candidate, result in zip(candidates, graded, strict=True):
        if unknown := sorted(candidate.fails - names):
            yield f"{candidate.kind} {candidate.name} names {', '.join(unknown)}: there is no such check"
        for repeat in result.repeats:
            if what := _undecided(repeat):
                undecided.setdefault(what, []).append((candidate, repeat.seed))
                continue
            for what in _WRONG[candidate.kind](candidate, repeat):
                yield f"{candidate.kind} {candidate.name} {what}  [{again} --only '{candidate.name}' --seed {repeat.seed}]"
    # A mistake in a grader affects every solution, and is reported once.
    for what, met in undecided.items():
        (first, seed), others = met[0], len({candidate.name for candidate, _ in met}) - 1
        who = f"{first.kind} {first.name}{f' and {others} more' if others else ''}"
        yield f"{who} could not be decided by {what}  [{again} --only '{first.name}' --seed {seed}]"


def gaps_of(checks: Sequence[PlannedCheck], candidates: Sequence[Candidate], exceptions: Exceptions) -> Iterator[str]:
    """Yield a line for each thing that the bank lacks or no longer needs; ``candidates`` must be all those of the exercise."""
    named = {name for candidate in candidates for name in candidate.fails}
    for check in checks:
        if check.name not in named:
            yield f"no chaff names {check.name}: write a wrong solution that it is there to catch"
    yield from _stale(candidates, exceptions)


def chances_of(graded: Sequence[Graded]) -> Iterator[str]:
    """Yield the wrong answers whose marks depend on the seed: by part marks, or by which of several checks fails first."""
    for each in graded:
        # Only repeats with the same checks as the last one: races are not run in every repeat.
        asked = [repeat.asked for repeat in each.repeats]
        alike = [repeat for repeat in each.repeats if repeat.asked == asked[-1] and not repeat.ungraded]
        if each.kind is not Kind.CHAFF or not alike:
            continue
        least, most = (by(alike, key=lambda repeat: repeat.lost) for by in (min, max))
        if most.lost > least.lost + _EPSILON:
            yield (
                f"chaff {each.name} loses {least.lost:.4g} points with the seed {least.seed} and {most.lost:.4g} with the seed "
                f"{most.seed}: the same file must get the same mark"
            )


HAIR = 1.5
"""A wrong answer must miss a check that others need by this many times the tolerance, or pass it with an error as far below."""


def hairs_of(checks: Sequence[PlannedCheck], graded: Sequence[Graded]) -> Iterator[str]:
    """Yield wrong answers that only just pass or miss a check that others need: with another seed all of these might change."""
    needed = {name for check in checks for name in check.declaration.needs}
    for each in graded:
        for name, used in each.nearest.items():
            if each.kind is Kind.CHAFF and name in needed and 1 / HAIR < used < HAIR:
                yield (
                    f"chaff {each.name} {'misses' if used > 1 else 'passes'} {name}, which others need, by a hair: its error is "
                    f"{used:.2g} of what is allowed, and {HAIR:g} or {1 / HAIR:.2g} would be clear"
                )


def prices_of(checks: Sequence[PlannedCheck], graded: Sequence[Graded], *, complete: bool) -> Iterator[str]:
    """The mistakes that cost more than they may. ``complete``: all checks were run, so a price that is too low counts, too.

    If a check could not be decided, a low price says nothing.
    """
    points = sum(check.declaration.points for check in checks)
    fair = FAIR_SHARE * points
    for each in graded:
        if each.kind is not Kind.CHAFF:
            continue
        decided = not any(repeat.ungraded for repeat in each.repeats)
        said = f"chaff {each.name} loses {each.price:.4g} of {points:g} points by one mistake"
        if each.may_cost is None and each.price > fair + _EPSILON:
            yield (
                f"{said}; {fair:.4g} are allowed: have each check look at one property, or give the reason in its docstring "
                f"('Costs: {each.price:.4g}, because ...')"
            )
        elif each.may_cost is not None and each.price > each.may_cost + _EPSILON:
            yield f"{said}; its docstring allows {each.may_cost:g} ({each.because})"
        elif each.may_cost is not None and complete and decided and each.price <= fair + _EPSILON:
            yield f"{said}, which needs no reason: delete the line 'Costs:' of its docstring"


def unseen_of(figures: Sequence[AuditCheck]) -> Iterator[str]:
    """The checks that give points, but about which this machine could find out nothing."""
    for check in figures:
        if check["deferred"] and check["points"]:
            said = f"{check['name']} gives {check['points']:g} points and waits for a GPU, so nothing was asked of it here"
            yield f"{said}: audit it on a machine with one"


def _undecided(repeat: Repeat) -> str:
    """The checks that could not be decided, and why, in the same words for each solution that meets the same mistake."""
    names = repeat.ungraded
    return f"{', '.join(names)}: {repeat.messages.get(names[0], '')}" if names else ""


def _refused(_: Candidate, repeat: Repeat) -> Iterator[str]:
    for name in sorted(repeat.failed):
        yield f"is right and fails {name}: {repeat.messages.get(name, '')}"


def _not_as_named(candidate: Candidate, repeat: Repeat) -> Iterator[str]:
    for name in sorted(repeat.failed - candidate.fails):
        yield f"fails {name}, which it does not name: {repeat.messages.get(name, '')}"
    for name in sorted(candidate.fails - repeat.failed):
        if (outcome := repeat.outcomes.get(name)) not in ("deferred", None):
            yield f"does not fail {name}, which it names: {outcome}"
    yield from _by_another_slip(candidate, repeat)


def _by_another_slip(candidate: Candidate, repeat: Repeat) -> Iterator[str]:
    for name, slip in sorted(candidate.slips.items()):
        if name in repeat.failed and not is_slip(found := repeat.slips.get(name, ""), slip):
            yield f"fails {name} by {found or 'an exception'!r}, and names {slip!r}: {repeat.messages.get(name, '')}"


def _earns_too_much(candidate: Candidate, repeat: Repeat) -> Iterator[str]:
    if not repeat.failed and not candidate.because and not repeat.ungraded:
        yield f"fails no check. Add one that it fails, or say in {FILE} what it may earn, with a reason"
    elif repeat.points > candidate.most_points + _EPSILON:
        passed = ", ".join(sorted(name for name, outcome in repeat.outcomes.items() if outcome == "passed"))
        allowed = f"{candidate.most_points:g} are allowed"
        yield f"earns {repeat.points:g} points, {allowed} (in {FILE}, with a reason); it passes {passed}"


def _unnoticed(candidate: Candidate, repeat: Repeat) -> Iterator[str]:
    if not repeat.failed and not candidate.because:
        yield f"survives: {candidate.title}. Add a check, or list it in {FILE} as equivalent with a reason"
    elif repeat.failed and candidate.because:
        yield f"is listed as equivalent and fails {min(repeat.failed)}: {candidate.title}"


_WRONG = {Kind.WHEAT: _refused, Kind.CHAFF: _not_as_named, Kind.DEGENERATE: _earns_too_much, Kind.MUTANT: _unnoticed}


def _stale(candidates: Sequence[Candidate], exceptions: Exceptions) -> Iterator[str]:
    changes = {candidate.title for candidate in candidates if candidate.kind is Kind.MUTANT}
    kinds = {candidate.name for candidate in candidates if candidate.kind is Kind.DEGENERATE}
    for change in exceptions.equivalent:
        if change not in changes:
            yield f"{FILE} lists a mutant that the reference has not (any more): {change}"
    for name in exceptions.degenerate:
        if name not in kinds:
            yield f"{FILE} allows points to a degenerate answer that there is not: {name}; there are: {', '.join(sorted(kinds))}"
