"""Public checks: tuned_gradients. You may read and run them; `check("tuned_gradients")` does."""

from typing import Any

import torch
from torch import Tensor, nn

from torchgrade import CheckFailed, assert_close, assert_tensor, points
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

F64 = torch.float64


def linear(weight: Tensor) -> nn.Linear:
    """A layer without a bias."""
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
    layer.weight = nn.Parameter(weight.clone())
    return layer


def tuned(notebook: Any, w: Tensor, v: Tensor, prompt: Tensor, x: Tensor, target: Tensor) -> Any:
    """What the call returns for ``base`` = a layer and tanh, ``head`` = a layer, and the squared distance from the target."""
    base, head = nn.Sequential(linear(w), nn.Tanh()), linear(v)
    return notebook.tuned_gradients(base, head, prompt, x, lambda output: (output - target).square().sum())


def flags(notebook: Any, weights: list[Tensor], v: Tensor, prompt: Tensor, x: Tensor, target: Tensor) -> dict[str, bool]:
    """All requires_grad after a call, where the second of three layers was frozen before."""
    base, head = nn.Sequential(*map(linear, weights)), linear(v)
    base[1].weight.requires_grad = False
    notebook.tuned_gradients(base, head, prompt, x, lambda output: (output - target).square().sum())
    named = {f"base.{name}": parameter for name, parameter in base.named_parameters()}
    named |= {"head.weight": head.weight, "prompt": prompt}
    return {name: parameter.requires_grad for name, parameter in named.items()}


def draw() -> list[Tensor]:
    """Weights of base and head, a prompt, a batch and a target."""
    sizes = ((4, 3), (2, 4), (3,), (5, 3), (5, 2))
    return [torch.randn(size, dtype=F64) for size in sizes]


def three_results(student: Any, probe: Any, *numbers: Any) -> Any:
    """What a probe returns, which must be three results."""
    with hint_where_raised("Is each tensor in the graph whose gradient you ask for? The prompt is in front of the base."):
        results = student.run(probe, *numbers)
    if not isinstance(results, tuple | list) or len(results) != 3:
        many = isinstance(results, tuple | list)
        kind = f"{len(results)} of them" if many else "None" if results is None else f"a {type(results).__name__}"
        raise CheckFailed(f"expected three results (loss, gradient of the prompt, list of gradients), got {kind}", slip="type")
    return results


@points(1)
def test_loss(student):
    """The first result is the loss, as a float."""
    w, v, prompt, x, target = numbers = draw()
    loss, _, _ = three_results(student, tuned, *numbers)
    if not isinstance(loss, float):
        hint = "A tensor may hold a graph. Which method gives its number?"
        raise CheckFailed(f"the loss is a {type(loss).__name__}; expected a float", hint=hint, slip="type")
    expected = (((x + prompt) @ w.T).tanh() @ v.T - target).square().sum()
    hint = "loss_fn sees head(base(x + prompt)). In which order do you call them, and on what?"
    assert_close(torch.tensor(loss, dtype=F64), expected, precision=F64, ulps=2**16, scale=expected, what="the loss", hint=hint)


@points(1, kind="gradients")
def test_prompt(student):
    """The second result is the gradient of the prompt, which goes through the base."""
    w, v, prompt, x, target = numbers = draw()
    _, gradient, _ = three_results(student, tuned, *numbers)
    between = ((x + prompt) @ w.T).tanh()
    arrives = 2 * (between @ v.T - target) @ v * (1 - between**2) @ w
    side = "On which side of the base is the prompt? What has to be recorded, so that a gradient comes through the base?"
    rows = "x + prompt adds the prompt to every row. What becomes of the gradients of all these rows?"
    if isinstance(gradient, Tensor) and not bool(gradient.any()):
        raise CheckFailed("the gradient of the prompt is zeros: nothing comes through to it", hint=side, slip="detached")
    hint = {"type": side, "values": rows, "shape": rows}
    what = "the gradient of the prompt"
    assert_close(
        assert_tensor(gradient, what=what, hint=hint), arrives.sum(dim=0), scale=arrives.abs().sum(), what=what, hint=hint
    )


@points(0.5, kind="inputs")
def test_flags(student):
    """Each requires_grad is after the call what it was before, also where it was False."""
    rests_on_word()
    weights = [torch.randn(3, 3, dtype=F64) for _ in range(3)]
    before = {"base.0.weight": True, "base.1.weight": False, "base.2.weight": True, "head.weight": True, "prompt": False}
    after = student.run(flags, weights, torch.randn(2, 3, dtype=F64), *draw()[2:])
    for name, flag in before.items():
        if after.get(name) is not flag:
            raise CheckFailed(
                f"{name}.requires_grad is {after.get(name)} after the call; it was {flag}",
                hint="How do you know, at the end, which parameters were frozen before you came?",
                slip="inputs",
            )
