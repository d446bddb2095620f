"""``docs/grading-api.md``: each public name has an example, which the right answer passes and a wrong one fails as is shown.

The page's blocks become the graders, probes and solutions of a course, and real submissions are graded with them in the jail.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict

import nbformat
import pytest
from click.testing import CliRunner
from markdown_page import parts_of, shows

import torchgrade
from torchgrade.authoring.exercises import render
from torchgrade.checks.declared import KINDS
from torchgrade.cli import main
from torchgrade.course import find_course
from torchgrade.judge.judge import Judge
from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Outcome

PARTS = list(parts_of("grading-api.md"))
READS = re.compile(r"student who handed in `(\w+)` reads:$")
MORE_THAN_TORCHGRADE = {"student", "student.run", "student.probe", "student.limit", "student.Rows", "student.fill_"}
# What else than scale_rows a wrong answer stands for; those with (x, count) are first_rows.
INSTEAD_OF = {
    "not_counted": "Rows",
    "forgets_steps": "Momentum",
    "last_row_only": "Cache",
    "fills_a_copy": "fill_",
    "clips_each": "clip",
    "climbs_right": "climb",
}
TRIES = 4  # of a race, on a machine that others use as well


def blocks(language):
    return [part for part in PARTS if part.language == language]


def only(language):
    (part,) = blocks(language)
    return part.text


def names_in(heading):
    return set(re.findall(r"`([\w.]+)`", heading))


def check_in(text):
    """The name of the check that an example shows."""
    return next(node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))


CHECKS = {check_in(part.text): part.text for part in blocks("python check")}
FOR_STUDENTS = "`check`"


def _messages():
    """For each check, and for the section about ``check``: the wrong answer, and what a student who handed it in is told."""
    shown = None
    for part in PARTS:
        if part.language == "python check":
            shown = check_in(part.text)
        elif part.language == "text":
            yield FOR_STUDENTS if part.heading == FOR_STUDENTS else shown, (READS.search(part.before)[1], part.text.strip("\n"))


MESSAGES = dict(_messages())
WRONG = {node.name: ast.get_source_segment(only("python wrong"), node) for node in ast.parse(only("python wrong")).body}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    (root / "nbgrader_config.py").write_text("from torchgrade.gradebook import configure\n\nc = get_config()\nconfigure(c)\n")
    assert CliRunner().invoke(main, ["--course", str(root), "new", "api", "scale_rows"]).exit_code == 0
    graders = root / "graders/api"
    # Public checks come first, and are looked at by what a student sees of them: see the last test.
    hidden = "\n\n".join(['"""Hidden checks."""', only("python imports"), *CHECKS.values()])
    (graders / "test_scale_rows.py").write_text(hidden)
    (graders / "public_scale_rows.py").write_text(only("python public"))
    (graders / "probes.py").write_text("\n\n".join(part.text for part in blocks("python probes")))
    (root / "solutions/api/scale_rows/reference.py").write_text(only("python reference"))
    notebook = nbformat.read(root / "assignments/api/api.ipynb", as_version=4)
    next(
        cell for cell in notebook.cells if cell.id == "scale_rows"
    ).source = "def scale_rows(x, factors):\n    raise NotImplementedError"
    nbformat.write(notebook, root / "assignments/api/api.ipynb")
    return find_course(root)


@pytest.fixture(scope="module")
def graded(course, tmp_path_factory):
    """Grades an answer with some checks, or all; the checks by name."""
    folder = tmp_path_factory.mktemp("submissions")
    with Judge(course) as judge:

        def grade(answer, *checks):
            path = folder / "try.ipynb"
            write_notebook(compose(load_assignment(course.assignments, "api"), {"scale_rows": answer}), path)
            for _ in range(TRIES):
                record = judge.grade("api", "somebody", path, checks=checks)
                found = {check.name: check for check in record.exercises[0].checks}
                if all(found[name].outcome is not Outcome.UNGRADED for name in checks or found):
                    break
            return found

        yield grade


def wrong_answer(name):
    imports = "import torch\nfrom torch import Tensor\n\n\n"
    right = INSTEAD_OF.get(name) or ("first_rows" if f"def {name}(x, count)" in WRONG[name] else "scale_rows")
    if name in INSTEAD_OF:
        return f"{only('python reference')}\n\n{WRONG[name]}\n\n\n{right} = {name}\n{right}.__name__ = '{right}'\n"
    wrong = WRONG[name].replace(f"def {name}(", f"def {right}(")
    return imports + wrong if right == "scale_rows" else f"{only('python reference')}\n\n{wrong}"


def test_every_public_name_has_a_section_with_an_example_that_uses_it():
    shown = defaultdict(str)
    for part in PARTS:
        for name in names_in(part.heading) if part.language.startswith("python") else ():
            shown[name] += part.text
    assert set(torchgrade.__all__) - set(shown) == set()
    assert all(name in shown[name] for name in torchgrade.__all__)


def test_every_section_is_about_a_name_that_exists():
    assert {name for part in PARTS for name in names_in(part.heading)} == {*torchgrade.__all__} | MORE_THAN_TORCHGRADE


def test_every_example_is_a_check_that_says_what_a_wrong_answer_is_told():
    assert set(MESSAGES) == set(CHECKS) | {FOR_STUDENTS}


def test_every_wrong_answer_of_the_page_is_told_something():
    assert {name for name, _ in MESSAGES.values()} | {"columns"} == set(WRONG)


def test_what_is_shown_of_a_class_is_the_skeletons_whose_audit_another_test_looks_at():
    written = render("graders/test_exercise.py", "a", "Centre", kind="class")
    assert only("python class") in written


def test_the_kinds_of_checks_are_all_named():
    text = " ".join(part.text for part in PARTS if part.heading == "`points`")
    assert all(f"`{kind}`" in text for kind in KINDS)


def test_the_right_answer_passes_every_example(graded):
    checks = graded(only("python reference"))
    assert {name: check.message for name, check in checks.items() if check.outcome is not Outcome.PASSED} == {}
    assert set(checks) == set(CHECKS) | {"test_by_hand"}
    assert checks["test_error"].measurements["mean error"] < 1e-6


@pytest.mark.parametrize("name", CHECKS)
def test_a_wrong_answer_fails_the_example_with_the_message_that_is_shown(graded, name):
    wrong, message = MESSAGES[name]
    check = graded(wrong_answer(wrong), name)[name]
    assert check.outcome is Outcome.FAILED, check.message
    assert shows(message, check.message), check.message
    assert check.points == (1 if "award(" in CHECKS[name] else 0)


def test_the_example_for_students_shows_the_table(course):
    name, table = MESSAGES[FOR_STUDENTS]
    program = f"{wrong_answer(name)}\n\n{only('python notebook')}"
    folder = course.assignments / "api"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert shows(table, done.stdout), done.stdout + done.stderr
