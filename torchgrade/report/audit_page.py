"""An audit as a page: its problems, a matrix of solutions and checks for each exercise, and the figures of each check."""

from __future__ import annotations

from collections.abc import Sequence

from torchgrade.report.audit_document import AuditCheck, AuditDocument, AuditExercise, AuditSolution
from torchgrade.report.audit_text import hints_of, solution_signs
from torchgrade.report.rendering import render

_KINDS = {
    "wheat": "Right answers: full marks",
    "chaff": "Wrong answers: lose the checks that they name",
    "degenerate": "Degenerate answers: earn no more than they honestly can",
    "mutant": "Mutants of the reference, each up to the first check that notices it",
}
_COLOUR = {"✗": "failed", "?": "open", "○": "open", "–": "skipped", "·": "passed", " ": "none"}  # noqa: RUF001 - a dash is meant


def audit_page(document: AuditDocument) -> str:
    """A complete page. Its policy shuts out all but its own styles."""
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
    """Return what each wrong answer loses, the dearest first; ``share`` is of all points, in percent."""
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
