"""nbgrader's exchange: what students handed in comes from it, feedback goes back to it. Through nbgrader's own API."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NotRequired, TypedDict

from nbgrader.apps.api import NbGraderAPI

from torchgrade.course import Course
from torchgrade.files import make_folder
from torchgrade.gradebook.errors import GradebookError
from torchgrade.gradebook.nbgrader_course import config_of, course_directory, own_programs_on_path, quiet_log

_SAID = re.compile(r"^\[(?:ERROR|WARNING)\] (.+)$", re.MULTILINE)


def collect(course: Course, assignment: str) -> None:
    """Bring each student's newest submission to ``submitted/``, as ``nbgrader collect --update`` does.

    Where a course has no exchange, there is nothing to bring. Raises :class:`GradebookError`.
    """
    if (api := _api(course)) is None:
        return
    with _taken_back_if_it_was_cut(course, assignment):
        _said(f"nbgrader could not collect {assignment}", api.collect(assignment, update=True))


def release_feedback(course: Course, assignment: str, student: str) -> None:
    """Put a student's page into the exchange, where there is one. Raises :class:`GradebookError`."""
    if (api := _api(course)) is not None:
        _said(f"nbgrader could not release the feedback of {student}", api.release_feedback(assignment, student))


def inbox(course: Course) -> Path:
    """Where students' submissions arrive, if the course has an exchange."""
    config = config_of(course)
    root = Path(str(config.get("Exchange", {}).get("root", "/usr/local/share/nbgrader/exchange")))
    return root / str(config.CourseDirectory.get("course_id", "")) / "inbound"


def _api(course: Course) -> NbGraderAPI | None:
    if not inbox(course).is_dir():
        return None
    config, (log, _) = config_of(course), quiet_log()
    with own_programs_on_path():
        return NbGraderAPI(coursedir=course_directory(config, log, ""), config=config)


@contextlib.contextmanager
def _taken_back_if_it_was_cut(course: Course, assignment: str) -> Iterator[None]:
    """Nbgrader copies file by file, and takes a folder with a time for a whole one.

    A mark stands in ``results/`` while it copies. Where one is found, an earlier run was cut off: the folders that it touched
    lose their time, and are copied again.
    """
    mark = course.results / f".collecting-{assignment}"
    if mark.exists():
        began = mark.stat().st_mtime
        for folder in course.submitted.glob(f"*/{assignment}"):
            if folder.stat().st_mtime >= began - 1:
                (folder / "timestamp.txt").unlink(missing_ok=True)
    else:
        make_folder(course.results)
        mark.touch()
    yield
    mark.unlink(missing_ok=True)


class _Result(TypedDict):
    """The part of nbgrader's API's answer to a command that is read here."""

    success: bool
    log: NotRequired[str]
    error: NotRequired[str]


def _said(what: str, result: _Result) -> None:
    if not result["success"]:
        lines = _SAID.findall(result.get("log", "")) or [str(result.get("error", "")).strip().rpartition("\n")[2]]
        raise GradebookError(f"{what}: {' '.join(lines)[:500]}")
