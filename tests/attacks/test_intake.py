"""What a probe says it returns is what the judge lets through; anything else is the submission's failure."""

from typing import Any

import pytest
import torch
from torch import Tensor

from torchgrade.jail.protocol.return_types import declared_by, fits, misfit, named_in_stub

X = torch.ones(2)


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (Tensor, X, [X]),
        (int, 3, True),
        (float, 2, "2"),
        (str, "a", b"a"),
        (bool, False, 0),
        (list[int], [1, 2], [1, "2"]),
        (list[list[tuple[str, Tensor]]], [[("a", X)], []], [[("a", 1)]]),
        (tuple[int, str], (1, "a"), (1, "a", 2)),
        (tuple[Tensor, ...], (X, X), (X, None)),
        (dict[str, int], {"a": 1}, {"a": None}),
        (dict[str, Tensor], {}, [("a", X)]),
        (Tensor | None, None, 5),
        (tuple[Tensor, list[float]], (X, [1.0, 2]), (X, X)),
        (list[Any], [1, "a"], (1, "a")),
        (None, None, 0),
    ],
    ids=str,
)
def test_an_answer_fits_its_declared_type_or_not(hint, good, bad):
    assert fits(good, hint)
    assert not fits(bad, hint)


def test_a_type_that_is_no_data_accepts_anything():
    assert fits(object(), Any)
    assert fits(5, object)


def test_the_type_is_read_from_the_probe():
    def probe(student, x: int) -> "list[Tensor]":
        raise NotImplementedError

    def silent(student):
        raise NotImplementedError

    def odd(student) -> "Nowhere":  # noqa: F821
        raise NotImplementedError

    assert declared_by(probe) == list[Tensor]
    assert declared_by(silent) is Any
    assert declared_by(odd) is Any


@pytest.mark.parametrize(
    ("annotation", "came", "said"),
    [
        ("Tensor", X, None),
        ("torch.Tensor", None, "None"),
        ("float", 1.0, None),
        ("float", 1, "an int"),
        ("int", True, "a bool"),
        ("list[int]", [True], None),
        ("list[float]", [1.0, "2"], "a list that holds a str"),
        ("list[list[int]]", ["a"], None),
        ("tuple[Tensor, Tensor]", (1,), None),
        ("tuple[Tensor, Tensor]", [X, X], "a list"),
        ("dict[str, int]", {"a": None}, None),
        ("None", 0, "an int"),
        ("Tensor | None", 5, None),
        ("__import__('os')", 5, None),
    ],
)
def test_an_answer_is_held_against_the_simple_types_of_a_stub(annotation, came, said):
    assert misfit(came, named_in_stub(annotation)) == said
