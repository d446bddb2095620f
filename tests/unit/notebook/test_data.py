"""What a stub's names give that can never leave the student's process."""

import ast

import pytest

from torchgrade.notebook.data import makes_of


def made(source):
    tree = ast.parse(source)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return makes_of(classes, {node.name: ast.unparse(node.returns) for node in tree.body if isinstance(node, ast.FunctionDef)})


@pytest.mark.parametrize("bases", ["", "(nn.Module)", "(torch.nn.Module)", "(IterableDataset[Tensor])", "(autograd.Function)"])
def test_a_class_of_objects_stays_over_there(bases):
    assert made(f"class Layer{bases}:\n    pass") == {"Layer": "Layer"}


@pytest.mark.parametrize("bases", ["NamedTuple", "Base", "dict", "metaclass=M"])
def test_a_class_that_may_be_data_is_sent(bases):
    assert made(f"class P({bases}):\n    x: int") == {}


@pytest.mark.parametrize(
    "kind", ["nn.Module", "torch.jit.ScriptModule", "Callable[[Tensor], Tensor]", "Iterator[Tensor]", "Layer"]
)
def test_a_function_that_says_it_returns_an_object_is_told_from_its_stub(kind):
    assert made(f"class Layer: pass\ndef f() -> {kind}: pass")["f"] == kind


@pytest.mark.parametrize("kind", ["Tensor", "list[Tensor]", "tuple[Tensor, int]", "Result", "None"])
def test_a_function_that_returns_data_is_none(kind):
    assert made(f"def f() -> {kind}: pass") == {}
