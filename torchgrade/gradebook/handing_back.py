"""Marks and pages for students to see, and whether they can: what a sudden end or an error left undone is found again.

marks in the gradebook ──► page ──► exchange ──► results/<student>/<assignment>.released: the stamp of what the page shows
"""

from __future__ import annotations

from pathlib import Path

from torchgrade.course import Course, Submission
from torchgrade.files import MARKS, make_folder, write_whole
from torchgrade.gradebook.errors import GradebookError
from torchgrade.gradebook.exchange import inbox, release_feedback
from torchgrade.gradebook.feedback_pages import feedback
from torchgrade.gradebook.preprocessor import stamp
from torchgrade.gradebook.recording import stamp_of
from torchgrade.record import RecordError, Results, digest
from torchgrade.runs.reuse import read_submission

_BY_THE_EXCHANGE = "submission_secret.txt"
"""The file by which nbgrader's exchange recognises a hand-in; one that came another way has none."""


def stamp_to_show(course: Course, submission: Submission) -> str:
    """Return the stamp of the record for the notebook as handed in now, or an empty string if there is none or it is blank.

    A blank record says only that the submission could not be graded, which the run has reported.
    """
    record = Results(course.results).read(submission.student, submission.assignment)
    if record is None or record.is_blank or record.digests.notebook != digest(read_submission(course, submission).data):
        return ""
    return stamp(record)


def is_handed_back(course: Course, submission: Submission, shown: str) -> bool:
    """Return whether the student can fetch the page with the stamp ``shown``."""
    try:
        return _note(course, submission).read_text(encoding="ascii") == _noted(course, shown)
    except (OSError, UnicodeDecodeError):
        return False


def hand_back(course: Course, submission: Submission, shown: str) -> None:
    """Write the page with the stamp ``shown``, put it into the exchange if there is one, and note that once it is done.

    Raises :class:`GradebookError`, where marks are not entered, and where the exchange cannot bring the page to the student.
    """
    assignment, student = submission
    record = Results(course.results).read(student, assignment)
    if course.kind.whole_records and record is not None and record.readable:
        copy = course.autograded / student / assignment / f"{assignment}.ipynb"
        if stamp_of(copy) != shown:
            raise GradebookError(f"no feedback page for {student} (its marks are not in the gradebook yet)")
    feedback(course, assignment, [student])
    with_secret = (course.feedback / student / assignment / _BY_THE_EXCHANGE).is_file()
    if with_secret:
        release_feedback(course, assignment, student)
    note = _note(course, submission)
    try:
        make_folder(note.parent)
        write_whole(note, _noted(course, shown), mode=MARKS)
    except OSError as error:
        raise RecordError(f"cannot write {note}: {error.strerror or error}") from error
    if inbox(course).is_dir() and not with_secret:
        raise GradebookError(
            f"{student} did not hand in through the exchange, which therefore cannot bring the page back: "
            f"it is in {course.feedback / student / assignment}"
        )


def _note(course: Course, submission: Submission) -> Path:
    return course.results / submission.student / f"{submission.assignment}.released"


def _noted(course: Course, shown: str) -> str:
    """The content of the note: it names the exchange too, so that a page written before there was one is put into it later."""
    return digest(shown, str(inbox(course)) if inbox(course).is_dir() else "") + "\n"
