"""The work of ``torchgrade export --to gradescope``: records as a ``results.json`` a student."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from torchgrade.cli.printing import teller
from torchgrade.course import Course, CourseError, Submission
from torchgrade.files import MARKS, make_folder, write_whole
from torchgrade.gradebook.marks import marks_of
from torchgrade.record import Results
from torchgrade.report.gradescope import gradescope_results


def export_results(course: Course, submissions: Iterable[Submission], folder: Path, *, quiet: bool) -> None:
    """Write the files below ``folder``. Raises :class:`CourseError` that names those that are not graded, once the others are."""
    results, tell, missing = Results(course.results), teller(quiet=quiet), []
    by_assignment: dict[str, list[str]] = {}
    for assignment, student in submissions:
        by_assignment.setdefault(assignment, []).append(student)
    marks = {assignment: marks_of(course, assignment, students) for assignment, students in by_assignment.items()}
    for assignment, student in ((assignment, student) for assignment, students in by_assignment.items() for student in students):
        record = results.read(student, assignment)
        if record is None:
            missing.append(f"{student}/{assignment}")
            continue
        path = folder / student / assignment / "results.json"
        try:
            make_folder(path.parent)
            write_whole(path, json.dumps(gradescope_results(record, marks[assignment].get(student)), indent=1), mode=MARKS)
        except OSError as error:
            raise CourseError(f"cannot write {path}: {error.strerror or error}") from error
        tell(str(path))
    if missing:
        raise CourseError(f"not graded yet: {', '.join(missing)}")
