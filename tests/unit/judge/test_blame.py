"""A mistake in a grader is nobody's failure, and nobody can make a failure of their own look like one."""

import pytest
from small_course import make_course, submit

from torchgrade.judge.judge import Judge

GRADERS = '''
import torch
from torchgrade import assert_constant_operations, points
from . import probes

@points(1)
def test_count(student):
    """The count of a probe's operations."""
    assert student.probe(probes.total).count_operations(torch.ones(3)) >= 1

@points(1)
def test_misspelt(student):
    """A probe with a misspelt name."""
    student.run(probes.misspelt, torch.ones(3))

@points(0.5)
def test_undefined(student):
    """A function that no stub has."""
    student.totall(torch.ones(3))

@points(0.25)
def test_signature(student):
    """One argument too many."""
    student.total(torch.ones(3), 3)

@points(0.25)
def test_right(student):
    """A probe that takes what comes apart."""
    student.run(probes.takes_apart, torch.ones(3))

'''
PLAIN = '''
import torch
from torchgrade import points

@points(5)
def test_plain(student):
    """A plain assert, which raises for a result of another shape or kind."""
    x = torch.randn(5, 7)
    assert torch.allclose(student.double(x), 2 * x), "twice"

@points(1)
def test_wrong(student):
    """One that raises for every answer."""
    assert torch.allclose(student.double(torch.randn(5, 7)), torch.randn(6, 7))
'''
PROBES = """
def total(student, x):
    return student.total(x)
def misspelt(student, x):
    return student.total(x) + undefind
def takes_apart(student, x):
    return float(student.total(x) + 1)
"""
RIGHT = "def total(x):\n    return x.sum()\n"
HOSTILE = """
import types
def total(x):
    code = compile("raise NameError('undefind')", "probes.py", "exec")
    exec(code, {})
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("course"))
    (course.graders / "small" / "test_total.py").write_text(GRADERS)
    (course.graders / "small" / "test_double.py").write_text(PLAIN)
    (course.graders / "small" / "probes.py").write_text(PROBES)
    with Judge(course) as judge:

        def grade(total=RIGHT, double=None):
            path = submit(course, total=total, **({"double": double} if double else {}))
            record = judge.grade("small", "alice", path, exercise="double" if double else "total")
            return {check.name: check for check in record.exercises[0].checks}

        yield grade


def test_what_fails_with_the_reference_too_is_left_open_and_the_instructor_reads_which_line(graded):
    checks = graded(RIGHT)
    assert {name: check.outcome.value for name, check in checks.items()} == {
        "test_count": "passed",
        "test_misspelt": "ungraded",
        "test_undefined": "ungraded",
        "test_signature": "ungraded",
        "test_right": "passed",
    }
    assert "probes.py, line 5: return student.total(x) + undefind: NameError: name 'undefind'" in checks["test_misspelt"].detail
    assert "totall is not defined" in checks["test_undefined"].detail
    assert "You lose no points" in checks["test_misspelt"].message


@pytest.mark.parametrize(
    "total",
    [
        "def total(x):\n    return None\n",
        HOSTILE,
        "class Odd:\n    def __add__(self, other):\n        raise NameError('undefind')\ndef total(x):\n    return Odd()\n",
        "def total():\n    return 0\n",
    ],
    ids=["a wrong type", "code with the probes' name", "an object that raises", "another signature"],
)
def test_a_probe_that_fails_for_what_the_submission_gave_it_is_the_submissions_failure(graded, total):
    assert graded(total)["test_right"].outcome.value == "failed"


def test_a_deleted_function_is_a_failure(graded):
    assert graded("x = 1\n")["test_right"].outcome.value == "failed"
    assert graded("x = 1\n")["test_signature"].outcome.value == "failed"


@pytest.mark.parametrize(
    ("double", "kind"),
    [
        ("def double(x):\n    return 2 * x[:, :3]\n", "RuntimeError"),
        ("def double(x):\n    return 2 * x.double()\n", "RuntimeError"),
    ],
)
def test_what_a_graders_plain_assert_raises_for_an_answer_of_another_kind_is_the_submissions_failure(graded, double, kind):
    check = graded(double=double)["test_plain"]

    assert (check.outcome.value, check.points, check.slip) == ("failed", 0, "not comparable")
    assert f"cannot compare your result with the right one: the comparison ended with {kind}." in check.message
    assert "torch.allclose(student.double(x)" in check.detail  # for the instructor


@pytest.mark.parametrize("double", ["def double(x):\n    return 2 * x\n", "def double(x):\n    return 2 * x[:, :3]\n"])
def test_what_it_raises_for_every_answer_is_not(graded, double):
    check = graded(double=double)["test_wrong"]

    assert check.outcome.value == "ungraded"
    assert "You lose no points" in check.message
