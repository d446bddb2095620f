"""A line for each cause that left something ungraded through no fault of a submission's: that is not a graded class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from torchgrade.record import Outcome, Record
from torchgrade.report.text import few_of, one_line


def ungraded_lines(records: Iterable[Record]) -> list[str]:
    """A line for each assignment and cause: who is left ungraded, why, and the command that tries again."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for record in records:
        if cause := cause_of(record):
            found[record.assignment, cause].append(record.student)
    return [
        f"left ungraded: {few_of(students, 'others')}. {cause}  [torchgrade grade {assignment} --only ungraded tries again]"
        for (assignment, cause), students in found.items()
    ]


def cause_of(record: Record) -> str:
    """Why checks that are worth points could not be decided: of a traceback, what was raised; empty where all were decided."""
    check = next((check for check in record.checks if check.is_open and check.outcome is Outcome.UNGRADED), None)
    if check is None:
        return ""
    return one_line(f"{check.name}: {check.cause or check.message}", limit=400)
