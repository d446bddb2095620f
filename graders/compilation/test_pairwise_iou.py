"""Hidden checks: pairwise_iou.

Each slip is judged once where that can be. Only test_values and test_by_hand ask for the orientation of the result (`upright`);
only test_apart draws boxes that do not overlap. What is compiled, and what is half precision, is held against the student's own
result for the same numbers, so that a wrong one is not billed there again.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_gradients, assert_shape, assert_tensor, points
from torchgrade.checks.notes import rests_on_word

from .public_pairwise_iou import SHAPE, assert_of_pairs, check_compiled

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64


def draw(count, dtype=F32):
    """Boxes that all overlap each other: each has the point (1, 1) well inside."""
    low, high = 0.9 * torch.rand(count, 2, dtype=F64), 1.1 + torch.rand(count, 2, dtype=F64)
    return torch.cat([low, high - low], dim=1).to(dtype)


def right(a, b):
    """The specification, pair by pair, differentiable, in the dtype of the boxes."""
    rows = []
    for xa, ya, wa, ha in a:
        row = []
        for xb, yb, wb, hb in b:
            across = torch.minimum(xa + wa, xb + wb) - torch.maximum(xa, xb)
            down = torch.minimum(ya + ha, yb + hb) - torch.maximum(ya, yb)
            shared = across.clamp(min=0) * down.clamp(min=0)
            row.append(shared / (wa * ha + wb * hb - shared).clamp(min=1e-5))
        rows.append(torch.stack(row))
    return torch.stack(rows)


def upright(student):
    """The student's function; if it gives the transpose, with that undone. Values have been billed for it."""
    result = student.pairwise_iou(draw(2), draw(3))
    if isinstance(result, torch.Tensor) and result.shape == (3, 2):
        return lambda a, b: student.pairwise_iou(a, b).T
    return student.pairwise_iou


@points(1)
def test_values(student):
    """Boxes that overlap, for equally many and for different numbers of boxes."""
    hint = {
        "shape": SHAPE,
        "transposed": SHAPE,
        "values": "Take one box on squared paper, twice. How many squares do both share, and how many do they cover?",
    }
    for sizes in ((4, 4), (3, 7), (6, 2), (1, 5), (1, 1)):
        a, b = (10 * draw(count) for count in sizes)  # large beside 1e-5, which test_empty is about
        assert_close(student.pairwise_iou(a, b), right(a.double(), b.double()), scale=4.0, hint=hint)


@points(1.5)
def test_apart(student):
    """Boxes that lie apart, in one direction or in both, have 0."""
    function, centre = upright(student), draw(3)
    assert_of_pairs(function(centre, draw(4)), centre, centre[[0, 1, 2, 0]])
    hint = "How long is an overlap from 3 to 1? And what is the product of two such lengths?"
    for name, move in (("beside", (4.0, 0.0)), ("below", (0.0, 4.0)), ("beside and below", (4.0, 3.0))):
        for sign in (1, -1):
            moved = draw(4)
            moved[:, :2] += sign * torch.tensor(move)
            what = f"the result for boxes that lie {name} the others"
            assert_close(function(centre, moved), torch.zeros(3, 4), what=what, hint=hint)


@points(1.5, kind="stability")
def test_empty(student):
    """Empty boxes give 0, with gradients that are finite; the union of tiny ones counts as 1e-5."""
    function = upright(student)
    empty = draw(1, F64).repeat(3, 1)
    empty[:, 2:] = 0
    hint = {
        "nan": "0 / 0 is nan. At least how large is the union, by the task?",
        "values": "How long is an overlap that ends where it begins?",
    }
    assert_close(function(empty.float(), empty.float()), torch.zeros(3, 3), what="the result for empty boxes", hint=hint)
    side = 1e-3 * (1 + torch.rand(4, dtype=F64))
    tiny = torch.cat([torch.zeros(4, 2, dtype=F64), side[:, None], side[:, None]], dim=1)
    shared = torch.minimum(side[:, None], side) ** 2
    hint = {"values": "These unions are smaller than 1e-5. Which number divides then, exactly?"}
    assert_close(function(tiny, tiny), shared / 1e-5, precision=F32, what="the result for boxes of 0.001 to 0.002", hint=hint)
    for name, boxes in (("empty boxes", empty), ("boxes without a width", empty + torch.tensor([0.0, 0.0, 0.0, 1.0]))):
        a = boxes.clone().requires_grad_()
        result = assert_tensor(function(a, boxes))
        if not result.requires_grad:
            return  # the checks of gradients say so
        (gradient,) = torch.autograd.grad(result.sum(), a, allow_unused=True)
        if gradient is not None and not bool(gradient.isfinite().all()):
            hint = "torch.where computes both sides, and differentiates both. What is the gradient of the side that is not taken?"
            raise CheckFailed(f"the gradient for {name} has nan or infinities in it", hint=hint, slip="nan")


@points(0.5, kind="shapes")
def test_none(student):
    """No boxes give a result without rows, or without columns."""
    function = upright(student)
    for sizes in ((0, 3), (4, 0), (0, 0)):
        a, b = (draw(count) for count in sizes)
        assert_shape(function(a, b), sizes, hint="How many pairs are there, and how many rows and columns?")


@points(1.5, kind="dtypes")
def test_half(student):
    """float16 and bfloat16 boxes, also those of 600 x 600, give what the same numbers give in float32, as float32."""
    hint = {
        "nan": "The largest number of float16 is 65504. How large is the area of a box of 600 x 600?",
        "values": "The numbers of the boxes are exact. Which step rounds to the precision of half, and when?",
    }
    for size, dtype in ((600.0, F16), (600.0, BF16), (1.0, F16), (1.0, BF16)):
        a, b = (draw(12) * size).to(dtype), (draw(12) * size).to(dtype)
        what = f"the result for {str(dtype).removeprefix('torch.')} boxes of up to {2 * size:g}"
        own = assert_tensor(student.pairwise_iou(a.float(), b.float()))
        assert_of_pairs(own, a, b)
        result = student.pairwise_iou(a, b)
        assert_close(result, own, precision=dtype, what=what, hint=hint)
        assert_dtype(result, F32, what=what, hint="What is computed in float32 need not be rounded afterwards.")
        assert_close(result, own, scale=4.0, what=f"{what}, beside that for float32 boxes,", hint=hint)


@points(0.5, kind="dtypes", needs=test_values)
def test_dtype(student):
    """float32 stays float32; float64 stays float64, and is as exact."""
    function = upright(student)
    for dtype in (F32, F64):
        a, b = draw(3, dtype), draw(5, dtype)
        result = function(a, b)
        assert_dtype(result, dtype, hint="On which line is another dtype made?")
        hint = "float64 shows what float32 hides: a detour through float32, or a small number that was added."
        assert_close(result, right(a.double(), b.double()), precision=dtype, scale=4.0, hint=hint)


@points(1, kind="gradients")
def test_gradients(student):
    """The gradients of both kinds of boxes are right."""
    hint = {
        "detached": "Which step leaves PyTorch, or asks for no gradient?",
        "values": "Which numbers of a box change the overlap, and which change the union?",
    }
    inputs = [(draw(n, F64).requires_grad_(), draw(m, F64).requires_grad_()) for n, m in ((3, 5), (4, 2))]
    assert_gradients(upright(student), reference=right, inputs=inputs, hint=hint)


@points(2, kind="operations")
def test_sizes(student):
    """Five sizes need at most two graphs of torch.compile, one of them for any size, and both give what your function gives."""
    rests_on_word()
    check_compiled(student, [(draw(n), draw(m)) for n, m in ((3, 2), (4, 3), (5, 6), (20, 13), (31, 2))])
