"""A record as Gradescope's ``results.json``."""

from __future__ import annotations

from torchgrade.record import Check, Outcome, Record
from torchgrade.report.presentation import status_line
from torchgrade.report.text import clean, one_line


def gradescope_results(record: Record) -> dict[str, object]:
    """Return the content of Gradescope's ``/autograder/results/results.json``: one test a check, with its score.

    All tests are visible: what a record says of a hidden check is written for its student. Scores are Gradescope's own sum.
    """
    notes = [clean(problem) for problem in record.problems]
    tests = [_test(exercise.name, check) for exercise in record.exercises for check in exercise.checks]
    return {
        "score": record.points,
        "execution_time": round(record.seconds),
        "output": "\n".join([*notes, status_line(record)]),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"status": record.status.value, "seed": str(record.seed), "max_score": record.max_points},
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
