"""An audit's document, and how it is shown: on a terminal and as a page.

    audit ──► Audit.to_json ──► AuditDocument ──► <assignment>.json ──► release
                                      └─────────► audit_text, audit_page

The document's form is defined only here, outside the code that decides marks: changing it regrades nobody.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from torchgrade.report.pages import render
from torchgrade.report.presentation import number
from torchgrade.report.text import clean

# ---- the document

SCHEMA = 3
"""It is increased when a field changes its meaning; release asks for a new audit if a document has another number."""

LETTERS = {"passed": "+", "failed": "x", "skipped": "-", "deferred": "o", "ungraded": "?", "": " "}
"""The letter of each outcome in :class:`AuditRepeat`; a space for a check that was not reached."""


class AuditRepeat(TypedDict):
    """One grading of a solution.

    ``outcomes`` has a letter for each check, in the checks' order. ``slips`` says how checks failed: nan, shape, …
    ``said``, for a chaff: the message of each check that failed, without what depends on the seed.
    """

    seed: int
    points: float
    outcomes: str
    slips: Mapping[str, str]
    said: NotRequired[Mapping[str, str]]


class AuditSolution(TypedDict):
    """A solution that was graded. ``kind`` is ``wheat``, ``chaff``, ``degenerate`` or ``mutant``.

    ``price`` is what it lost, in points; ``may_cost`` is the price that a chaff's author defends (``because``) if it is over a
    third. ``nearest``: for each check that compares numbers, the largest error as a share of what is allowed, above 1 if it
    fails. ``hints``, for a chaff: for each check that failed, the hint that a student would read, empty if there is none.
    """

    kind: str
    name: str
    title: str
    fails: Sequence[str]
    because: str
    price: float
    may_cost: float | None
    nearest: NotRequired[Mapping[str, float]]  # older documents do not have it
    hints: NotRequired[Mapping[str, str]]
    repeats: Sequence[AuditRepeat]


class AuditCheck(TypedDict):
    """The figures of one check.

    ``caught``: chaffs that fail it. ``alone``: those that fail no other. ``mutants``: those that it killed first.
    ``tolerance_used``: the largest share of its tolerance that a right answer used. ``flakes`` of ``runs``: right answers that it
    refused, with the upper end of the 95 % interval of the rate. ``deferred``: it waits for a GPU, so none of this could be seen
    here.
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


# ---- an audit for the terminal
#
# For each exercise there is a matrix with a sign for each check, and figures; a legend follows the last, and then the problems.

_NAME = 34
_BAR = 24
_SIGN = {"+": "·", "x": "✗", "-": "–", "o": "○", "?": "?", " ": " "}  # noqa: RUF001 - a dash is meant
_DEFERRED = "neither caught nor missed: it needs a GPU"
_KIND_WORDS = {"wheat": "right", "chaff": "wrong", "degenerate": "degenerate"}


def audit_text(document: AuditDocument) -> str:
    """The audit's document (``Audit.to_json()``) as text."""
    lines: list[str] = []
    for exercise in document["exercises"]:
        lines += [
            "",
            f"{document['assignment']} · {exercise['name']}",
            "",
            *_matrix(exercise),
            "",
            *_figures(exercise),
            "",
            *_price_lines(exercise),
            "",
            *_near(exercise),
            *_hints(exercise),
        ]
        if exercise is document["exercises"][-1]:
            lines += [*_legend(document), ""]
        lines += _counts(exercise)
    problems = _problem_lines(document)
    lines += ["", *problems, f"{len(problems)} problems." if problems else "No problems."]
    return "\n".join(clean(line) for line in lines)


def print_audit(document: AuditDocument, *, problems_only: bool = False) -> None:
    """Write :func:`audit_text` to the terminal, or only its problems, if there are any."""
    text = "\n".join(map(clean, _problem_lines(document))) if problems_only else audit_text(document)
    sys.stdout.write(f"{text}\n" if text else "")


def problems_in(document: AuditDocument) -> list[str]:
    """All problems that the audit found, a line each."""
    return [problem for exercise in document["exercises"] for problem in exercise["problems"]]


def _problem_lines(document: AuditDocument) -> list[str]:
    return [f"PROBLEM {problem}" for problem in problems_in(document)]


def solution_signs(solution: AuditSolution) -> list[str]:
    """A sign for each check: the worst of all repeats."""
    rows = [repeat["outcomes"] for repeat in solution["repeats"]]
    order = "x?o-+ "  # a space: not asked in this repeat, or not reached
    return [_SIGN[min(column, key=order.index)] for column in zip(*rows, strict=True)]


def _matrix(exercise: AuditExercise) -> list[str]:
    names = [check["name"] for check in exercise["checks"]]
    lines = [f"{'':{_NAME + 13}}{'│' * column}┌ {name}" for column, name in enumerate(names)]
    for solution in exercise["solutions"]:
        if solution["kind"] != "mutant":
            signs = "".join(solution_signs(solution))
            lines.append(f"{_KIND_WORDS[solution['kind']]:11} {solution['name'][:_NAME]:{_NAME}} {signs}")
    return lines


_SIGNS = {
    "+": "passed",
    "x": "failed",
    "-": "skipped (a check that it needs failed)",
    "o": "waits for a GPU",
    "?": "could not be decided",
    " ": "not asked",
}


def _legend(document: AuditDocument) -> list[str]:
    """Return at most three lines that explain the signs and columns above them, but only those that occur."""
    solutions = [solution for exercise in document["exercises"] for solution in exercise["solutions"]]
    checks = [check for exercise in document["exercises"] for check in exercise["checks"] if not check["deferred"]]
    shown = {sign for solution in solutions if solution["kind"] != "mutant" for sign in solution_signs(solution)}
    signs = [f"{_SIGN[letter].replace(' ', 'blank')} {says}" for letter, says in _SIGNS.items() if _SIGN[letter] in shown]
    lines = [", ".join(signs) + (" (the worst of all repeats)" if document["repeats"] > 1 else "")] if signs else []
    if checks:
        lines.append(
            "caught: wrong answers that fail the check; alone: those that fail no other; mutants: those that it noticed first; "
            "tolerance: the most of it that a right answer used"
        )
        parts = [
            "refused: gradings of right answers that it failed, of all; that rate is below the last figure (95 % confidence)"
        ]
        if any(check["evidence"] == "word" for check in checks):
            parts.append("the worker's word: only the process of the answer itself can see it")
        if any(map(_near, document["exercises"])):
            parts.append("error: 1.00 is all that is allowed")
        lines.append("; ".join(parts))
    return lines


def _figures(exercise: AuditExercise) -> list[str]:
    head = f"{'check':{_NAME}} points  caught  alone  mutants  tolerance  refused  (95 %)"
    lines = [head]
    for check in exercise["checks"]:
        if check["deferred"]:
            lines.append(f"{check['name'][:_NAME]:{_NAME}} {number(check['points']):>6} {_DEFERRED}")
            continue
        word = " (the worker's word)" if check["evidence"] == "word" else ""
        lines.append(
            f"{check['name'][:_NAME]:{_NAME}} {number(check['points']):>6} {check['caught']:>7} {check['alone']:>6} "
            f"{check['mutants']:>8} {check['tolerance_used']:>10.0%} {check['flakes']:>3}/{check['runs']:<4} "
            f"<{check['flake_rate_at_most']:.1%}{word}"
        )
    return lines


def _price_lines(exercise: AuditExercise) -> list[str]:
    """Return what each wrong answer loses, as a bar, the most expensive first."""
    points = sum(check["points"] for check in exercise["checks"])
    wrong = sorted((each for each in exercise["solutions"] if each["kind"] == "chaff"), key=lambda each: -each["price"])
    if not wrong:
        return []
    lines = [f"{'one mistake':{_NAME}} loses of {number(points)}"]
    for each in wrong:
        share = each["price"] / points if points else 0.0
        because = f"  {each['because']}" if each["because"] else ""
        lines.append(
            f"{each['name'][:_NAME]:{_NAME}} {number(each['price']):>5} {'█' * round(_BAR * share):{_BAR}}{because}".rstrip()
        )
    return lines


NEAR = 3.0
"""Errors between this fraction and this multiple of what is allowed are shown."""


def _near(exercise: AuditExercise) -> list[str]:
    """Return the wrong answers whose error in some check is close to what is allowed, the closest first."""
    found = [
        (abs(math.log(used)), solution["name"], check, used)
        for solution in exercise["solutions"]
        if solution["kind"] == "chaff"
        for check, used in solution.get("nearest", {}).items()
        if 1 / NEAR < used < NEAR
    ]
    if not found:
        return []
    lines = [f"{'near to the tolerance':{_NAME}} {'check':{_NAME}} error"]
    return [
        *lines,
        *(f"{name[:_NAME]:{_NAME}} {check[:_NAME]:{_NAME}} {used:5.2f}" for _, name, check, used in sorted(found)),
        "",
    ]


def hints_of(solution: AuditSolution) -> dict[str, list[str]]:
    """The hints that a student with this solution would read, each with the checks that show it."""
    found: dict[str, list[str]] = {}
    for check, hint in solution.get("hints", {}).items():
        found.setdefault(hint, []).append(check)
    return found


def _hints(exercise: AuditExercise) -> list[str]:
    """Return, for each wrong answer, the hints that a student would read, and the checks that show them."""
    lines = []
    for solution in exercise["solutions"]:
        name = solution["name"][:_NAME]
        for hint, checks in hints_of(solution).items():
            lines.append(f"{name:{_NAME}} {hint or '(no hint)'} [{', '.join(checks)}]")
            name = ""  # shown once
    return [f"{'wrong answer':{_NAME}} the hints that a student would read", *lines, ""] if lines else []


def _counts(exercise: AuditExercise) -> list[str]:
    kinds = Counter(solution["kind"] for solution in exercise["solutions"])
    mutants = [solution for solution in exercise["solutions"] if solution["kind"] == "mutant"]
    killed = sum("x" in repeat["outcomes"] for mutant in mutants for repeat in mutant["repeats"])
    equivalent = sum(bool(mutant["because"]) for mutant in mutants)
    word = sum(check["points"] for check in exercise["checks"] if check["evidence"] == "word")
    total = sum(check["points"] for check in exercise["checks"])
    text = (
        f"{kinds['wheat']} right, {kinds['chaff']} wrong, {kinds['degenerate']} degenerate answers; {kinds['mutant']} mutants: "
    )
    text += f"{killed} noticed, {equivalent} equivalent. {number(word)} of {number(total)} points rest on the worker's word."
    return [text]


# ---- an audit as a page: problems, a matrix of solutions and checks for each exercise, the figures of each check

_KINDS = {
    "wheat": "Right answers: full marks",
    "chaff": "Wrong answers: lose the checks that they name",
    "degenerate": "Degenerate answers: earn no more than they honestly can",
    "mutant": "Mutants of the reference, each up to the first check that notices it",
}
_COLOUR = {"✗": "failed", "?": "open", "○": "open", "–": "skipped", "·": "passed", " ": "none"}  # noqa: RUF001 - a dash is meant


def audit_page(document: AuditDocument) -> str:
    """A complete page. Its policy allows nothing but its own styles."""
    exercises = [
        {
            "name": exercise["name"],
            "checks": exercise["checks"],
            "problems": exercise["problems"],
            "prices": _prices(exercise),
            "hints": [(each["name"], each["title"], hints_of(each)) for each in exercise["solutions"] if each.get("hints")],
            "groups": [
                (title, [_row(solution, exercise["checks"]) for solution in exercise["solutions"] if solution["kind"] == kind])
                for kind, title in _KINDS.items()
            ],
        }
        for exercise in document["exercises"]
    ]
    return render("audit.html.j2", document=document, exercises=exercises)


def _prices(exercise: AuditExercise) -> list[dict[str, object]]:
    """Return what each wrong answer loses, the most expensive first; ``share`` is the percentage of all points."""
    points = sum(check["points"] for check in exercise["checks"]) or 1.0
    wrong = sorted((each for each in exercise["solutions"] if each["kind"] == "chaff"), key=lambda each: -each["price"])
    return [
        {
            "name": each["name"],
            "title": each["title"],
            "because": each["because"],
            "lost": f"{each['price']:g}",
            "share": f"{100 * each['price'] / points:.1f}",
        }
        for each in wrong
    ]


def _row(solution: AuditSolution, checks: Sequence[AuditCheck]) -> dict[str, object]:
    signs, nearest = solution_signs(solution), solution.get("nearest", {})
    points = [repeat["points"] for repeat in solution["repeats"]]
    return {
        "name": solution["name"],
        "title": solution["title"],
        "because": solution["because"],
        "cells": [
            (sign, _COLOUR[sign], f"{check['name']}: its error is {nearest[check['name']]:.3g} of what is allowed")
            if check["name"] in nearest
            else (sign, _COLOUR[sign], "")
            for check, sign in zip(checks, signs, strict=True)
        ],
        "points": "" if solution["kind"] == "mutant" or not points else f"{min(points):g}",
    }
