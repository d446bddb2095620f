"""What a chaff says of itself, and how it is told that it does not say it right."""

import math

import pytest

from torchgrade.bank import read_bank
from torchgrade.checks.declared import GraderError
from torchgrade.course import find_course


@pytest.fixture
def bank(tmp_path):
    """Write a chaff with this docstring, and read the bank."""
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n", encoding="utf-8")
    (tmp_path / "assignments").mkdir()
    folder = tmp_path / "solutions" / "sums" / "add"
    (folder / "chaffs").mkdir(parents=True)
    (folder / "reference.py").write_text('"""Adds."""\n', encoding="utf-8")

    def read(docstring, where="chaffs/wrong.py"):
        (folder / where).parent.mkdir(exist_ok=True)
        (folder / where).write_text(f'"""{docstring}"""\n', encoding="utf-8")
        return read_bank(find_course(tmp_path), "sums", "add")[-1]

    return read


def test_a_chaff_says_what_it_fails_what_it_may_cost_and_what_a_student_would_say(bank):
    chaff = bank(
        "Subtracts.\n\nFails: test_a (nan),\n    test_b\nCosts: all, because every\n    value is wrong.\n"
        "Says: you subtracted\n    where you should add.\n"
    )
    assert chaff.title == "Subtracts"
    assert chaff.fails == {"test_a", "test_b"}
    assert chaff.slips == {"test_a": "nan"}
    assert (chaff.costs.points, chaff.costs.because) == (math.inf, "every value is wrong")
    assert chaff.says == "you subtracted where you should add"


def test_what_a_chaff_need_not_say(bank):
    chaff = bank("Subtracts.\n\nFails: test_a\n")
    assert chaff.costs is None
    assert chaff.says == ""
    assert bank("S.\n\nFails: test_a\nCosts: 2.5, because so.\n").costs.points == 2.5


@pytest.mark.parametrize(
    ("docstring", "where", "told"),
    [
        ("S.\n\nFails: test_a\nCosts: 7\n", "chaffs/wrong.py", r"'Costs: 7' is not of the form 'Costs: 7\.5, because \.\.\.'"),
        ("S.\n\nFails: test_a\nCosts: a lot, because so\n", "chaffs/wrong.py", "is not of the form"),
        ("S.\n\nSays: you subtracted\n", "wheats/right.py", "belong only in a chaff's docstring"),
        ("S.\n\nFails: test_a\nWhy: so\n", "chaffs/wrong.py", "is about a right answer"),
        ("S.\n", "chaffs/wrong.py", "must name the checks that it fails"),
    ],
)
def test_a_docstring_that_is_no_use_is_refused_in_a_line(bank, docstring, where, told):
    with pytest.raises(GraderError, match=told):
        bank(docstring, where)
