"""Grades the graders: runs every candidate in the real jail, several times with fresh seeds, and judges what comes of it."""

from __future__ import annotations

import dataclasses
import secrets
import time
from collections.abc import Callable, Iterable, Sequence

from torchgrade.audit.candidates import Candidate, Exceptions, Kind, candidates_of, read_exceptions, sample_of
from torchgrade.audit.gate import rests_on
from torchgrade.audit.judgement import (
    Audit,
    ExerciseAudit,
    Graded,
    Repeat,
    chances_of,
    gaps_of,
    hairs_of,
    prices_of,
    problems_of,
    unseen_of,
    wilson_upper,
)
from torchgrade.bank import read_bank
from torchgrade.checks.declared import PlannedCheck
from torchgrade.course import Course, CourseError
from torchgrade.judge import environment
from torchgrade.judge.plan import Plan, read_plan
from torchgrade.notebook import Assignment, assignment_of_course
from torchgrade.record import Outcome, Record, measurement_of
from torchgrade.report.audit import AuditCheck
from torchgrade.runs import SolutionAttempt, grade_attempts

UNDECIDED_TRIES = 3
Progress = Callable[[int, int], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """The part of an assignment to audit, by default all of it. ``only``: a part of a candidate's name.

    ``quick``: leave out races for wrong answers that no race has to catch; otherwise they are run in the first repeat. Races run
    one at a time and take half of an audit's time. ``sample``: run only the reference and two wrong answers of each exercise,
    once.
    """

    exercises: tuple[str, ...] = ()
    only: str = ""
    repeats: int = 5
    seed: int | None = None
    mutants: bool = True
    quick: bool = False
    sample: bool = False

    @property
    def all_candidates(self) -> bool:
        """True if no candidate is left out."""
        return not (self.exercises or self.only or self.sample) and self.seed is None and self.mutants

    @property
    def complete(self) -> bool:
        """True if no candidate and no race is left out."""
        return self.all_candidates and not self.quick


@dataclasses.dataclass(frozen=True, slots=True)
class _Subject:
    """An exercise, with everything that is graded for it."""

    name: str
    checks: tuple[PlannedCheck, ...]
    candidates: tuple[Candidate, ...]
    exceptions: Exceptions


def audit(
    course: Course,
    assignment: str,
    choice: Choice | None = None,
    *,
    workers: int = 1,
    on_progress: Progress = lambda _done, _all: None,
) -> Audit:
    """Audit an assignment's graders.

    Raises :class:`GraderError` for a bank or grader that cannot be read, and :class:`CourseError` for names that do not exist.
    """
    choice = choice or Choice()
    started, basis = time.perf_counter(), rests_on(course, assignment)
    source = assignment_of_course(course, course.require_assignment(assignment))
    plan = read_plan(course, assignment)
    subjects = [_subject(course, source, plan, name, choice) for name in _chosen(source, choice)]
    if not any(subject.candidates for subject in subjects):
        raise CourseError(f"{assignment} has no solution whose name contains {choice.only!r}")
    attempts = dict(_attempts(subjects, choice))
    records = _grade(course, assignment, attempts, workers, on_progress)
    exercises = [_judged(assignment, subject, records, choice) for subject in subjects]
    machine = next((dict(r.environment) for r in records.values() if isinstance(r, Record)), {})
    seconds = round(time.perf_counter() - started, 1)
    return Audit(assignment, choice.repeats, seconds, basis, choice.complete, machine, tuple(exercises))


def _chosen(source: Assignment, choice: Choice) -> list[str]:
    return [source.exercise(name).name for name in choice.exercises] or [exercise.name for exercise in source.exercises]


def _subject(course: Course, source: Assignment, plan: Plan, name: str, choice: Choice) -> _Subject:
    exceptions = read_exceptions(course.solutions / source.name / name)
    bank = read_bank(course, source.name, name)
    if choice.sample:
        bank = sample_of(bank)
    kinds = _kinds(choice)
    candidates = tuple(
        candidate
        for candidate in candidates_of(source.exercise(name), bank, exceptions, gpu=environment.has_gpu())
        if choice.only in candidate.name and candidate.kind in kinds
    )
    return _Subject(name, tuple(plan.of(name)), candidates, exceptions)


def _kinds(choice: Choice) -> frozenset[Kind]:
    if choice.sample:
        return frozenset({Kind.WHEAT, Kind.CHAFF})
    return frozenset(kind for kind in Kind if choice.mutants or kind is not Kind.MUTANT)


def _attempts(subjects: Iterable[_Subject], choice: Choice) -> Iterable[tuple[str, SolutionAttempt]]:
    """One attempt for each candidate and repeat. A mutant is noticed or not, so it gets one repeat, up to the first failure."""
    for subject in subjects:
        for index, candidate in enumerate(subject.candidates):
            is_mutant = candidate.kind is Kind.MUTANT
            few = _without_races(subject, candidate)
            for repeat in range(1 if is_mutant else choice.repeats):
                once = repeat > 0 and candidate.kind is Kind.CHAFF  # a race that does not have to catch it is run once
                checks = few if choice.quick or once else ()
                seed = secrets.randbits(63) if choice.seed is None else choice.seed
                yield f"{subject.name}/{index}/{repeat}", SolutionAttempt(subject.name, candidate.text, seed, checks, is_mutant)


def _without_races(subject: _Subject, candidate: Candidate) -> tuple[str, ...]:
    """The checks that do not race, for a wrong answer that no race has to catch; otherwise nothing, which means all checks."""
    races = {check.name for check in subject.checks if check.races}
    if candidate.kind is Kind.WHEAT or races & candidate.fails:
        return ()
    return tuple(check.name for check in subject.checks if check.name not in races)


def _grade(
    course: Course, assignment: str, attempts: dict[str, SolutionAttempt], workers: int, on_progress: Progress
) -> dict[str, Record | str]:
    """The records, by key. What a busy machine could not decide is tried again, one at a time."""
    records: dict[str, Record | str] = {}
    for number, (key, record) in enumerate(grade_attempts(course, assignment, attempts, workers=workers), start=1):
        records[key] = record
        on_progress(number, len(attempts))
    for _ in range(UNDECIDED_TRIES - 1):
        undecided = {key: attempts[key] for key, record in records.items() if _is_undecided(record)}
        records.update(grade_attempts(course, assignment, undecided))
    return records


def _is_undecided(record: Record | str) -> bool:
    return isinstance(record, str) or any(check.outcome is Outcome.UNGRADED for check in record.checks)


def _judged(assignment: str, subject: _Subject, records: dict[str, Record | str], choice: Choice) -> ExerciseAudit:
    graded, errors = [], []
    for index, candidate in enumerate(subject.candidates):
        mine = [records[key] for key in records if key.rpartition("/")[0] == f"{subject.name}/{index}"]
        errors += [f"{candidate.kind} {candidate.name} could not be graded: {each}" for each in mine if isinstance(each, str)]
        repeats = tuple(_repeat(each) for each in mine if isinstance(each, Record))
        graded.append(_graded(candidate, repeats, sum(check.declaration.points for check in subject.checks)))
    again = f"torchgrade audit {assignment} --exercise {subject.name}"
    problems = [*errors, *problems_of(again, subject.checks, subject.candidates, graded)]
    problems += chances_of(graded)
    problems += prices_of(subject.checks, graded, complete=not choice.quick)
    if choice.all_candidates:
        problems += gaps_of(subject.checks, subject.candidates, subject.exceptions)
        problems += hairs_of(subject.checks, graded)
    evidence = _evidence(records, subject.name)
    figures = tuple(_figures(check, graded, evidence.get(check.name, "")) for check in subject.checks)
    return ExerciseAudit(subject.name, figures, tuple(graded), (*problems, *unseen_of(figures)))


def _graded(candidate: Candidate, repeats: tuple[Repeat, ...], points: float) -> Graded:
    because, may_cost = candidate.because, None
    if candidate.costs is not None:
        because, may_cost = candidate.costs.because, min(candidate.costs.points, points)
    return Graded(
        candidate.kind, candidate.name, candidate.title, tuple(sorted(candidate.fails)), because, repeats, may_cost=may_cost
    )


def _repeat(record: Record) -> Repeat:
    checks = record.checks
    return Repeat(
        seed=record.seed,
        points=record.points,
        lost=sum(c.max_points - c.points for c in checks if c.reached and c.is_decided),
        # A mutant is graded up to the first check that notices it: a check that took no time was not reached. A check that could
        # not be asked took no time either.
        outcomes={
            check.name: check.outcome.value if check.seconds or check.outcome is Outcome.UNGRADED else "" for check in checks
        },
        tolerance_used={c.name: float(used) for c in checks if (used := measurement_of(c, "tolerance_used")) is not None},
        slips={check.name: check.slip for check in checks if check.slip},
        hints={check.name: check.hint for check in checks if check.hint},
        messages={check.name: check.cause or check.message for check in checks if check.outcome is not Outcome.PASSED},
    )


def _evidence(records: dict[str, Record | str], exercise: str) -> dict[str, str]:
    """What each check's result rests on, from a record in which the check passed."""
    found: dict[str, str] = {}
    for key, record in records.items():
        if isinstance(record, Record) and key.startswith(f"{exercise}/"):
            found |= {c.name: c.evidence.value for c in record.checks if c.outcome is Outcome.PASSED}
    return found


def _figures(check: PlannedCheck, graded: Sequence[Graded], evidence: str) -> AuditCheck:
    # Nothing is known about a check that waits for a GPU: it caught no solution, and refused none, because it never ran.
    deferred = any(repeat.outcomes.get(check.name) == Outcome.DEFERRED.value for each in graded for repeat in each.repeats)
    right = [repeat for each in graded if each.kind is Kind.WHEAT for repeat in each.repeats if not deferred]
    wrong = [each.repeats[0] for each in graded if each.kind is Kind.CHAFF and each.repeats]
    mutants = [repeat for each in graded if each.kind is Kind.MUTANT for repeat in each.repeats]
    flakes = sum(check.name in repeat.failed for repeat in right)
    return AuditCheck(
        name=check.name,
        title=check.title,
        visibility=check.visibility.value,
        kind=check.declaration.kind,
        points=check.declaration.points,
        evidence=evidence,
        caught=sum(check.name in repeat.failed for repeat in wrong),
        alone=sum(repeat.failed == {check.name} for repeat in wrong),
        mutants=sum(check.name in repeat.failed for repeat in mutants),
        tolerance_used=max((repeat.tolerance_used.get(check.name, 0.0) for repeat in right), default=0.0),
        flakes=flakes,
        runs=len(right),
        flake_rate_at_most=round(wilson_upper(flakes, len(right)), 4),
        deferred=deferred,
    )
