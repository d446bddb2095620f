"""The work of ``torchgrade solutions``: pages of right answers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from torchgrade.bank import Solution, read_bank
from torchgrade.cli.printing import teller
from torchgrade.course import Course, CourseError
from torchgrade.files import make_folder, write_whole
from torchgrade.gradebook.pages import assignment_title
from torchgrade.notebook import assignment_of_course
from torchgrade.report.pages import ShownExercise, ShownSolution, solutions_page


def write_solutions(course: Course, assignments: Iterable[str], output: Path | None, *, quiet: bool) -> None:
    """Write a page for each assignment, to ``output`` if it is given."""
    for assignment in assignments:
        exercises = [ShownExercise(name, tuple(_shown(course, assignment, name))) for name in _exercises(course, assignment)]
        path = output or course.results / "solutions" / f"{assignment}.html"
        page = solutions_page(assignment_title(course, assignment), exercises)
        try:
            make_folder(path.parent)
            write_whole(path, page)
        except OSError as error:
            raise CourseError(f"cannot write {path}: {error.strerror or error}") from error
        teller(quiet=quiet)(str(path))


def _exercises(course: Course, assignment: str) -> list[str]:
    return [exercise.name for exercise in assignment_of_course(course, assignment).exercises]


def _shown(course: Course, assignment: str, exercise: str) -> Iterator[ShownSolution]:
    """The reference, and the wheats that say why they are right."""
    reference, *others = read_bank(course, assignment, exercise)
    for solution in (reference, *(other for other in others if other.is_correct and other.why)):
        yield ShownSolution(solution.title, solution.why, _code(solution))


def _code(solution: Solution) -> str:
    """The text of a solution below its docstring, which is shown apart."""
    docstring = ast.parse(solution.text).body[0]
    return "\n".join(solution.text.split("\n")[docstring.end_lineno :]).strip("\n") + "\n"
