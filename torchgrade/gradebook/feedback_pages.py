"""Feedback: a page for each student that is safe to open and is handed back through nbgrader's exchange.

graded copy, record ──► page ──► exchange ──► results/<student>/<assignment>.released: the stamp of what the page shows
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbgrader.apps.api import NbGraderAPI
from nbgrader.preprocessors import NbGraderPreprocessor
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.compat.nbgrader import FeedbackElsewhere
from torchgrade.course import Course, Submission
from torchgrade.errors import cannot
from torchgrade.files import MARKS, make_folder, replaced, write_whole
from torchgrade.gradebook.marks import marks_in
from torchgrade.gradebook.nbgrader_course import (
    GradebookError,
    Resources,
    config_of,
    course_directory,
    course_of,
    explain,
    own_programs_on_path,
    quiet_log,
)
from torchgrade.gradebook.pages import OwnWords, assignment_title, cell_names, clean, is_too_much, with_formulas_in_hints
from torchgrade.gradebook.preprocessor import OURS, is_summary, stamp, summary_html
from torchgrade.gradebook.recording import stamp_of
from torchgrade.gradebook.store import gradebook_at, one_gradebook
from torchgrade.notebook import NotebookError, parse_notebook
from torchgrade.notebook.files import read_bytes
from torchgrade.record import Record, RecordError, Results, digest
from torchgrade.report.mark import Mark, mark_line
from torchgrade.report.presentation import share
from torchgrade.runs.reuse import read_submission

# ---- ``torchgrade feedback``: nbgrader's generate_feedback, and a page for submissions that nbgrader cannot read

_OF_THE_HAND_IN = ("timestamp.txt", "submission_secret.txt")
"""Files that nbgrader's exchange needs beside a page."""
_MOST_BYTES = 10_000


class UseOwnWords(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Give the template the assignment's title, names for cells that the record only numbers, and the mark as it is now."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Nbconvert's entry; the summary in the notebook is made anew with the gradebook's mark."""
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
        """Do nothing: the notebooks are given to :meth:`pages`."""
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []

    def pages(self, assignment: str, student: str) -> list[Path]:
        """Write this student's pages, one for each notebook that was graded, and the files that belong to them.

        They replace earlier pages once all of them are written.
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
    """Write ``feedback/<student>/<assignment>/<notebook>.html``; return the pages, by student.

    ``students``, if not given, are all who handed in. A submission that was read gets nbgrader's page, with marks and comments
    from the gradebook; one that could not be read gets a page that says why. Once all pages that can be written are written,
    raises :class:`GradebookError` if some students have none, and names them; its ``pages`` are those that were written.
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
                    # The record may be about only one of several notebooks.
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
    from torchgrade.report.pages import feedback_page  # noqa: PLC0415 - its templates are slow to load

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
    """The mark for a whole assignment of a classic course, which may have several notebooks, each with a page of its own."""
    return f"In all: {share(mark.points, mark.max_points)} points. {mark_line(record, mark)}"


def _is_of(copy: NotebookNode, record: Record) -> bool:
    return bool(copy.metadata.get(OURS, {}).get("record") == stamp(record))


def _cells(course: Course, record: Record) -> dict[int, str]:
    """Return the names of cells by their numbers in the record; none if another notebook has been handed in since."""
    path = course.submission(record.student, record.assignment)
    try:
        data = read_bytes(path, course.limits.notebook_bytes, below=course.submitted)
        return cell_names(parse_notebook(data, path.name)) if digest(data) == record.digests.notebook else {}
    except NotebookError:
        return {}


@contextlib.contextmanager
def _in_place_of(folder: Path) -> Iterator[Path]:
    """A new folder to fill, which replaces the earlier one unless the block raises."""
    make_folder(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as aside:
        new = Path(aside) / folder.name
        new.mkdir()
        yield new
        with replaced(folder, new, Path(aside) / ".old"):
            pass


# ---- safe outputs of a classic course's cells
#
# A student's code may have put out anything.
#
#     graded copy ──► nbconvert's own copy of it ──► CleanCells ──► template ──► feedback, Formgrader
#     (as it was put out)
#
# A script among the outputs would run in the browser of the person who reads the page, and who may be able to change marks. So
# pictures, text and formulas are shown as they are, HTML is cleaned, and the rest is left out. The graded copy is unchanged.

_DRAWN = ("text/html", "text/markdown", "image/svg+xml", "text/latex", "image/png", "image/jpeg", "text/plain")
"""Formats that nbconvert shows without running anything, if HTML is clean: an SVG becomes an ``<img>``, where no script runs."""
_WORDS = ("raw_mimetype", "magics_language")
"""Metadata of a cell that pages need besides nbgrader's own; the rest could set the page's classes or hide sources."""
# Removed with their content: a pandas table begins with a style sheet, which would be shown as text.
_UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_LONGEST = 200


class CleanCells(Preprocessor):
    """For ``HTMLExporter.preprocessors``: nbconvert gives it a copy of the notebook, for one page."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Nbconvert's entry: the notebook as it may be drawn."""
        nb.metadata.pop("widgets", None)
        for cell in nb.cells:
            facts = cell.metadata.items()
            cell.metadata = NotebookNode({name: each for name, each in facts if name == "nbgrader" or _is_word(name, each)})
            for output in cell.get("outputs", ()):
                if "data" in output and OURS not in output.metadata:
                    output.data = _drawn(output.data)
                    output.metadata = _sizes(output.metadata)
        return nb, resources


def _is_word(name: str, fact: object) -> bool:
    return name in _WORDS and isinstance(fact, str)


def _drawn(data: Mapping[str, object]) -> NotebookNode:
    """The formats of an output that may be shown, or a line of text if none may."""
    kept = {kind: value for kind, value in data.items() if kind in _DRAWN and isinstance(value, str)}
    if html := _clean(kept.pop("text/html", "")):
        kept["text/html"] = html
    what = ", ".join(sorted(data))[:_LONGEST]
    return NotebookNode(kept or {"text/plain": f"(Not shown: {what}.)"})


def _clean(html: str) -> str:
    """HTML that a page may contain; empty if there would be nothing to see, as for a video or a plot that a script draws."""
    html = _UNSEEN.sub("", html)
    cleaned = "" if is_too_much(html) else clean(html)
    return cleaned if _TAG.sub("", cleaned).strip() or " src=" in cleaned else ""


def _sizes(metadata: Mapping[str, object]) -> NotebookNode:
    """The safe metadata of pictures: sizes that are numbers, since nbconvert writes them unquoted, and alternative texts."""
    kept = NotebookNode()
    for kind in ("image/png", "image/jpeg"):
        facts = metadata.get(kind)
        if isinstance(facts, Mapping):
            sizes = {name: size for name in ("width", "height") if isinstance(size := facts.get(name), int | float)}
            words = {"alt": facts["alt"]} if isinstance(facts.get("alt"), str) else {}
            kept[kind] = {**sizes, **words}
    return kept


# ---- nbgrader's exchange, through nbgrader's own API: submissions come from it, feedback goes back to it

_SAID = re.compile(r"^\[(?:ERROR|WARNING)\] (.+)$", re.MULTILINE)


def collect(course: Course, assignment: str) -> None:
    """Bring each student's newest submission to ``submitted/``, as ``nbgrader collect --update`` does.

    If the course has no exchange, there is nothing to bring. Raises :class:`GradebookError`.
    """
    if (api := _api(course)) is None:
        return
    with _taken_back_if_it_was_cut(course, assignment):
        _said(f"nbgrader could not collect {assignment}", api.collect(assignment, update=True))


def release_feedback(course: Course, assignment: str, student: str) -> None:
    """Put a student's page into the exchange, if there is one. Raises :class:`GradebookError`."""
    if (api := _api(course)) is not None:
        _said(f"nbgrader could not release the feedback of {student}", api.release_feedback(assignment, student))


def inbox(course: Course) -> Path:
    """The folder where students' submissions arrive, if the course has an exchange."""
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
    """Have folders copied again if an earlier run was cut off while copying them.

    Nbgrader copies file by file, and takes a folder with a time in it for complete. So a marker file is in ``results/`` while it
    copies. If one is found, an earlier run was cut off: the folders that it touched lose their time, and are copied again.
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
    """The part that is read here of what nbgrader's API answers to a command."""

    success: bool
    log: NotRequired[str]
    error: NotRequired[str]


def _said(what: str, result: _Result) -> None:
    if not result["success"]:
        lines = _SAID.findall(result.get("log", "")) or [str(result.get("error", "")).strip().rpartition("\n")[2]]
        raise GradebookError(f"{what}: {' '.join(lines)[:500]}")


# ---- marks and pages that students should see, and whether they can
#
# What a sudden end or an error left undone is found again.
#
# marks in the gradebook ──► page ──► exchange ──► results/<student>/<assignment>.released: the stamp of what the page shows

_BY_THE_EXCHANGE = "submission_secret.txt"
"""The file by which nbgrader's exchange recognises a hand-in; a submission that came another way does not have it."""


def stamp_to_show(course: Course, submission: Submission) -> str:
    """Return the stamp of the record of the notebook that is handed in now; empty if there is no record or it is blank.

    A blank record says only that the submission could not be graded, which the run has already reported.
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
    """Write the page with the stamp ``shown``, put it into the exchange if there is one, then note that this is done.

    Raises :class:`GradebookError`, also if marks are not entered, or if the exchange cannot bring the page to the student.
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
    with cannot(f"write {note}", RecordError):
        make_folder(note.parent)
        write_whole(note, _noted(course, shown), mode=MARKS)
    if inbox(course).is_dir() and not with_secret:
        raise GradebookError(
            f"{student} did not hand in through the exchange, so the exchange cannot bring the page back: "
            f"it is in {course.feedback / student / assignment}"
        )


def _note(course: Course, submission: Submission) -> Path:
    return course.results / submission.student / f"{submission.assignment}.released"


def _noted(course: Course, shown: str) -> str:
    """The content of the note. It names the exchange, too, so that a page written before there was one is put into it later."""
    return digest(shown, str(inbox(course)) if inbox(course).is_dir() else "") + "\n"
