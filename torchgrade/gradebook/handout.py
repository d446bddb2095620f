"""The release for students: nbgrader's, but with stubs kept, checked beforehand, and with the public checks beside it."""

from __future__ import annotations

import contextlib
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor
from nbgrader.utils import find_all_files
from sqlalchemy.exc import SQLAlchemyError

from torchgrade.checks.declared import GraderError
from torchgrade.checks.raised import FILE
from torchgrade.course import Course, CourseKind
from torchgrade.files import make_folder, replaced
from torchgrade.gradebook.cells import exercise_of, has_checks, own_notebook
from torchgrade.gradebook.leaks import Answers, unfinished_text
from torchgrade.gradebook.nbgrader_course import GradebookError, config_of, course_directory, course_of, explain, quiet_log
from torchgrade.gradebook.store import one_gradebook
from torchgrade.notebook import NotebookError, read_data_files
from torchgrade.notebook.cells import grade_id_of

# ---- ``torchgrade release``
#
# It is nbgrader's generate_assignment, made in another place first, so that an error changes nothing.
#
# source ──► made in release/.new-… ──► takes the place of release/<a> ──► the gradebook is written; else the old one comes back

_RAISED = re.compile(r"^[A-Za-z_][\w.]*: (.+)$", re.MULTILINE)


def release(course: Course, assignment: str) -> list[str]:
    """Make ``release/<assignment>/`` and enter the assignment into the gradebook; return the lines to print.

    Nothing changes, in the release or in the gradebook, unless everything that can be checked is right: the points, that
    nothing leaks, that nbgrader can make the release, and that it can be written. Submissions in the gradebook stay as they are.
    Raises :class:`GradebookError`, or :class:`torchgrade.course.CourseError` if there is no such assignment.
    """
    course.require_assignment(assignment)
    try:
        make_folder(course.release)
        # Inside the release folder, so that it does not have to be moved to another file system.
        with tempfile.TemporaryDirectory(dir=course.release, prefix=".new-", ignore_cleanup_errors=True) as folder:
            _make(course, assignment, Path(folder))
    except OSError as error:
        where = error.filename or course.release
        raise GradebookError(f"{assignment} is not released: cannot write {where}: {error.strerror or error}") from error
    files = sorted(p.name for p in (course.release / assignment).rglob("*") if p.is_file())
    return [f"released {assignment}: {course.release / assignment} ({', '.join(files)})"]


def require_fit(course: Course, assignment: str) -> None:
    """Raise :class:`GradebookError` for text or points that :func:`release` would refuse; call it before anything slow."""
    notebook = own_notebook(course.assignments / assignment / f"{assignment}.ipynb")
    if wrong := unfit(course, assignment, notebook):
        raise GradebookError(f"{assignment} is not released: {'; '.join(wrong)}")


def _make(course: Course, assignment: str, aside: Path) -> None:
    config = config_of(course)
    config.CourseDirectory.release_directory = str(aside)
    log, lines = quiet_log()
    coursedir = course_directory(config, log, assignment)
    try:
        with one_gradebook(coursedir.db_url, coursedir.course_id) as book, contextlib.ExitStack() as back, book.whole():
            GenerateAssignment(coursedir=coursedir, config=config, log=log).start()
            back.enter_context(replaced(course.release / assignment, aside / assignment, aside / ".old"))
    except (NbGraderException, SQLAlchemyError) as error:
        # nbgrader wraps some errors of the database and logs the traceback of all others.
        cause = error.__context__ if isinstance(error.__context__, SQLAlchemyError) else error
        why = "" if isinstance(cause, SQLAlchemyError) else _why(lines.messages)
        raise GradebookError(why or explain(cause, coursedir.db_url)) from error


def _why(messages: list[str]) -> str:
    """The text of the last exception in a traceback that nbgrader logged, without its class; empty if there is none."""
    for message in messages:
        if message.startswith("Traceback") and (raised := _RAISED.findall(message)):
            return str(raised[-1])
    return ""


CHECKS = "checks.json"


class ClearMarkedSolutions(ClearSolutions):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's ClearSolutions, but only for cells that mark their solution (``### BEGIN SOLUTION``).

    nbgrader replaces a solution cell without such a mark by its own stub; our stubs are the assignment's own text. In a classic
    course, only the cells of exercises are ours.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Nbconvert's entry."""
        kind = course_of(self).kind
        self._exercises = {exercise_of(cell, kind) for cell in nb.cells} if kind.tests_in_cells else None
        cleared: tuple[Any, Any] = super().preprocess(nb, resources)
        return cleared

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Nbconvert's entry for one cell."""
        marked = self.begin_solution_delimeter in cell.source or self.end_solution_delimeter in cell.source
        if marked or (self._exercises is not None and grade_id_of(cell) not in self._exercises):
            checked: tuple[Any, Any] = super().preprocess_cell(cell, resources, cell_index)
            return checked
        return cell, resources


class CheckHandout(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Refuse a release whose points do not add up, that gives an answer away, or whose text is not finished.

    In a classic course, this is only for notebooks with checks.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Nbconvert's entry. Raises :class:`GradebookError` that names everything that is wrong."""
        course, assignment, notebook = course_of(self), resources["nbgrader"]["assignment"], resources["nbgrader"]["notebook"]
        # Graders without an exercise are a mistake, too: the notebook may use another name, for example.
        if not has_checks(course, assignment, notebook) and not (
            notebook == assignment and (course.graders / assignment).is_dir()
        ):
            return nb, resources
        wrong = unfit(course, assignment, nb)
        if not wrong:
            wrong = _unfit_files(course, assignment)
        if not wrong:
            answers = Answers(course.solutions / assignment, course.graders / assignment)
            files = public_checks(course, assignment) | _other_files(course, assignment, [*course.ignored, "*.ipynb"])
            wrong = [f"an answer would be handed out in {leak}" for leak in answers.in_notebook(nb) + answers.in_files(files)]
        if wrong:
            raise GradebookError(f"{assignment} is not released: " + "; ".join(wrong))
        return nb, resources


class AddPublicChecks(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Put the public checks and :data:`CHECKS` beside a notebook with checks; nbconvert writes them with the notebook."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Nbconvert's entry; the notebook itself is unchanged."""
        course, assignment = course_of(self), resources["nbgrader"]["assignment"]
        if not has_checks(course, assignment, resources["nbgrader"]["notebook"]):
            return nb, resources
        from torchgrade.judge.plan import hidden_kinds  # noqa: PLC0415 - imports torch

        files = public_checks(course, assignment)
        files |= {path.name: path.read_bytes() for path in course.graders.glob(FILE)}  # the course's own hints for exceptions
        files[CHECKS] = checks_json(assignment, cell_points(nb, course.kind), hidden_kinds(course, assignment))
        resources.setdefault("outputs", {}).update(files)
        return nb, resources


def cell_points(notebook: Any, kind: CourseKind) -> dict[str, float]:
    """The points of every automatically graded exercise, from its grade cell. Raises what :func:`exercise_of` does."""
    cells = [(exercise_of(cell, kind), cell) for cell in notebook.cells]
    return {name: float(cell.metadata.nbgrader["points"]) for name, cell in cells if name is not None}


def differing_points(notebook: Any, graders: Mapping[str, float], assignment: str, kind: CourseKind) -> list[str]:
    """One line for every exercise whose grade cell and checks do not have the same points."""
    cells, wrong = cell_points(notebook, kind), []
    named = " that calls check({!r})" if kind.tests_in_cells else ""
    for name in sorted(cells.keys() | graders.keys()):
        if name not in graders:
            wrong.append(f"{name!r} has a grade cell of {cells[name]:g} points, but no checks in graders/{assignment}")
        elif name not in cells:
            there = f"no grade cell '{name}-check'{named.format(name)}"
            wrong.append(f"graders/{assignment} has checks for {name!r}, but the notebook has {there}")
        elif not math.isclose(cells[name], graders[name], abs_tol=1e-6):
            wrong.append(f"the grade cell of {name!r} has {cells[name]:g} points, its checks add up to {graders[name]:g}")
    return wrong


def require_graders_as_released(course: Course, assignments: Iterable[str]) -> None:
    """Raise :class:`GradebookError`, with one line, if the graders are not those that an assignment was released with.

    Exercises, points and the number of hidden checks of each kind are compared with the grade cells and with what was handed out;
    if nothing was handed out from this folder, only with the cells.
    """
    for assignment in dict.fromkeys(assignments):
        try:
            wrong = _differences(course, assignment)
        except GraderError as error:
            raise GradebookError(f"{assignment} is not graded: {error}") from error
        if wrong:
            raise GradebookError(
                f"{assignment} is not graded: its graders are not those that it was released with: {'; '.join(wrong)}. "
                f"Put graders/{assignment} back; or, if they are to change, torchgrade release {assignment}"
            )


def _differences(course: Course, assignment: str) -> list[str]:
    if not has_checks(course, assignment):
        return []
    from torchgrade.judge.plan import grader_points, hidden_kinds  # noqa: PLC0415 - imports torch

    _forget_graders(course)
    points, hidden = grader_points(course, assignment), hidden_kinds(course, assignment)
    notebook = own_notebook(course.assignments / assignment / f"{assignment}.ipynb")
    wrong = differing_points(notebook, points, assignment, course.kind)
    return wrong or _other_checks(course, assignment, _exercises(cell_points(notebook, course.kind), hidden))


def _forget_graders(course: Course) -> None:
    """Have graders read again as they are now: a watch that runs for weeks may have read them long ago."""
    for name in [name for name in sys.modules if name.startswith(f"{course.graders.name}.")]:
        del sys.modules[name]


def _other_checks(course: Course, assignment: str, now: Mapping[str, Any]) -> list[str]:
    """One line for each exercise whose points or number of hidden checks are not those that were handed out."""
    path = course.release / assignment / CHECKS
    try:
        released = json.loads(path.read_bytes())["exercises"]
        before = {name: (facts["points"], facts["hidden"]) for name, facts in released.items()}
    except FileNotFoundError:
        return []  # handed out from elsewhere
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        return [f"{path} cannot be read ({type(error).__name__})"]
    found = {name: (facts["points"], facts["hidden"]) for name, facts in now.items()}
    return [
        f"{name!r} has {_in_words(found.get(name))}, and was released with {_in_words(before.get(name))}"
        for name in sorted(found.keys() | before.keys())
        if found.get(name) != before.get(name)
    ]


def _in_words(facts: tuple[float, Mapping[str, int]] | None) -> str:
    if facts is None:
        return "no checks"
    points, hidden = facts
    return (
        f"{points:g} points and these hidden checks: {', '.join(f'{count} {kind}' for kind, count in hidden.items()) or 'none'}"
    )


def unfit(course: Course, assignment: str, notebook: Any) -> list[str]:
    """One line for each exercise whose points differ, and for each thing that the text or a public check should no longer say."""
    from torchgrade.judge.plan import grader_points  # noqa: PLC0415 - imports torch

    wrong = differing_points(notebook, grader_points(course, assignment), assignment, course.kind)
    return wrong + unfinished_text(notebook, public_checks(course, assignment), cell_points(notebook, course.kind))


def public_checks(course: Course, assignment: str) -> dict[str, bytes]:
    """The grader files that students get, by name."""
    return {path.name: path.read_bytes() for path in sorted((course.graders / assignment).glob("public_*.py"))}


def checks_json(assignment: str, points: Mapping[str, float], hidden: Mapping[str, Mapping[str, int]]) -> bytes:
    """The content of ``checks.json``, which tells a student's ``check()`` how many hidden checks of each kind there are."""
    return (json.dumps({"assignment": assignment, "exercises": _exercises(points, hidden)}, indent=1) + "\n").encode()


def _exercises(points: Mapping[str, float], hidden: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, Any]]:
    """The entry of each exercise in :data:`CHECKS`."""
    return {
        name: {"points": int(p) if float(p).is_integer() else p, "hidden": dict(sorted(hidden.get(name, {}).items()))}
        for name, p in points.items()
    }


def _unfit_files(course: Course, assignment: str) -> list[str]:
    """Why students' code could not open the files beside the notebook when it is graded."""
    try:
        read_data_files(course.assignments / assignment, ignored=course.ignored, most_bytes=course.limits.data_bytes)
    except NotebookError as error:
        return [str(error)]
    return []


def _other_files(course: Course, assignment: str, ignored: list[str]) -> dict[str, bytes]:
    """The files that nbgrader copies unchanged into the release, by their path in it."""
    folder = course.assignments / assignment
    paths = [Path(name) for name in find_all_files(str(folder), ignored)]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
