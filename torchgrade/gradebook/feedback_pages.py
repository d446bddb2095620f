"""``torchgrade feedback``: nbgrader's generate_feedback, and a page for submissions that nbgrader cannot read."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from nbgrader.converters import GenerateFeedback
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.course import Course
from torchgrade.gradebook.running import GradebookError, config_of, course_directory, explain, quiet_log
from torchgrade.gradebook.store import one_gradebook
from torchgrade.record import Record, Results


class _Pages(GenerateFeedback):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's converter, one student at a time."""

    def init_notebooks(self) -> None:
        """Nothing: the notebooks are given to :meth:`pages`."""
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []

    def pages(self, assignment: str, student: str) -> list[Path]:
        """Write this student's pages, one for each notebook that was graded, and what belongs to them."""
        source = Path(self._format_source(assignment, student))
        target = Path(self._format_dest(assignment, student))
        if target.exists():
            shutil.rmtree(target)
        self.notebooks = [str(path) for path in sorted(source.glob("*.ipynb"))]
        self.init_assignment(assignment, student)
        for notebook in self.notebooks:
            self.convert_single_notebook(notebook)
        self.set_permissions(assignment, student)
        return [target / f"{Path(notebook).stem}.html" for notebook in self.notebooks]


def feedback(course: Course, assignment: str, students: Iterable[str] | None = None) -> list[Path]:
    """Write ``feedback/<student>/<assignment>/<notebook>.html``; the pages, by student.

    ``students`` are those who handed in, if not given. A submission that was read has nbgrader's page, with marks and
    comments from the gradebook; one that could not be read has a page that says why. Raises :class:`GradebookError`
    once all pages that can be written are, naming the students who have none; its
    ``pages`` are those that were written.
    """
    course.notebooks(assignment)
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
                    if record is not None and not record.readable:
                        pages.append(_plain_page(course, record))
                    elif list((course.autograded / student / assignment).glob("*.ipynb")):
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
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    page = folder / f"{record.assignment}.html"
    page.write_text(feedback_page(record), encoding="utf-8")
    return page
