"""Public checks: leaky_scan. You may read and run them; `check("leaky_scan")` does."""

import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, assert_tensor, points

F32, F64 = torch.float32, torch.float64


def on_paper(decay: list[float], signal: list[list[float]], steps: int) -> list[list[float]]:
    """One signal, number by number, and zeros up to ``steps``."""
    rows, before = [], [0.0] * len(decay)
    for now in signal:
        before = [d * y + x for d, y, x in zip(decay, before, now, strict=True)]
        rows.append(before)
    return rows + [[0.0] * len(decay)] * (steps - len(rows))


@points(1)
def test_by_hand(student):
    """[8, 0, 4] with a decay of 0.5 becomes [8, 4, 6]."""
    signals = torch.tensor([[[8.0], [0.0], [4.0]], [[0.0], [2.0], [-1.0]]])
    expected = torch.tensor([[[8.0], [4.0], [6.0]], [[0.0], [2.0], [0.0]]])
    hint = {
        "values": "Compute one step by hand: which two numbers make up y at t = 1?",
        "shape": "The signals come first, then the time, then d.",
    }
    assert_close(student.leaky_scan(list(signals), torch.tensor([0.5])), expected, scale=8.0, hint=hint)


@points(1, kind="shapes")
def test_ends(student):
    """After the end of a signal stand zeros, up to the length of the longest."""
    decay = 0.5 + torch.rand(2, dtype=F64)
    for lengths in ((3, 6, 1), (2, 5)):
        signals = [1 + torch.rand(n, 2, dtype=F64) for n in lengths]
        rows = [on_paper(decay.tolist(), x.tolist(), max(lengths)) for x in signals]
        expected = torch.tensor(rows, dtype=F64)
        hint = {
            "values": "Print y for signals of lengths 1 and 3. What stands after the end of the short one? Is the order right?",
            "shape": "How many steps does the longest signal have?",
        }
        what = f"the result for signals of lengths {', '.join(map(str, lengths))}"
        result = student.leaky_scan(signals, decay)
        assert_close(result, expected, scale=expected.abs().max(), precision=F32, what=what, hint=hint)


def after_backward(notebook, decay: Tensor, cotangent: Tensor, *signals: Tensor) -> list[Tensor | None]:
    """What ``backward`` leaves in the ``.grad`` of ``decay`` and of the signals."""
    leaves = [leaf.clone().requires_grad_() for leaf in (decay, *signals)]
    result = notebook.leaky_scan(leaves[1:], leaves[0])
    if result.requires_grad:
        result.backward(cotangent)
    return [leaf.grad for leaf in leaves]


def by_differences(student, tensors: list[Tensor], which: int, cotangent: Tensor) -> Tensor:
    """The gradient of one of ``[decay, *signals]``, as small steps of each of its numbers show it. Good to 0.001."""
    slopes = torch.zeros_like(tensors[which])
    for place in range(slopes.numel()):
        ends = []
        for step in (0.01, -0.01):
            moved = [tensor.clone() for tensor in tensors]
            moved[which].view(-1)[place] += step
            ends.append(assert_tensor(student.leaky_scan(moved[1:], moved[0])).double())
        slopes.view(-1)[place] = ((ends[0] - ends[1]) / 0.02 * cotangent).sum()
    return slopes


@points(1, kind="gradients")
def test_gradient(student):
    """The gradients of decay and of two signals of one length are what small differences of your results say."""
    tensors = [0.5 + torch.rand(2, dtype=F64), torch.randn(4, 2, dtype=F64), torch.randn(4, 2, dtype=F64)]
    cotangent = torch.randn(2, 4, 2, dtype=F64)
    gradients = student.run(after_backward, tensors[0], cotangent, *tensors[1:])
    for which, (name, gradient) in enumerate(zip(("decay", "signal 0", "signal 1"), gradients, strict=True)):
        if gradient is None:
            hint = "Is it used as it is, or a copy of it? And who records a write under no_grad, or through .data?"
            raise CheckFailed(f"the .grad of {name} is None after backward", hint=hint, slip="detached")
        expected = by_differences(student, tensors, which, cotangent)
        hint = "x at time 0 moves y at all later times, and decay takes part in each step. Does autograd see every step?"
        what = f"the .grad of {name}, beside small differences,"
        assert_close(gradient, expected, precision=torch.float16, what=what, hint={"values": hint})
