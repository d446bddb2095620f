"""The history of a submission in a course of checks: its records."""

from __future__ import annotations

import json
from pathlib import Path

from torchgrade.cli.strategy import History
from torchgrade.course import Course
from torchgrade.record import Results
from torchgrade.record.reading import read_record
from torchgrade.report.history import history_text


def history(course: Course, assignment: str, student: str) -> History:
    """Return the records, oldest first, and the files among them that are not records."""
    results = Results(course.results)
    records = results.history(student, assignment)
    path = results.path(student, assignment)
    files = [*sorted(path.with_suffix(".history").glob("*.json")), *([path] if path.exists() else [])]
    damaged = [file for file in files if not _is_record(file)] if len(files) > len(records) else []
    return History([record.to_json() for record in records], history_text(records), damaged)


def _is_record(file: Path) -> bool:
    try:
        read_record(json.loads(file.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return False
    return True
