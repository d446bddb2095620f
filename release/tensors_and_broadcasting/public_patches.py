"""Public checks: patches. You may read and run them; `check("patches")` does."""

import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, assert_raises, assert_tensor, points


@points(1.5)
def test_by_hand(student):
    """An image of 3 rows and 4 columns has six patches of 2 rows and 2 columns."""
    image = torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]])
    first_row = [[[1, 2], [5, 6]], [[2, 3], [6, 7]], [[3, 4], [7, 8]]]
    second_row = [[[5, 6], [9, 10]], [[6, 7], [10, 11]], [[7, 8], [11, 12]]]
    hint = {
        "values": "result[1, 2] is the patch that begins in row 1 and column 2: it reads [[7, 8], [11, 12]].",
        "shape": "There are 2 x 3 places for a patch, and a patch has 2 x 2 numbers.",
    }
    assert_close(student.patches(image, 2), torch.tensor([first_row, second_row], dtype=torch.float32), ulps=0, hint=hint)


def written_later(notebook, image: Tensor, number: float) -> Tensor:
    """Cut the patches first, then fill the image with a number: the patches as they are now."""
    result = notebook.patches(image, 2)
    image.fill_(number)
    return result


@points(1.5, kind="inputs")
def test_view(student):
    """What is written into the image after the call shows in the patches."""
    number = torch.rand(()).item()
    result = assert_tensor(student.run(written_later, torch.randn(5, 6), number))
    if result.dim() != 4 or not result.numel():
        raise CheckFailed(f"the result has shape {list(result.shape)}; expected four dimensions: two of places, two of a patch")
    what = "the result, after the image was filled with one number"
    hint = "The patches still hold old numbers, so they are a copy. Which operations only look at the memory in another way?"
    assert_close(result, torch.full_like(result, number), ulps=0, what=what, hint=hint)


@points(1, kind="errors")
def test_too_small(student):
    """An image too small for a single patch is an error, and one that just has room for a patch is not."""
    for height, width, size, stride, dilation in (
        (2, 5, 3, 1, 1),
        (5, 2, 3, 1, 1),
        (3, 5, 4, 2, 1),
        (4, 6, 3, 1, 2),
        (6, 4, 3, 2, 2),
    ):
        reach = (size - 1) * dilation + 1
        because = f"a patch reaches over {reach} rows and columns, and the image has {height} rows and {width} columns"
        hint = "Compare both sides of the image with what a patch reaches over. With a dilation, that is more than size."
        assert_raises(student.patches, torch.randn(height, width), size, stride, dilation, because=because, hint=hint)
    for side in (3, 4):
        assert_tensor(student.patches(torch.randn(side, side), side))
