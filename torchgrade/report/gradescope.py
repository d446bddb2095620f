"""A record as Gradescope's ``results.json``."""

from __future__ import annotations

from torchgrade.record import Check, Outcome, Record
from torchgrade.report.mark import HandCell, Mark, mark_line, mark_of_checks
from torchgrade.report.text import clean, one_line


def gradescope_results(record: Record, mark: Mark | None = None) -> dict[str, object]:
    """Return the content of Gradescope's ``/autograder/results/results.json``: a test for each check and cell graded by hand.

    All tests are visible: what a record says about a hidden check is written for the student. ``mark`` is the gradebook's, if it
    may have more than the checks gave.
    """
    mark = mark or mark_of_checks(record)
    notes = [clean(problem) for problem in record.problems]
    tests = [_test(exercise.name, check) for exercise in record.exercises for check in exercise.checks]
    tests += [_by_hand(cell) for cell in mark.cells]
    return {
        "score": mark.points,
        "execution_time": round(record.seconds),
        "output": "\n".join([*notes, mark_line(record, mark)]),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"status": mark.standing.value, "seed": str(record.seed), "max_score": mark.max_points},
    }


def _by_hand(cell: HandCell) -> dict[str, object]:
    return {
        "name": f"{one_line(cell.name)}: by hand",
        "score": cell.points or 0.0,
        "max_score": cell.max_points,
        "output": "To be given by hand." if cell.points is None else "",
        "output_format": "text",
        "visibility": "visible",
    }


def _test(exercise: str, check: Check) -> dict[str, object]:
    hint = [f"Hint: {clean(check.hint)}"] if check.hint and check.outcome is not Outcome.PASSED else []
    said = [clean(check.message)] if check.message else []
    return {
        "name": f"{one_line(exercise)}: {one_line(check.title)}",
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if check.outcome is Outcome.PASSED else "failed",
        "output": "\n".join(
            [*said, *hint] if check.outcome is not Outcome.UNGRADED else [*said, "Not decided; it is run again."]
        ),
        "output_format": "text",
        "visibility": "visible",
    }
