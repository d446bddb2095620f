"""The demo's class: fills submitted/ from the bank of solutions, and afterwards holds the marks against what the files say.

The whole class hands in the first assignment, mischief and all; three of them hand in each of the others.

python scripts/demo_class.py hand-in ASSIGNMENT...        python scripts/demo_class.py verify ASSIGNMENT...
"""

from __future__ import annotations

import ast
import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

from torchgrade.bank import Solution, expected_points, read_bank
from torchgrade.course import Course, find_course
from torchgrade.judge.plan import Plan, read_plan
from torchgrade.notebook import Assignment, compose, load_assignment, write_notebook
from torchgrade.record import Results

# What a first exercise's cell may do to a grading machine. Each costs its own exercise all points, and nobody else anything.
MISCHIEF = {
    "gail": ("a syntax error", "def {name}(:\n    return logits\n"),
    "hugo": ("loops for ever", "while True:\n    pass\n"),
    "iris": ("ends the process", "import os\n\nos._exit(0)\n"),
    "jack": ("eats memory", "held = []\nwhile True:\n    held.append(bytearray(10_000_000))\n"),
    "kate": ("prints without end", "while True:\n    print('so far so good ' * 100)\n"),
}
WITH_MISCHIEF = "numerical_stability"
NOT_A_NOTEBOOK = "liam"
STUB = "fred"
CORRECT, WRONG = ("anna", "ben"), ("dora", "emil", "mona")


@dataclasses.dataclass(frozen=True)
class Pupil:
    """A student of the demo: what goes into each exercise's cell (nothing: the stub stays), and what it is worth."""

    name: str
    about: str
    cells: dict[str, str]
    points: float | None


def pupils(course: Course, source: Assignment, plan: Plan) -> Iterator[Pupil]:
    """The class, in the same order each time."""
    names = [exercise.name for exercise in source.exercises]
    bank = {name: [s for s in read_bank(course, source.name, name) if not _defines(s, {*names} - {name})] for name in names}
    first = source.exercises[0].name
    full = sum(exercise.points for exercise in source.exercises)
    few = 1 if source.name != WITH_MISCHIEF else None
    right = {name: [s for s in solutions if s.is_correct] for name, solutions in bank.items()}
    wrong = {name: [s for s in solutions if not s.is_correct] for name, solutions in bank.items()}
    for number, student in enumerate(CORRECT[:few]):
        chosen = {name: solutions[number % len(solutions)] for name, solutions in right.items()}
        yield Pupil(student, _titles(chosen), {name: s.text for name, s in chosen.items()}, full)
    for number, student in enumerate(WRONG[:few]):
        chosen = {name: solutions[number * len(solutions) // len(WRONG)] for name, solutions in wrong.items()}
        points = sum(expected_points(plan, name, s) for name, s in chosen.items())
        yield Pupil(student, _titles(chosen), {name: s.text for name, s in chosen.items()}, points)
    yield Pupil(STUB, "the stub as it was handed out", {}, 0.0)
    if few is not None:
        return
    others = {name: solutions[0].text for name, solutions in right.items() if name != first}
    rest = full - source.exercise(first).points
    for student, (about, text) in MISCHIEF.items():
        yield Pupil(student, about, {first: text.format(name=first), **others}, rest)
    yield Pupil(NOT_A_NOTEBOOK, "a file that is no notebook", {}, None)


def _defines(solution: Solution, names: set[str]) -> bool:
    """Return whether the cell defines one of these names, too: it would replace what another exercise's cell defined."""
    return any(getattr(node, "name", None) in names for node in ast.parse(solution.text).body)


def _titles(chosen: dict[str, Solution]) -> str:
    return " · ".join(solution.title for solution in chosen.values())


def hand_in(course: Course, assignment: str) -> None:
    """Write the submissions."""
    source, plan = load_assignment(course.assignments, assignment), read_plan(course, assignment)
    for pupil in pupils(course, source, plan):
        path = course.submission(pupil.name, assignment)
        path.parent.mkdir(parents=True, exist_ok=True)
        if pupil.points is None:
            path.write_bytes(b"\x89PNG\r\n\x1a\n this is a picture of my homework")
        else:
            write_notebook(compose(source, pupil.cells), path)
        print(f"  {pupil.name:6} {pupil.about}")


def verify(course: Course, assignment: str) -> bool:
    """Whether every record has the marks that the class's files say."""
    source, plan = load_assignment(course.assignments, assignment), read_plan(course, assignment)
    held = True
    for pupil in pupils(course, source, plan):
        record = Results(course.results).read(pupil.name, assignment)
        expected = pupil.points or 0.0
        if record is None or round(record.points - expected, 6) != 0 or record.readable is (pupil.points is None):
            got = "no record" if record is None else f"{record.points:g} points"
            print(f"{pupil.name}: expected {expected:g} points, got {got} ({pupil.about})", file=sys.stderr)
            held = False
    return held


def main() -> None:
    """Do what the command line says."""
    action, *assignments = sys.argv[1:]
    course = find_course(Path.cwd())
    if action == "hand-in":
        for assignment in assignments:
            print(f" {assignment}")
            hand_in(course, assignment)
    elif [a for a in assignments if not verify(course, a)]:
        sys.exit(1)


if __name__ == "__main__":
    main()
