"""Public checks: add_into. You may read and run them; `check("add_into")` does."""

import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, assert_raises, assert_shape, assert_tensor, points
from torchgrade.checks.notes import rests_on_word


def page_after(notebook, page: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Let ``add_into`` write into ``page[1]``, and look at the whole page."""
    page = page.clone()  # what came over the wall cannot be resized, and hides whether somebody tries
    notebook.add_into(page[1], a, b)
    return page


def written_through(notebook, page: Tensor, a: Tensor, b: Tensor, numbers: Tensor) -> tuple[bool, Tensor]:
    """Write numbers through what ``add_into`` returns; say whether that is ``out``, and show the page."""
    page = page.clone()
    out = page[1]
    result = notebook.add_into(out, a, b)
    result.reshape(-1)[: numbers.numel()].copy_(numbers.reshape(-1))
    return result is out, page


def into_zeros(notebook, size: list[int], a: Tensor, b: Tensor) -> None:
    """Let ``add_into`` write into zeros of this size."""
    notebook.add_into(torch.zeros(size), a, b)


@points(1.5)
def test_by_hand(student):
    """[[0], [10]] + [1, 2, 3] lands in the memory of out, and nowhere else."""
    page = torch.full((3, 2, 3), -1.0)
    after = student.run(page_after, page, torch.tensor([[0.0], [10.0]]), torch.tensor([1.0, 2.0, 3.0]))
    if torch.equal(assert_tensor(after), page):
        raise CheckFailed(
            "the memory of out is as it was before the call",
            hint="In whose memory does the sum lie? out = ... only gives the name to another tensor, and writes nothing.",
            slip="inputs",
        )
    expected = page.clone()
    expected[1] = torch.tensor([[1.0, 2.0, 3.0], [11.0, 12.0, 13.0]])
    assert_close(after, expected, scale=20.0, what="the memory of out (row 1) and around it")


@points(1, kind="inputs")
def test_returned(student):
    """What comes back is out itself."""
    rests_on_word()
    page, a, b = torch.zeros(3, 2, 3), torch.randn(2, 1), torch.randn(3)
    hint = {"type": "Does your function return something on every path?"}
    assert_shape(student.add_into(page[1], a, b), (2, 3), hint=hint)
    numbers = torch.randn(2, 3)
    same, after = student.run(written_through, page, a, b, numbers)
    if same and not torch.equal(after[1], numbers):
        raise CheckFailed(
            "out has other memory after the call than before",
            hint="Whose memory does out have now? The tensors that shared its old memory do not see the sum.",
            slip="inputs",
        )
    what = "the memory of out (new numbers were written into what your function returns)"
    assert_close(after[1], numbers, ulps=0, what=what, hint="Is what you return a copy of out, or a tensor of its own?")
    if not same:
        raise CheckFailed(
            "what comes back has the memory of out, but is another tensor object", hint="Return out, not a view of it."
        )


@points(1.5, kind="errors", needs=test_by_hand)
def test_errors(student):
    """A sum that does not broadcast to the shape of out is an error."""
    for out, a, b in (
        ((4, 1), (4, 1), (4,)),
        ((1, 3, 1), (1, 3, 1), (3, 1, 7)),
        ((2, 6), (3, 4), (4,)),
        ((3,), (3,), (1, 1)),
    ):
        total = list(torch.broadcast_shapes(a, b))
        because = f"a + b has shape {total}, which does not broadcast to the shape of out, {list(out)}"
        hint = {"raised": f"Try torch.zeros({total}).expand({list(out)}). How does your code notice the same?"}
        assert_raises(student.probe(into_zeros), list(out), torch.randn(a), torch.randn(b), because=because, hint=hint)
