"""Mutants: every one is Python, differs from the reference by one change, and the changes that matter are among them."""

import ast

import pytest

from torchgrade.audit.mutants import mutants_of

SOURCE = '''
"""Docstring 1."""


def f(x: Tensor, dim: int = -1, *, keep: bool = True) -> Tensor:
    """Another."""
    y = x.detach().sum(dim=dim)
    if x.dim() > 2:
        y = x @ y
    with torch.no_grad():
        step(y)
        update(y)
    return -y / 2.0
'''


@pytest.fixture(scope="module")
def changes():
    return [mutant.change for mutant in mutants_of(SOURCE)]


def test_every_mutant_is_python_and_none_is_the_reference():
    texts = [mutant.text for mutant in mutants_of(SOURCE)]
    assert len(texts) == len(set(texts))
    for text in texts:
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(SOURCE))


@pytest.mark.parametrize(
    "change",
    [
        "y = x.detach().sum(dim=dim) → y = x.sum(dim=dim)",
        "y = x.detach().sum(dim=dim) → y = x.detach().sum()",
        "y = x.detach().sum(dim=dim) → y = x.detach()",
        "y = x @ y → y = x * y",
        "if x.dim() > 2: → if x.dim() >= 2:",
        "if x.dim() > 2: → if x.dim() > 3:",
        "if x.dim() > 2: → if True:",
        "return -y / 2.0 → return -y * 2.0",
        "return -y / 2.0 → return y / 2.0",
        "return -y / 2.0 → return -y / 4.0",
        "step(y) → pass",
        "update(y) → pass",
    ],
)
def test_a_change_that_matters_is_made(changes, change):
    assert change in changes


def test_two_lines_change_places(changes):
    assert "step(y) ⏎ update(y) → update(y) ⏎ step(y)" in changes


def test_types_and_docstrings_stay(changes):
    assert not any("Docstring" in change or "Another" in change for change in changes)


def test_the_same_change_in_two_places_has_two_names():
    twice = "def f(x):\n    x += 1\n    y = 0\n    x += 1\n    return x + y\n"
    names = [mutant.change for mutant in mutants_of(twice)]
    assert len(names) == len(set(names))
    assert "x += 1 → pass" in names
    assert "x += 1 → pass (2)" in names
