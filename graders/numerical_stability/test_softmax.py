"""Hidden checks: softmax.

A probability is at most 1 and so is the natural scale of its error; `assert_close` allows 32 units of rounding of it.

What asks for a property, not for digits, allows for a small constant in the denominator (`LOOSE`), or compares the function with
itself where others say whether that is right.
"""

import pytest
import torch

from torchgrade import (
    CheckFailed,
    assert_close,
    assert_constant_operations,
    assert_dtype,
    assert_gradients,
    assert_inputs_untouched,
    points,
    race,
)
from torchgrade.checks.assertions import assert_device
from torchgrade.checks.notes import rests_on_word

from . import probes
from .inputs import (
    BF16,
    F16,
    F32,
    F64,
    SHAPES,
    SIZES,
    autocast_or_not,
    far_apart,
    mild_rows,
    name_of,
    nearly_tied,
    row_by_row,
    tied,
    unlike_rows,
)


def softmax(logits, dim=-1):
    """The reference, in float64."""
    return torch.softmax(logits.double(), dim)


LOOSE = 2**12
"""Units of rounding where digits are not asked for: 5e-4."""


def sensible(student):
    """Fail unless plain logits give probabilities, to three digits: the hints of the other checks are for those who get here."""
    logits = 2 * torch.rand(6, 11) - 1  # a shape of its own: what is remembered by shape is found elsewhere
    assert_close(student.softmax(logits, -1), softmax(logits), ulps=LOOSE, what="the result for plain logits")


_NAN = {"nan": "exp of a large number is infinite: which shift of a row changes no probability?"}
_LOOP = "Reductions take dim=..., and broadcasting does the rest: no for over rows."
_OVERFLOW = {
    "nan": "exp of a large positive number is infinite, and a sum of exps may be 0. Which shift makes sure of neither?",
    "values": "A shift is free: it changes no probability. Which one keeps the largest exponent of each row exactly 0?",
}


@points(0.5)
def test_values(student):
    """Logits of ordinary size give the formula's probabilities, whatever was asked before."""
    for call in ("first", "second", "third"):
        logits = 3 * torch.randn(5, 7)
        logits[0, 0] += 30  # a probability of 1
        hint = "The formula and nothing else, and each call from its own logits."
        assert_close(student.softmax(logits, -1), softmax(logits), what=f"the {call} result", hint=hint)


@points(0.5, kind="dtypes")
def test_float64(student):
    """float64 logits are computed with in float64."""
    sensible(student)
    hint = "float64 shows what float32 hides: a rounding to float32 on the way, or a small constant that the formula has not."
    logits = 3 * torch.randn(5, 7, dtype=F64)
    assert_close(student.softmax(logits, -1), softmax(logits), precision=F64, hint=hint)


@points(1, kind="stability")
def test_huge_logits(student):
    """Logits of any size give probabilities: 1e30, in float64 1e300, in float16 60000, of either sign; -1e10 beside -inf."""
    sensible(student)
    for dtype, size in SIZES:
        for logits in row_by_row(far_apart(size, dtype)):
            assert_close(student.softmax(logits, -1), softmax(logits), ulps=LOOSE, hint=_OVERFLOW)
    far_below = torch.tensor([[-torch.inf, -1e10, -1e10], [-1e10, -torch.inf, -1e10]])
    hint = "-inf is below every number. Was it replaced by one that other logits may be below?"
    result = student.softmax(far_below, -1)
    hints = {**_OVERFLOW, "values": hint}
    assert_close(result, softmax(far_below), ulps=LOOSE, what="the result for -inf beside -1e10", hint=hints)
    for logits in (nearly_tied(F32)[1], nearly_tied(F64)[1]):
        what = "the result for logits around -10000"
        assert_close(student.softmax(logits, -1), student.softmax(logits - logits[0, 0], -1), what=what, hint=_OVERFLOW)


@points(0.5, kind="stability")
def test_nearly_tied_logits(student):
    """Logits around 10000 that differ by little are as exact as small ones; equal ones of 1e30 share alike."""
    sensible(student)
    hint = "float32 has 7 digits, so 10001.7 has 3 behind the point. Subtract before anything else is rounded to that."
    for logits in (nearly_tied(F32)[0], nearly_tied(F64)[0]):
        small = student.softmax(logits - logits[0, 0], -1)  # the difference is exact
        assert_close(student.softmax(logits, -1), small, hint={"values": hint, **_NAN})
    logits = tied()
    assert_close(student.softmax(logits, -1), softmax(logits), ulps=LOOSE, hint={"values": hint, **_NAN})


@points(0.5, kind="stability")
def test_rows_of_different_size(student):
    """A small row is right beside rows of 10000 and -10000."""
    sensible(student)
    logits = unlike_rows()
    hint = "A shift that suits one row can make another one overflow or vanish. Does every row have its own?"
    assert_close(student.softmax(logits, -1), softmax(logits), ulps=LOOSE, hint={"nan": hint, "values": hint})


@points(0.5, kind="shapes")
def test_every_dim(student):
    """Tensors of one to five dimensions, some of size 1, work along every dim, negative ones too."""
    sensible(student)
    hint = "Is any dimension assumed to be the last one, or the number of dimensions to be two?"
    for shape in SHAPES:
        logits = torch.randn(shape)
        for dim in range(-len(shape), len(shape)):
            what = f"the result along dim {dim} of {len(shape)}"
            assert_close(student.softmax(logits, dim), softmax(logits, dim), ulps=LOOSE, what=what, hint=hint)
    logits = mild_rows()
    what = "the result for rows of about 70 and -70, in three dimensions,"
    hint = "Where there are more dimensions than two, does each row have a maximum of its own?"
    assert_close(student.softmax(logits, -1), softmax(logits), ulps=LOOSE, what=what, hint={"nan": hint, "values": hint})


@points(0.5, kind="shapes")
def test_memory_layout(student):
    """Transposed, sliced and expanded logits work as well as contiguous ones."""
    sensible(student)
    hint = "view() and raw memory order need contiguous tensors. A transposed one is not."
    logits = torch.randn(6, 8)
    for strided in (logits.T, logits[:, ::2], logits[::2].T, logits[:, None].expand(6, 3, 8), logits[0].expand(4, 8)):
        # Compared with its own result for contiguous memory: whether that is right, others say.
        assert_close(student.softmax(strided, -1), student.softmax(strided.contiguous(), -1), hint=hint)


@points(0.5, kind="shapes")
def test_empty_batch(student):
    """A batch with no rows gives an empty result, and a single class has probability 1."""
    sensible(student)
    for shape, dim in (((0, 5), -1), ((3, 0, 4), -1), ((4, 1), -1), ((1, 3), 0)):
        logits = torch.randn(shape)
        assert_close(student.softmax(logits, dim), softmax(logits, dim), ulps=LOOSE)


_SUM = "Each probability depends on every logit of its row, through the sum. Is any of that cut off, or forgotten?"

_KEPT = "The gradient of an earlier call was right. Is anything kept from one call for the next?"


@points(0.5, kind="gradients")
def test_gradient(student):
    """The gradient is right, and that of a second call is from its own logits."""
    sensible(student)
    for hint in (_SUM, _KEPT, _KEPT):
        inputs = [(3 * torch.randn(4, 5, requires_grad=True), -1)]
        hints = {"values": hint}
        assert_gradients(student.softmax, reference=torch.softmax, inputs=inputs, precision=F32, ulps=4 * LOOSE, hint=hints)


@points(0.5, kind="gradients", needs=test_gradient)
def test_gradient_along_dim(student):
    """The gradient is right along any dim, for transposed logits, and to the precision of float64."""
    inputs = [
        (torch.randn(shape, dtype=F64).transpose(0, -1).requires_grad_(), dim)
        for shape, dim in (((5,), 0), ((3, 4), -1), ((3, 4), 0), ((2, 3, 4), 1), ((2, 3, 4), -3))
    ]
    hint = "Does the backward pass reduce along dim, too, and in the logits' own precision?"
    assert_gradients(student.softmax, reference=torch.softmax, inputs=inputs, hint=hint)


@points(0.5, kind="gradients", needs=test_gradient)
def test_gradient_of_large_logits(student):
    """The gradient stays right for tied, nearly tied and huge logits."""
    rows = [row for dtype, size in SIZES for row in row_by_row(far_apart(size, dtype))]
    hint = "0 * inf is nan: an overflow that the forward pass hides comes back in the backward pass."
    # Probabilities are at most 1 and cotangents a few units: scale 1. A half-precision input has gradients like it.
    for logits in (*nearly_tied(F32), tied(), *rows):
        precision = logits.dtype if logits.dtype in (F16, BF16) else F32
        inputs = [(logits.requires_grad_(), -1)]
        assert_gradients(
            student.softmax, reference=torch.softmax, inputs=inputs, ulps=64, precision=precision, hint={"nan": hint}
        )


@points(0.5)
def test_minus_infinity(student):
    """A logit of -inf has probability 0 and gradient 0."""
    sensible(student)
    logits = torch.randn(5, 6)
    for row, column in ((0, 0), (0, 1), (1, 5), (2, 2), (2, 3), (2, 4)):
        logits[row, column] = -torch.inf
    hint = "exp(-inf) is 0, which is what is wanted; inf - inf and 0 * inf are nan."
    assert_close(student.softmax(logits, -1), softmax(logits), ulps=LOOSE, hint={"nan": hint})
    inputs = [(logits.requires_grad_(), -1)]
    hints = {"nan": hint}
    assert_gradients(student.softmax, reference=torch.softmax, inputs=inputs, precision=F32, ulps=4 * LOOSE, hint=hints)


@points(0.5)
def test_nan(student):
    """A nan makes its own row nan, and no other row."""
    sensible(student)
    logits = torch.randn(4, 6)
    logits[torch.randint(1, 4, ()), torch.randint(0, 6, ())] = torch.nan
    hint = "A nan says that something upstream is broken: its row should show it, and the other rows know nothing of it."
    assert_close(student.softmax(logits, -1), softmax(logits), ulps=LOOSE, hint={"nan": hint, "values": hint})


@points(0.5, kind="dtypes")
def test_result_dtype(student):
    """float16, bfloat16 and float32 logits give a float32 result, float64 ones a float64 result."""
    sensible(student)
    for dtype in (F16, BF16, F32, F64):
        what = f"the result for {name_of(dtype)} logits"
        hint = "Convert first: logits.to(torch.promote_types(logits.dtype, torch.float32))."
        assert_dtype(student.softmax(torch.randn(3, 5).to(dtype), -1), torch.promote_types(dtype, F32), what=what, hint=hint)


@points(0.5, kind="dtypes")
def test_half_precision(student):
    """float16 and bfloat16 logits are computed with in float32."""
    sensible(student)
    for dtype, rows in ((F16, 5), (BF16, 6)):
        logits = torch.randn(rows, 7).to(dtype)
        what = f"the result for {name_of(dtype)} logits"
        hint = "bfloat16 has 3 digits. Convert the logits before computing, not the result after it."
        assert_close(student.softmax(logits, -1), student.softmax(logits.float(), -1), what=what, hint=hint)


@points(0.5, kind="dtypes", needs=(test_result_dtype, test_half_precision))
def test_autocast(student):
    """Under torch.autocast too it computes in float32."""
    for low in (BF16, F16):
        for dtype in (F32, F64, BF16):
            logits = torch.randn(5, 7).to(dtype)
            plain = student.softmax(logits, -1)
            with torch.autocast("cpu", low):
                result = student.softmax(logits, -1)
            what = f"the result for {name_of(dtype)} logits under autocast to {name_of(low)}"
            hint = "autocast runs matmul, einsum and their kin in half precision, whatever they are given; exp and sum it leaves."
            assert_dtype(result, torch.promote_types(dtype, F32), what=what, hint=hint)
            assert_close(result, plain, what=what, hint=hint)


@points(0.5, kind="inputs")
def test_inputs_untouched(student):
    """The logits are the same after the call, and the result is a tensor of its own."""
    sensible(student)
    hint = "Methods that end in _, -= and out= write into the tensor itself, and .to() without need gives the same one."
    for dtype in (F32, F64, BF16):
        assert_inputs_untouched(student.softmax, torch.randn(3, 5).to(dtype), -1, hint=hint)
        assert_inputs_untouched(student.softmax, torch.randn(5, 3).to(dtype).T, -1, hint=hint)


@points(0.5, kind="inputs")
def test_device(student):
    """New tensors are made on the logits' device."""
    sensible(student)
    rests_on_word()
    if student.run(probes.mixes_devices, "softmax", torch.randn(3, 5)) is not False:
        raise CheckFailed(
            "a tensor that was made without device=... meets the logits, or is returned; on a GPU that fails",
            hint="A tensor that you make lies on the CPU unless you say device=logits.device.",
        )


@points(0.5, kind="operations")
def test_operations(student):
    """The number of tensor operations does not grow with the number of rows."""
    sensible(student)
    assert_constant_operations(student.softmax, [(torch.randn(rows, 8), -1) for rows in (4, 32, 256)], hint=_LOOP)


@points(0.5, kind="speed")
def test_speed(student):
    """16384 rows of 4 logits take at most 12 times as long as in the reference solution."""
    sensible(student)
    # Measured, transport included: right answers at most 4 times as long, a loop over rows at least 36 times.
    race(
        student.softmax,
        make_inputs=lambda: (torch.randn(16384, 4), -1),
        verify=lambda result, logits, dim: assert_close(result, softmax(logits, dim), ulps=LOOSE),
        at_most=12.0,
        hint="A loop over rows pays Python's price for each row; a tensor operation pays it once.",
    )


@pytest.mark.gpu
@points(0, kind="dtypes", needs=(test_autocast, test_device))
def test_on_a_gpu(student, device):
    """On a GPU too it computes in float32: for float16 and bfloat16 logits, and under torch.autocast."""
    for low in (None, F16, BF16):
        for dtype in (F16, BF16, F32, F64):
            logits = torch.randn(5, 7).to(device, dtype)
            with autocast_or_not(device, low):
                result = student.softmax(logits, -1)
            hint = "What the CPU's autocast leaves alone, that of a GPU may not: each device type has lists of its own."
            what = f"the result for {name_of(dtype)} logits, {'without autocast' if low is None else f'autocast {name_of(low)}'},"
            assert_device(result, device, what=what)
            assert_dtype(result, torch.promote_types(dtype, F32), what=what, hint=hint)
            plain = student.softmax(logits.to(torch.promote_types(dtype, F32)), -1)
            assert_close(result, plain, what=what, hint=hint)
