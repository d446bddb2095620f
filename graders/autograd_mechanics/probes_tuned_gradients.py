"""Modules and losses, built from the judge's numbers beside the student's code, and what can be seen there only."""

import contextlib
from typing import Any

import torch
from torch import Tensor, nn

Weights = list[Tensor]
Call = dict[str, Any]
"""What a call is made of: ``base`` and ``head`` (weight, bias, weight, bias), ``prompt``, ``x``, ``cotangent``, and settings."""


class Switch(nn.Module):
    """Multiplies by one number in training mode, by another in evaluation mode: a dropout without chance."""

    def __init__(self, training: float, evaluation: float) -> None:
        super().__init__()
        self.factors = training, evaluation

    def forward(self, x: Tensor) -> Tensor:
        """Multiply."""
        return x * self.factors[0 if self.training else 1]


class Base(nn.Sequential):
    """Layers one after the other, and numbers added at the end: a parameter of the base itself."""

    def __init__(self, own: Tensor, *layers: nn.Module) -> None:
        super().__init__(*layers)
        self.own = nn.Parameter(own.clone())

    def forward(self, x: Tensor) -> Tensor:
        """Go through the layers, and add."""
        return super().forward(x) + self.own


class Offset(nn.Module):
    """Adds numbers: a parameter that no layer of torch holds."""

    def __init__(self, numbers: Tensor) -> None:
        super().__init__()
        self.numbers = nn.Parameter(numbers.clone())

    def forward(self, x: Tensor) -> Tensor:
        """Add."""
        return x + self.numbers


class Head(nn.Module):
    """Two layers; the parameter between them is never used."""

    def __init__(self, weights: Weights, unused: Tensor | None) -> None:
        super().__init__()
        self.first = _linear(*weights[:2])
        if unused is not None:
            self.unused = nn.Parameter(unused.clone())
        self.second = _linear(*weights[2:])

    def forward(self, x: Tensor) -> Tensor:
        """Go through both layers."""
        return self.second(self.first(x).tanh())


def tuned(notebook: Any, call: Call) -> Any:
    """What the call returns."""
    base, head, prompt = _made(call)
    return notebook.tuned_gradients(base, head, prompt, call["x"], _loss(call["cotangent"]))


def leaves(notebook: Any, call: Call) -> list[list[str]]:
    """The names of the base's parameters in the graph that reaches the loss, for each call of the loss."""
    base, head, prompt = _made(call)
    names = {id(parameter): name for name, parameter in base.named_parameters()}
    found: list[list[str]] = []

    def noted(output: Tensor) -> Tensor:
        found.append(sorted(names[key] for key in _leaves(output) & names.keys()))
        return _loss(call["cotangent"])(output)

    notebook.tuned_gradients(base, head, prompt, call["x"], noted)
    return found


def state(notebook: Any, call: Call, raises: bool) -> tuple[dict[str, Any], bool]:
    """All that a call should leave alone, after one; and whether the loss was called. It raises if asked to."""
    base, head, prompt = _made(call)
    called = False

    def loss(output: Tensor) -> Tensor:
        nonlocal called
        called = True
        if raises:
            raise _LossError
        return _loss(call["cotangent"])(output)

    with contextlib.suppress(_LossError):
        notebook.tuned_gradients(base, head, prompt, call["x"], loss)
    parameters = {f"{part}.{name}": p for part, m in (("base", base), ("head", head)) for name, p in m.named_parameters()}
    parameters["prompt"] = prompt
    modules = {
        f"{part}.{name}".strip("."): m for part, top in (("base", base), ("head", head)) for name, m in top.named_modules()
    }
    return {
        "requires_grad": {name: p.requires_grad for name, p in parameters.items()},
        "grad": {name: None if p.grad is None else p.grad.detach().clone() for name, p in parameters.items()},
        "training": {name: m.training for name, m in modules.items()},
        "values": {name: p.detach().clone() for name, p in parameters.items()} | {"x": call["x"]},
    }, called


class _LossError(Exception):
    """The loss could not be computed."""


def _linear(weight: Tensor, bias: Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], dtype=weight.dtype)
    layer.weight, layer.bias = nn.Parameter(weight.clone()), nn.Parameter(bias.clone())
    return layer


def _made(call: Call) -> tuple[nn.Module, nn.Module, Tensor]:
    """The modules and the prompt of a call."""
    weights = call["base"]
    base = Base(
        call["own"],
        _linear(*weights[:2]),
        nn.Tanh(),
        Switch(*call["factors"][0]),
        nn.Sequential(Offset(call["offset"]), _linear(*weights[2:])),
        Switch(*call["factors"][1]),
    )
    base[2].eval()
    base[3][1].eval()
    for name in call["frozen"]:
        base.get_parameter(name).requires_grad = False
    head = Head(call["head"], call["unused"])
    head.second.eval()
    prompt = call["prompt"].clone().requires_grad_(call["prompt_needs"])
    for parameter in (*base.parameters(), *head.parameters(), prompt):
        if call["grads"] and parameter.requires_grad:
            parameter.grad = torch.full_like(parameter, call["grads"])
    return base, head, prompt


def _loss(cotangent: Tensor) -> Any:
    return lambda output: (cotangent * output.sin()).sum()


def _leaves(output: Tensor) -> set[int]:
    """The leaves of a tensor's graph that gradients would be added up in."""
    seen, todo, leaves = set(), [output.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.add(id(node.variable))
        todo += [following for following, _ in node.next_functions]
    return leaves
