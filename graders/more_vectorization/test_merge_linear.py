"""Hidden checks: merge_linear.

`test_values`, `test_shapes` and the public checks judge which column meets which number, how often the bias counts, and which
shapes and sizes work. The others take these as `form_of` finds them in the student's function, so that each is billed once.
"""

from typing import NamedTuple

import torch
from torch.nn.functional import linear

from torchgrade import (
    assert_close,
    assert_dtype,
    assert_gradients,
    assert_inputs_untouched,
    assert_memory,
    points,
    race,
)
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.raised import hint_where_raised

from . import probes_merge_linear as probes

F32, F64 = torch.float32, torch.float64
FIRST = "The numbers first: one vector of each kind, and a weight whose columns one can tell apart."


class Form(NamedTuple):
    """Whose numbers the first columns of weight meet, how often the bias counts, and where that is so. The default is right."""

    first: str = "a"
    biases: float = 1
    plain: bool = True  # where a and b have equally many rows
    growing: bool = True  # where the result has more rows than either
    sizes: tuple[int, int, int] = (2, 3, 4)  # n, m and out

    def __call__(self, a, b, weight, bias=None):
        """What is right: each pair side by side. Differentiable."""
        shape = torch.broadcast_shapes(a.shape[:-1], b.shape[:-1])
        pair = [a.expand(*shape, -1), b.expand(*shape, -1)]
        result = linear(torch.cat(pair if self.first == "a" else pair[::-1], -1), weight)
        return result if bias is None else result + self.biases * bias

    def draw(self, a, b, dtype=F64):
        """Vectors in these shapes, weight and bias."""
        n, m, out = self.sizes
        return draw((*a, n), (*b, m), out, dtype)

    def example(self):
        """Inputs for which the form was found."""
        return self.draw((4,), (4,)) if self.plain else self.draw((4, 1), (1, 5))

    def shapes(self):
        """Those of the shapes that are tried elsewhere in which it may be right."""
        return [*(PLAIN if self.plain else ()), *(GROWING if self.growing else ())]


RIGHT = Form()
PLAIN = [((6,), (6,)), ((5,), (5,))]
GROWING = [((3, 1), (1, 5)), ((), (3,)), ((4, 1), (3,)), ((3,), (2, 1, 3))]
SIZES = ((2, 3, 4), (3, 3, 4), (2, 3, 1))  # weight cut in the middle; `if bias`, which one number allows


def draw(a, b, out, dtype=F64):
    """Vectors of these shapes, weight and bias."""
    shapes = (a, b, (out, a[-1] + b[-1]), (out,))
    return tuple(torch.randn(shape, dtype=dtype) for shape in shapes)


def form_of(student):
    """The form in which the student's function is right; the right one, if there is none."""
    for sizes in SIZES:
        found = []
        for plain in (True, False):
            forms = [Form(first, biases, plain, not plain, sizes) for biases in (1, 2, 0, -1) for first in ("a", "b")]
            inputs = forms[0].example()
            try:
                result = student.merge_linear(*inputs)
            except StudentFault:
                continue
            found += [form for form in forms if _is_near(result, form(*inputs))]
        if found:
            return found[0]._replace(growing=len(found) == 2 or not found[0].plain)
    return RIGHT


def _is_near(result, expected):
    if not isinstance(result, torch.Tensor) or not result.is_floating_point() or result.shape != expected.shape:
        return False
    return bool(((result.double() - expected).abs() < 1e-3).all())


def compare(student, form, *inputs, what="the result", hint=FIRST, precision=F32):
    """Fail unless the result is right."""
    result = student.merge_linear(*inputs)
    size = sum(x.shape[-1] for x in inputs[:2])
    assert_close(result, form(*(x.double() for x in inputs)), scale=10.0 + size, precision=precision, what=what, hint=hint)
    return result


@points(1.5)
def test_values(student):
    """Right for vectors of every length, also where both have the same, in float32 and float64."""
    hint = {
        "values": "Which columns of weight belong to a, and which to b? How often is the bias added?",
        "factor": "Is everything counted once, the bias too?",
    }
    for n, m in ((2, 5), (5, 2), (4, 4), (1, 3), (6, 1)):
        for dtype in (F32, F64):
            inputs = draw((7, n), (7, m), 3, dtype)
            with hint_where_raised("n and m may differ. Where in weight do the columns of a end?"):
                result = compare(student, RIGHT, *inputs, precision=dtype, hint=hint)
            assert_dtype(result, dtype)


SHAPES = (
    ((3, 1), (1, 5)),
    ((), (3,)),
    ((5, 3), ()),
    ((4, 1), (3,)),
    ((3,), (2, 1, 3)),
    ((), ()),
    ((1, 1), (1,)),
)


@points(1, kind="shapes")
def test_shapes(student):
    """Shapes are broadcast as those of a sum, also where there are different numbers of dimensions, or none but the last."""
    form = form_of(student)
    hint = {
        "shape": "The result has the shape of a sum of a[..., 0] and b[..., 0], and one dimension more.",
        "values": "Which vector of a meets which vector of b? Compare with a[..., :1] + b[..., :1].",
    }
    for a, b in SHAPES:
        inputs = form.draw(a, b)
        what = f"the result for shapes {list(inputs[0].shape)} and {list(inputs[1].shape)}"
        with hint_where_raised("Which step needs as many dimensions in a as in b, or as many rows? A sum does not."):
            compare(student, form, *inputs, what=what, hint=hint)


@points(0.5, kind="shapes")
def test_empty(student):
    """Each size may be 0: no rows, no numbers in a or in b, no outputs."""
    form = form_of(student)
    compare(student, form, *form.example())
    n, m, out = form.sizes
    plain = [((0, n), (0, m), out), ((0, 3, n), (0, 3, m), out), ((4, n), (4, m), 0)]
    growing = [((3, 1, n), (0, m), out), ((4, 1, 0), (3, m), out), ((4, 1, n), (3, 0), out)]
    for a, b, outputs in [*(plain if form.plain else ()), *(growing if form.growing else ())]:
        with hint_where_raised("A size is 0. A -1 that reshape should work out may be any number then. Is it needed?"):
            what = f"the result for shapes {list(a)} and {list(b)}"
            compare(student, form, *draw(a, b, outputs), what=what, hint={"shape": "A size of 0 stays a size of 0."})


@points(1.5, kind="gradients")
def test_gradients(student):
    """The gradients of all four are right, with and without broadcasting."""
    form = form_of(student)
    hint = {
        "values": "Inputs 1 to 4 are a, b, weight and bias. One vector of a meets many of b: their gradients add up.",
        "detached": "Inputs 1 to 4 are a, b, weight and bias. Which line does autograd not see?",
    }
    inputs = [form.draw(*shapes) for shapes in form.shapes()]
    for each in inputs:
        for number, tensor in enumerate(each):
            tensor.requires_grad_(number < 3 or bool(form.biases))
    assert_gradients(student.merge_linear, reference=form, inputs=inputs, scale=50.0, precision=F32, hint=hint)


@points(0.5, kind="inputs")
def test_inputs_untouched(student):
    """a, b, weight and bias are the same after the call."""
    form = form_of(student)
    compare(student, form, *form.example())
    for a, b in form.shapes():
        hint = "Whose memory is written into? += changes the tensor itself, and so does what ends with _."
        assert_inputs_untouched(student.merge_linear, *form.draw(a, b), hint=hint)


@points(1.5, kind="memory")
def test_memory(student):
    """256 x 256 pairs of 192 numbers each take at most 4 times the memory of the reference solution."""
    form = form_of(student)
    compare(student, form, *form.example())
    *inputs, bias = probes.drawn(0)
    result = assert_memory(
        student.merge_linear,
        *inputs,
        bias,
        at_most_times=4.0,  # pairs that are written down: 10 times, with repeat 20 times
        warm_up=draw((3, 1, 2), (1, 4, 2), 2, F32),
        hint="65536 pairs of 384 numbers are 100 MB. Which of these numbers are copies, and what is computed again for each?",
    )
    assert_close(result, form(*inputs, bias), scale=400.0)


@points(1, kind="speed")
def test_speed(student):
    """256 x 256 pairs of 192 numbers each take at most 8 times as long as in the reference solution."""
    form = form_of(student)
    compare(student, form, *form.example())

    def right(result, seed, some):
        a, b, weight, bias = (x.double() for x in probes.drawn(seed))
        expected = Form(form.first, form.biases)(a[some], b, weight, bias)
        if not bool(((result.double() - expected).abs() < 1e-2).all()):  # else that of the reference
            assert_close(result, RIGHT(a[some], b, weight, bias), scale=400.0)

    race(
        student.probe(probes.merged_from_seed),
        make_inputs=lambda: (int(torch.randint(2**31, ())), torch.randint(probes.PAIRS, (4,))),
        verify=right,
        at_most=8.0,  # right answers take 0.8 to 2.7 times as long; products of every copy 35 times, written down 140 times
        hint="Which products are computed many times, with the same numbers?",
    )
