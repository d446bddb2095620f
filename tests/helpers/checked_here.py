"""Runs ``check``'s own engine on solutions, each in a namespace of its own, and prints what came of each check as JSON.

python checked_here.py ASSIGNMENT EXERCISE SOLUTION.py...   in a course's folder
"""

import contextlib
import io
import json
import sys
import types
from pathlib import Path

from torchgrade.course import find_course
from torchgrade.notebook import compose, load_assignment, take_program
from torchgrade.student.cells import OwnCode, loaded
from torchgrade.student.local_student import StandIn
from torchgrade.student.running import run_checks


def outcomes(assignment, exercise, path):
    """Outcome and points of each public check."""
    course = find_course(Path.cwd())
    source = load_assignment(course.assignments, assignment)
    program = take_program(source, compose(source, {exercise: path.read_text(encoding="utf-8")}))
    module = types.ModuleType("notebook_of_a_student")  # classes are looked up by their module, by DataLoader's workers too
    sys.modules[module.__name__] = module
    namespace = vars(module)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for cell in program.cells:
            with contextlib.suppress(NotImplementedError):  # another exercise's stub
                exec(compile(cell.python, f"<cell {cell.number}>", "exec"), namespace)
        own = OwnCode(namespace, Path.cwd())
        with loaded(course.graders / assignment / f"public_{exercise}.py") as checks:
            found = run_checks(exercise, checks, StandIn(namespace, own), own)
    return {check.name: [check.outcome.value, check.points] for check in found.checks}


if __name__ == "__main__":
    sys.stdout.write(json.dumps([outcomes(sys.argv[1], sys.argv[2], Path(path)) for path in sys.argv[3:]]))
