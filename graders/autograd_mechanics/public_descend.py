"""Public checks: descend. You may read and run them; `check("descend")` does."""

import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, assert_tensor, points
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

STACK = "How do several tensors of one shape become one tensor?"

_targets: list[Tensor] = []


def pose(_, target: Tensor) -> None:
    """Set the bottom of :func:`bowl`."""
    _targets[:] = [target]


def bowl(w: Tensor) -> Tensor:
    """``sum((w - target) ** 2)``: its gradient is ``2 * (w - target)``."""
    return (w - _targets[0]).square().sum()


def after(notebook, start: Tensor, grad: Tensor, lr: float) -> tuple[Tensor, bool, Tensor | None]:
    """A leaf that has a ``.grad`` already, after the call: its numbers, its flag and its ``.grad``."""
    start = start.clone().requires_grad_()
    start.grad = grad.clone()
    notebook.descend(bowl, start, steps=2, lr=lr)
    return start.detach().clone(), start.requires_grad, start.grad


def walk(start: Tensor, target: Tensor, steps: int, lr: float) -> tuple[Tensor, Tensor]:
    """What is right for :func:`bowl`."""
    path = torch.stack([target + (1 - 2 * lr) ** step * (start - target) for step in range(steps + 1)])
    return path, (path[:-1] - target).square().sum(dim=1)


@points(1)
def test_path(student):
    """The path begins at start, and each of its points is w - lr * gradient of the one before."""
    start, target = 3 + torch.rand(4, dtype=torch.float64), torch.rand(4, dtype=torch.float64)
    student.run(pose, target)
    path, _ = student.descend(bowl, start, steps=3, lr=0.2)
    path = assert_tensor(path, what="the path", hint={"type": STACK})
    expected = walk(start, target, 3, 0.2)[0]
    if path.shape == expected.shape and bool((path == path[0]).all()):
        hint = "In whose memory is each point kept, and what is written there later?"
        raise CheckFailed(f"all points of the path are the same: {path[0].tolist()}", hint=hint, slip="constant")
    if path.shape == expected.shape and torch.allclose(path[1].double(), 2 * expected[0] - expected[1]):
        hint = "Which way does the gradient point, and which way is down?"
        raise CheckFailed("the first step goes just the opposite way", hint=hint, slip="sign")
    hint = {
        "shape": "Three steps have four points: where you start is one of them.",
        "values": "Which is the first point that is wrong? If it is the third: what is in .grad when the second step begins?",
    }
    assert_close(path, expected, scale=4.0, what="the path of 3 steps", hint=hint)


@points(1)
def test_losses(student):
    """The losses are those before each step: at each point of the path but the last."""
    start, target = 3 + torch.rand(4, dtype=torch.float64), torch.rand(4, dtype=torch.float64)
    student.run(pose, target)
    path, losses = (assert_tensor(each, hint={"type": STACK}) for each in student.descend(bowl, start, steps=3, lr=0.2))
    expected = walk(start, target, 3, 0.2)[1]
    if path.shape == (4, 4) and losses.shape == (3,) and torch.allclose(losses.double(), expected, rtol=1e-5):
        return
    if path.shape == (4, 4):  # a wrong path is for the other check: here its own losses are right
        expected = (path[:-1].detach().double() - target).square().sum(dim=1)
    hint = {
        "shape": "A loss a step: which of the points has no step after it?",
        "values": "Is each loss that of the point before its step, or after it?",
    }
    assert_close(losses, expected, scale=100.0, what="the losses of 3 steps", hint=hint)


@points(0.5, kind="inputs")
def test_start(student):
    """A start that is a leaf keeps its numbers, its flag and its .grad."""
    rests_on_word()
    start, grad = 3 + torch.rand(4, dtype=torch.float64), torch.randn(4, dtype=torch.float64)
    student.run(pose, torch.rand(4, dtype=torch.float64))
    with hint_where_raised("Here start is a leaf that needs a gradient. Is the tensor a leaf that you make from it?"):
        numbers, flag, left = student.run(after, start, grad, 0.2)
    hint = "Which tensor do you step with: start, one with the memory of start, or one with memory of its own?"
    assert_close(numbers, start, ulps=0, what="start after the call", hint=hint)
    if left is None:
        raise CheckFailed(
            "start had a .grad before the call, and has none after it", hint="Whose gradient do you clear?", slip="inputs"
        )
    hint = "Where does backward put its results, if the graph reaches start?"
    assert_close(left, grad, ulps=0, what="start.grad after the call", hint=hint)
    if not flag:
        raise CheckFailed("start.requires_grad is False after the call; it was True", hint="Who asked you to change start?")
