"""Hidden checks: unit.

Most checks send vectors, so that a forgotten keepdim shows in `test_dim` and `test_rows` only. An entry of the result is at most
1, which is the scale of its rounding error; `assert_close` allows 32 units of rounding, or 3.8e-6 in float32.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_gradients, assert_inputs_untouched, assert_tensor, points
from torchgrade.checks.faults import StudentFault

F32, F64 = torch.float32, torch.float64


def entries(*shape, size=1.0, dtype=F32):
    """Entries between 0.7 and 1.3 times the size, with random signs."""
    numbers = size * (0.7 + 0.6 * torch.rand(shape, dtype=F64)) * (2 * torch.randint(2, shape) - 1)
    return numbers.to(dtype)


def unit(x, dim=-1):
    """What is right, in float64: scaled first, since squares leave the range of float64, too."""
    scaled = x.double() / x.detach().double().abs().amax(dim, keepdim=True)
    return scaled / scaled.square().sum(dim, keepdim=True).sqrt()


def gradient_of(student, x, cotangent):
    """The gradient that the student's function gives; None where there is none: other checks say so."""
    x = x.clone().requires_grad_()
    try:
        result = assert_tensor(student.unit(x))
        return torch.autograd.grad(result, x, cotangent.to(result.dtype), allow_unused=True)[0]
    except (StudentFault, RuntimeError):  # RuntimeError: the result needs no gradient
        return None


def is_right(student, x):
    """Whether the student's result for a vector is right; if it is not, that is for the checks of vectors to say."""
    try:
        assert_close(student.unit(x), unit(x))
    except (CheckFailed, StudentFault):
        return False
    return True


@points(2)
def test_dim(student):
    """The norm is taken along dim and no other dimension, for any rank and memory layout."""
    lost = "A square matrix hides it: along which dimension do the norms broadcast, once dim is reduced?"
    which = "Does each reduction, and each division by what it gives, go along dim?"
    vector = entries(6)
    assert_close(student.unit(vector), unit(vector), what="the result for a vector")
    square = entries(4, 4) * torch.tensor([1.0, 2.0, 4.0, 8.0]) * torch.tensor([[1.0], [3.0], [9.0], [27.0]])
    assert_close(student.unit(square), unit(square), what="the result for a square matrix without dim", hint=lost)
    for dim in (0, 1, -2):
        what = f"the result for a square matrix along dim={dim}"
        assert_close(student.unit(square, dim), unit(square, dim), what=what, hint=which)
    for x, dims in ((entries(3, 4, 5), (0, 1, 2, -1, -2, -3)), (entries(2, 3, 1, 4), (0, 1, 2, 3)), (entries(6), (0, -1))):
        for dim in dims:
            what = f"the result for shape {list(x.shape)} along dim={dim}"
            assert_close(student.unit(x, dim), unit(x, dim), what=what, hint=which)
    layouts = {
        "a transposed matrix": entries(5, 3).T,
        "every second column": entries(4, 6)[:, ::2],
        "permuted dimensions": entries(2, 3, 4).permute(2, 0, 1),
    }
    for name, x in layouts.items():
        for dim in (0, -1):
            assert_close(student.unit(x, dim), unit(x, dim), what=f"the result for {name} along dim={dim}", hint=which)


@points(2)
def test_rows(student):
    """A row of a matrix gets what it would get alone, whatever its neighbours are: numbers and gradients."""
    sizes = torch.tensor([[1e-9], [1.0], [1e15], [1e3]])
    vector = entries(6)
    assert_close(student.unit(vector), unit(vector), what="the result for a vector")
    x = entries(4, 6) * sizes
    alone = "Each row has a size of its own. What of another row comes in?"
    hint = {"values": alone, "nan": alone}
    assert_close(student.unit(x), unit(x), what="the result for rows of 1e-9, 1, 1e15 and 1e3", hint=hint)
    for name, value in (("a row of zeros", 0.0), ("a row with a nan", torch.nan)):
        x = entries(4, 6)
        others = torch.arange(4) != 2
        x[2] = value
        what = f"the result for the neighbours of {name}"
        result = assert_tensor(student.unit(x), what=what)
        if result.shape == x.shape:
            result = result[others]
        assert_close(result, unit(x[others]), what=what, hint=hint)
    x = entries(3, 6, dtype=F64) * torch.tensor([[1e-140], [1.0], [1e140]], dtype=F64)
    if all(is_right(student, row) for row in x):
        assert_close(student.unit(x), unit(x), what="the result for float64 rows of 1e-140, 1 and 1e140", hint=alone)
    x, cotangent = entries(3, 5, dtype=F64), torch.randn(3, 5, dtype=F64)
    together = gradient_of(student, x, cotangent)
    own = [gradient_of(student, *row) for row in zip(x, cotangent, strict=True)]
    if together is None or any(each is None for each in own):
        return
    hint = "A row's gradient depends on that row only. Along which dimension does the backward pass add up?"
    what = "the gradient of a matrix (beside the gradients of its rows alone)"
    assert_close(together, torch.stack(own), scale=4.0, what=what, hint=hint)


@points(1, kind="dtypes")
def test_float64(student):
    """float32 stays float32; float64 stays float64, is as exact, and has its range from 1e-300 to 1e300."""
    for dtype in (F32, F64):
        assert_dtype(student.unit(entries(5, dtype=dtype)), dtype, hint="On which line is another dtype made?")
    hint = "float64 has a range as well: 1e300 squared is infinite there, too, and 1e-300 squared is 0."
    infinite = "Is float64 ever turned into float32? If not, what becomes infinite, or 0, on the way?"
    factor = "All entries are off by the same factor. Which norm is it that you divide by?"
    hints = {"values": hint, "factor": factor, "nan": infinite}
    for size in (1e300, 1e-300, 1e200, 1e-200):
        x = entries(5, size=size, dtype=F64)
        assert_close(student.unit(x), unit(x), precision=F64, what=f"the result for float64 entries near {size:g}", hint=hints)
    x = entries(5, dtype=F64)
    hint = "float64 shows what float32 hides: a detour through float32, or a small number that was added."
    assert_close(student.unit(x), unit(x), precision=F64, what="the result for ordinary float64 entries", hint=hint)


@points(1, kind="stability")
def test_zero(student):
    """A vector of zeros gives zeros, with a finite gradient."""
    x = entries(4)
    assert_close(student.unit(x), unit(x), what="the result for ordinary entries")
    x = torch.zeros(4)
    hint = "A vector of zeros has the norm 0. What could it be divided by instead?"
    assert_close(student.unit(x), x, what="the result for zeros", hint={"values": hint, "nan": hint})
    for other in (torch.tensor([1.0, -1.0]), torch.tensor([2.0, -3.0, 1.0, 0.0])):
        hint = {"values": "The entries of this vector add up to 0, and it is not a vector of zeros."}
        assert_close(student.unit(other), unit(other), what=f"the result for {other.tolist()}", hint=hint)
    gradient = gradient_of(student, x, torch.randn(4))
    if gradient is not None and not bool(gradient.isfinite().all()):
        text = f"the gradient at a vector of zeros is {gradient.tolist()}; any finite numbers would be right"
        hint = (
            "Going backward, every operation takes part, also one whose result was thrown away or is 0, and 0 * nan is nan. "
            "What does each of them see at a vector of zeros?"
        )
        raise CheckFailed(text, hint=hint, slip="values")


@points(1, kind="stability")
def test_nan(student):
    """A nan anywhere in a vector makes all of its result nan."""
    x = entries(5)
    assert_close(student.unit(x), unit(x), what="the result for ordinary entries")
    for place in (0, 2, 4):
        x = entries(5)
        x[place] = torch.nan
        hint = "Who finds the nan if its norm is a number? nan > 0 is False, too."
        assert_close(student.unit(x), torch.full((5,), torch.nan), what="the result for a vector with a nan", hint=hint)


@points(0.5, kind="gradients")
def test_gradient_sizes(student):
    """Entries of 1e25 and 1e-25 have a right gradient in float32."""
    beyond = "What is squared, going forward and backward? Neither 1e25 squared nor 1e-25 squared is a float32."
    hint = {"nan": beyond, "constant": beyond}
    for size in (1e25, 1e-25):
        inputs = [(entries(6, size=size).requires_grad_(),) for _ in range(2)]
        # 1e-4 relative to 1 / size, the natural size of the gradient
        assert_gradients(student.unit, reference=unit, inputs=inputs, precision=F32, ulps=840, scale=1 / size, hint=hint)


@points(0.5, kind="inputs")
def test_inputs_untouched(student):
    """The input is the same after the call."""
    x = entries(6)
    assert_close(student.unit(x), unit(x), what="the result for ordinary entries")
    for x in (entries(6), entries(5, dtype=F64), entries(12)[::2], entries(1).expand(4)):
        assert_inputs_untouched(student.unit, x)
