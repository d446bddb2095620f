"""``torchgrade feedback``: nbgrader's generate_feedback, and a page for submissions that nbgrader cannot read."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.compat.nbgrader import FeedbackElsewhere
from torchgrade.course import Course
from torchgrade.files import make_folder, replaced, write_whole
from torchgrade.gradebook.errors import GradebookError, explain
from torchgrade.gradebook.marks import marks_in
from torchgrade.gradebook.nbgrader_course import config_of, course_directory, course_of, quiet_log
from torchgrade.gradebook.pages import OwnWords, assignment_title, cell_names, with_formulas_in_hints
from torchgrade.gradebook.preprocessor import OURS, is_summary, stamp, summary_html
from torchgrade.gradebook.store import gradebook_at, one_gradebook
from torchgrade.notebook import NotebookError, parse_notebook
from torchgrade.notebook.files import read_bytes
from torchgrade.record import Record, Results, digest
from torchgrade.report.mark import Mark, mark_line
from torchgrade.report.presentation import share

_OF_THE_HAND_IN = ("timestamp.txt", "submission_secret.txt")
"""Files that nbgrader's exchange needs beside a page."""
_MOST_BYTES = 10_000


class UseOwnWords(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Give the template the assignment's title, names for the cells that a record has numbers for, and the mark as it is now."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Nbconvert's entry; in the notebook, the summary is made anew with the gradebook's mark."""
        course, facts = course_of(self), resources["nbgrader"]
        record = Results(course.results).read(facts["student"], facts["assignment"])
        with gradebook_at(facts["db_url"]) as book:
            mark = marks_in(book, facts["assignment"], {facts["student"]: record}).get(facts["student"])
        if record is not None and course.kind.whole_records and _is_of(nb, record):
            for cell in filter(is_summary, nb.cells):
                cell.outputs[0].data["text/html"] = summary_html(course, record, mark)
        is_of_record = record is not None and facts["notebook"] == facts["assignment"]
        resources["torchgrade_page"] = OwnWords(
            escape(assignment_title(course, facts["assignment"], facts["notebook"])),
            _cells(course, record) if record and is_of_record else {},
            "" if course.kind.whole_records or mark is None else escape(_in_all(record, mark)),
        )
        return nb, resources


class _Pages(FeedbackElsewhere):
    """nbgrader's converter, one student at a time."""

    def init_notebooks(self) -> None:
        """Nothing: the notebooks are given to :meth:`pages`."""
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []

    def pages(self, assignment: str, student: str) -> list[Path]:
        """Write this student's pages, one for each notebook that was graded, and what belongs to them.

        They take the place of earlier ones once all of them are written.
        """
        folders = self.coursedir
        source = Path(folders.format_path(folders.autograded_directory, student, assignment))
        target = Path(folders.format_path(folders.feedback_directory, student, assignment))
        self.notebooks = [str(path) for path in sorted(source.glob("*.ipynb"))]
        with _in_place_of(target) as new:
            self.elsewhere = new
            try:
                self.init_assignment(assignment, student)
                for notebook in self.notebooks:
                    self.convert_single_notebook(notebook)
            finally:
                self.elsewhere = None
        self.set_permissions(assignment, student)
        return [target / f"{Path(notebook).stem}.html" for notebook in self.notebooks]


def feedback(course: Course, assignment: str, students: Iterable[str] | None = None) -> list[Path]:
    """Write ``feedback/<student>/<assignment>/<notebook>.html``; the pages, by student.

    ``students`` are those who handed in, if not given. A submission that was read has nbgrader's page, with marks and
    comments from the gradebook; one that could not be read has a page that says why. Raises :class:`GradebookError`
    once all pages that can be written are, naming the students who have none; its
    ``pages`` are those that were written.
    """
    course.require_assignment(assignment)
    results = Results(course.results)
    pages: list[Path] = []
    missing: list[str] = []
    config = config_of(course)
    log, _ = quiet_log()
    coursedir = course_directory(config, log, assignment)
    converter = _Pages(coursedir=coursedir, config=config, log=log)
    converter.start()
    try:
        with one_gradebook(coursedir.db_url, coursedir.course_id):
            for student in course.students(assignment) if students is None else students:
                try:
                    record = results.read(student, assignment)
                    copies = list((course.autograded / student / assignment).glob("*.ipynb"))
                    # The record may be about one of several notebooks.
                    all_unreadable = course.kind.one_notebook or not copies
                    if record is not None and not record.readable and all_unreadable:
                        pages.append(_plain_page(course, record))
                    elif copies:
                        pages += converter.pages(assignment, student)
                    else:
                        missing.append(f"{student} (no marks in the gradebook yet: grade the assignment first)")
                except Exception as error:  # noqa: BLE001 - whatever it is, the other students get their pages
                    missing.append(f"{student} ({explain(error, coursedir.db_url)})")
    except SQLAlchemyError as error:
        raise GradebookError(explain(error, coursedir.db_url)) from error
    if missing:
        raise GradebookError(f"no feedback page for {', '.join(missing)}", pages)
    return pages


def _plain_page(course: Course, record: Record) -> Path:
    from torchgrade.report import feedback_page  # noqa: PLC0415 - its templates are slow to load

    folder = course.feedback / record.student / record.assignment
    handed_in = course.submitted / record.student / record.assignment
    with _in_place_of(folder) as new:
        page = feedback_page(record, assignment_title(course, record.assignment))
        write_whole(new / f"{record.assignment}.html", with_formulas_in_hints(page))
        for name in _OF_THE_HAND_IN:
            with contextlib.suppress(NotebookError):
                text = read_bytes(handed_in / name, _MOST_BYTES, below=course.submitted).decode("ascii", "replace")
                write_whole(new / name, text)
    return folder / f"{record.assignment}.html"


def _in_all(record: Record | None, mark: Mark) -> str:
    """The mark of a classic course's assignment, which may have several notebooks, each with a page of its own."""
    return f"In all: {share(mark.points, mark.max_points)} points. {mark_line(record, mark)}"


def _is_of(copy: NotebookNode, record: Record) -> bool:
    return bool(copy.metadata.get(OURS, {}).get("record") == stamp(record))


def _cells(course: Course, record: Record) -> dict[int, str]:
    """Return the names of the cells by the numbers that the record has for them; none if another notebook was handed in since."""
    path = course.submission(record.student, record.assignment)
    try:
        data = read_bytes(path, course.limits.notebook_bytes, below=course.submitted)
        return cell_names(parse_notebook(data, path.name)) if digest(data) == record.digests.notebook else {}
    except NotebookError:
        return {}


@contextlib.contextmanager
def _in_place_of(folder: Path) -> Iterator[Path]:
    """A new folder to be filled, which takes the place of an earlier one unless the block raises."""
    make_folder(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as aside:
        new = Path(aside) / folder.name
        new.mkdir()
        yield new
        with replaced(folder, new, Path(aside) / ".old"):
            pass
