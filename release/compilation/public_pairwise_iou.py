"""Public checks: pairwise_iou. You may read and run them; `check("pairwise_iou")` does."""

from typing import Any

import torch
from torch import Tensor, fx

from torchgrade import CheckFailed, assert_close, assert_tensor, points
from torchgrade.checks.notes import rests_on_word

SHAPE = "The result has one row for each box of a, and one column for each box of b."
STOPS = "Which line needs a number that a tensor holds, while there are no numbers yet, or does what is not arithmetic?"
LOOPS = "What in your code is done once for each box, so that another number of boxes is another graph?"
MOST = 2
"""Graphs that are allowed: one for the first sizes, and one for all others."""


def compiled(notebook: Any, pairs: list[tuple[Tensor, Tensor]]) -> tuple[list[Tensor], int, str]:
    """What the compiled function gives for one pair after the other, the number of graphs, and where and why the compiler stops.

    The backend generates no code. With more than :data:`MOST` graphs the answer is known, and no more is compiled: a loop over
    boxes makes long graphs.
    """
    graphs = 0

    def backend(graph: fx.GraphModule, _: list[Any]) -> Any:
        nonlocal graphs
        graphs += 1
        return graph.forward

    torch.compiler.reset()
    function = torch.compile(notebook.pairwise_iou, backend=backend, fullgraph=True)
    results: list[Tensor] = []
    try:
        for a, b in pairs:
            results.append(function(a, b))
            if graphs > MOST:
                break
    except (torch._dynamo.exc.Unsupported, torch._dynamo.exc.UserError) as error:  # noqa: SLF001 - torch.compile raises these
        why, _, place = str(error).strip().partition("from user code:")
        lines = [line.strip() for line in place.strip().split("\n\n")[0].splitlines() if line.strip(" ^~")]
        at = f" at the line `{lines[-1]}`" if lines else ""
        return results, graphs, f"torch.compile stops{at}: {why.strip().partition(chr(10))[0]}"
    return results, graphs, ""


def assert_of_pairs(result, a: Tensor, b: Tensor) -> None:
    """Fail unless there is one number for each pair, in either order, and not the same one for all."""
    result = assert_tensor(result)
    n, m = len(a), len(b)
    if tuple(result.shape) not in ((n, m), (m, n)):
        raise CheckFailed(f"the result has shape {list(result.shape)}; expected [{n}, {m}]", hint=SHAPE, slip="shape")
    if bool((result == result.flatten()[0]).all()) or bool(result.isnan().all()):
        raise CheckFailed("the result has the same number everywhere, for boxes that all differ", slip="constant")


@points(1)
def test_by_hand(student):
    """Two boxes and three, with overlaps that you can count on squared paper."""
    a = torch.tensor([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]])
    b = torch.tensor([[0.0, 0.0, 2.0, 2.0], [1.0, 0.0, 1.0, 3.0], [1.0, 1.0, 2.0, 1.0]])
    hint = {
        "shape": SHAPE,
        "values": "Draw the first box of a and the third of b. How many squares do they share, and how many do they cover?",
    }
    expected = torch.tensor([[1.0, 2 / 5, 1 / 5], [1 / 7, 2 / 5, 1 / 2]])
    assert_close(student.pairwise_iou(a, b), expected, scale=4.0, hint=hint)


@points(0.5, kind="gradients")
def test_gradient_by_hand(student):
    """A box that grows or moves: the gradient is what you can work out on paper."""
    a = torch.tensor([[0.0, 0.0, 2.0, 2.0]], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([[1.0, -1.0, 2.0, 4.0]], dtype=torch.float64)
    result = assert_tensor(student.pairwise_iou(a, b))
    hint = "Which step leaves PyTorch, or asks for no gradient?"
    if not result.requires_grad:
        raise CheckFailed("the result is cut off from a: there is no gradient", hint=hint, slip="detached")
    (gradient,) = torch.autograd.grad(result.sum(), a, allow_unused=True)
    hint = {"values": "2 of 10 squares are shared. How do both numbers change if x, y, width or height of a grows a little?"}
    expected = torch.tensor([[0.24, 0.0, 0.2, 0.08]], dtype=torch.float64)
    assert_close(gradient, expected, what="the gradient of a", hint=hint)


def check_compiled(student, pairs: list[tuple[Tensor, Tensor]]) -> None:
    """Fail unless the compiled function needs two graphs at most, and gives what the function gives."""
    results, graphs, stopped = student.run(compiled, pairs)
    if stopped:
        raise CheckFailed(stopped, hint=STOPS)
    if graphs > MOST:
        text = f"{graphs} graphs are compiled for {len(results)} sizes; at most {MOST} are allowed"
        raise CheckFailed(text, hint=LOOPS)
    for (a, b), result in zip(pairs, results, strict=True):
        own = student.pairwise_iou(a, b)
        if len(a) * len(b) > 200:  # of a few pairs a wrong answer may have 0 for all by chance
            assert_of_pairs(own, a, b)
        assert_close(result, own, scale=4.0, what=f"the compiled function's result for {len(a)} and {len(b)} boxes")


@points(1, kind="operations")
def test_one_graph(student):
    """torch.compile finds one graph, without a break, for 2 and 3 boxes, and one more for all other numbers of boxes."""
    rests_on_word()
    a = torch.tensor([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]])
    b = torch.tensor([[0.0, 0.0, 2.0, 2.0], [1.0, 0.0, 1.0, 3.0], [1.0, 1.0, 2.0, 1.0]])
    assert_of_pairs(student.pairwise_iou(a, b), a, b)
    check_compiled(student, [(a, b), (b, a), (torch.cat([a, b]), b)])
