"""A cell that does not run is told once, and what misses a name for it says only that."""

import pytest

from torchgrade.checks.faults import NotDefined, Raised
from torchgrade.jail import CellError
from torchgrade.judge.broken_cells import BrokenCells, missing_name
from torchgrade.notebook import CodeCell, Program

UNCLOSED = "def softmax(x):\n    e = x.exp(\n    return e\n"


def broken(source, grade_id="softmax", *, number=7, locked=False, message="Your code raised NameError: x (cell 7, line 1: x)"):
    cells = (CodeCell(1, None, locked=False, source="a = 1", python="a = 1"), CodeCell(number, grade_id, locked, source, source))
    return BrokenCells(Program(cells, ()), [CellError(1, grade_id, message, locked=locked)])


def test_a_syntax_error_is_told_with_its_line_and_a_caret():
    (problem,) = broken(UNCLOSED).problems()
    first, line, caret = problem.split("\n")
    assert first == "The solution cell of 'softmax' did not run: syntax error in line 2: '(' was never closed."
    assert line == "    e = x.exp("
    assert caret.index("^") == line.index("(")
    assert broken(UNCLOSED).reason("softmax", "softmax") == "Not run: cell 7 has a syntax error in line 2."


def test_a_syntax_error_of_no_line_is_told_without_one():
    """Python gives no line for source with a null byte."""
    assert broken("x = 1\x00\n").reason("softmax", "softmax") == "Not run: cell 7 has a syntax error."


def test_what_else_went_wrong_is_told_as_before():
    (problem,) = broken("x\ndef softmax(x): pass\n").problems()
    assert problem == "The solution cell of 'softmax' did not run through. Your code raised NameError: x (cell 7, line 1: x)"
    assert broken("x").reason("softmax", "softmax") == "Not run: cell 7 did not run through."
    (problem,) = broken("x", locked=True, number=0).problems()
    assert problem.startswith("The locked cell 'softmax' did not run through.")


@pytest.mark.parametrize(
    "source", ["def helper(x:\n    pass", "class helper:\n  x = (", "helper = lambda x: (", "helper: int = ("]
)
def test_a_cell_of_ones_own_that_would_have_defined_the_name_is_to_blame_and_no_other(source):
    cells = broken(source, grade_id=None)
    assert cells.reason("softmax", "helper").startswith("Not run: cell 7 has a syntax error")
    assert cells.reason("softmax", "softmax") is None
    assert cells.reason("softmax", "help") is None


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (NotDefined("softmax is not defined.", "softmax"), "softmax"),
        (Raised("NameError", "name 'softmax' is not defined"), "softmax"),
        (Raised("AttributeError", "module 'submission' has no attribute 'softmax'"), "softmax"),
        (Raised("AttributeError", "'Tensor' object has no attribute 'softmax'"), ""),
        (Raised("ValueError", "name 'softmax' is not defined"), ""),
    ],
)
def test_a_name_may_be_missed_by_a_check_a_cell_or_a_probe(fault, name):
    assert missing_name(fault) == name
