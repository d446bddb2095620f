"""Hidden checks: softmax.

A probability is at most 1 and so is the natural scale of its error; `assert_close` allows 32 units of rounding of it.
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
from .inputs import BF16, F16, F32, F64, SHAPES, SIZES, autocast_or_not, far_apart, name_of, nearly_tied, tied, unlike_rows


def softmax(logits, dim=-1):
    """The reference, in float64."""
    return torch.softmax(logits.double(), dim)


@points(0.5)
def test_values(student):
    """Logits of ordinary size give the formula's probabilities, to the precision of float32 and of float64."""
    for dtype in (F32, F64):
        logits = 3 * torch.randn(5, 7, dtype=dtype)
        assert_close(student.softmax(logits), softmax(logits), precision=dtype)


@points(1, kind="stability")
def test_huge_logits(student):
    """Logits of any size give probabilities: 1e4, 1e30, in float64 1e300, in float16 60000, of either sign."""
    for dtype, size in SIZES:
        logits = far_apart(size, dtype)
        assert_close(student.softmax(logits), softmax(logits))
        assert_close(student.softmax(logits[2]), softmax(logits[2]))


@points(1, kind="stability")
def test_nearly_tied_logits(student):
    """Logits around 10000 that differ by little are as exact as small ones; equal ones of 1e30 share alike."""
    for dtype in (F32, F64):
        logits = nearly_tied(dtype)
        assert_close(student.softmax(logits), softmax(logits), precision=dtype)
    assert_close(student.softmax(tied()), softmax(tied()))


@points(0.5, kind="stability")
def test_rows_of_different_size(student):
    """A small row is right beside rows of 10000 and -10000."""
    logits = unlike_rows()
    assert_close(student.softmax(logits), softmax(logits))
    assert_close(student.softmax(logits.mT, dim=1), softmax(logits.mT, 1))


@points(0.5, kind="shapes")
def test_every_dim(student):
    """Tensors of one to five dimensions, some of size 1, work along every dim, negative ones too."""
    for shape in SHAPES:
        logits = torch.randn(shape)
        assert_close(student.softmax(logits), softmax(logits))
        for dim in range(-len(shape), len(shape)):
            assert_close(
                student.softmax(logits, dim=dim),
                softmax(logits, dim),
                what=f"the result along dim {dim} of {len(shape)}",
            )


@points(0.5, kind="shapes")
def test_memory_layout(student):
    """Transposed, sliced and expanded logits work as well as contiguous ones."""
    logits = torch.randn(6, 8)
    for strided in (logits.T, logits[:, ::2], logits[::2].T, logits[:, None].expand(6, 3, 8), logits[0].expand(4, 8)):
        for dim in (0, -1):
            assert_close(student.softmax(strided, dim), softmax(strided, dim))


@points(0.5, kind="shapes", needs=test_values)
def test_empty_batch(student):
    """A batch with no rows gives an empty result, and a single class has probability 1."""
    for shape, dim in (((0, 5), -1), ((3, 0, 4), 0), ((3, 0, 4), -1), ((4, 1), -1), ((1, 3), 0)):
        logits = torch.randn(shape)
        assert_close(student.softmax(logits, dim), softmax(logits, dim))


@points(1, kind="gradients")
def test_gradient(student):
    """The gradient is right, along any dim and for transposed logits too."""
    inputs = [
        (torch.randn(shape, dtype=F64).transpose(0, -1).requires_grad_(), dim)
        for shape, dim in (((5,), 0), ((3, 4), -1), ((3, 4), 0), ((2, 3, 4), 1), ((2, 3, 4), -3))
    ]
    assert_gradients(student.softmax, reference=torch.softmax, inputs=inputs)


@points(0.5, kind="gradients")
def test_gradient_of_large_logits(student):
    """The gradient stays right for tied, nearly tied, huge and unlike logits."""
    large = [nearly_tied(F32), tied(), unlike_rows(), *(far_apart(size, dtype) for dtype, size in SIZES)]
    # Probabilities are at most 1 and cotangents a few units: scale 1. A half-precision input has gradients like it.
    for logits in large:
        precision = logits.dtype if logits.dtype in (F16, BF16) else F32
        assert_gradients(
            student.softmax,
            reference=torch.softmax,
            inputs=[(logits.requires_grad_(), -1)],
            ulps=64,
            precision=precision,
        )


@points(0.5)
def test_minus_infinity(student):
    """A logit of -inf has probability 0 and gradient 0."""
    logits = torch.randn(5, 6)
    ruled_out = [(0, 0), (0, 1), (1, 5), (2, 2), (2, 3), (2, 4)]
    for row, column in ruled_out:
        logits[row, column] = -torch.inf
    assert_close(student.softmax(logits), softmax(logits))
    assert_gradients(student.softmax, reference=torch.softmax, inputs=[(logits.requires_grad_(), -1)], precision=F32)


@points(0.5)
def test_nan(student):
    """A nan makes its own row nan, and no other row."""
    logits = torch.randn(4, 6)
    logits[torch.randint(1, 4, ()), torch.randint(0, 6, ())] = torch.nan
    assert_close(student.softmax(logits), softmax(logits))


@points(0.5, kind="dtypes", needs=test_values)
def test_result_dtype(student):
    """float16, bfloat16 and float32 logits give a float32 result, float64 ones a float64 result."""
    for dtype in (F16, BF16, F32, F64):
        what = f"the result for {name_of(dtype)} logits"
        assert_dtype(student.softmax(torch.randn(3, 5).to(dtype)), torch.promote_types(dtype, F32), what=what)


@points(0.5, kind="dtypes")
def test_half_precision(student):
    """float16 and bfloat16 logits are computed with in float32."""
    for dtype in (F16, BF16):
        logits = torch.randn(5, 7).to(dtype)
        assert_close(student.softmax(logits), softmax(logits))


@points(0.5, kind="dtypes", needs=(test_result_dtype, test_half_precision))
def test_autocast(student):
    """Under torch.autocast too it computes in float32."""
    for low in (BF16, F16):
        for dtype in (F32, F64, BF16):
            logits = torch.randn(5, 7).to(dtype)
            with torch.autocast("cpu", low):
                result = student.softmax(logits)
            assert_dtype(result, torch.promote_types(dtype, F32))
            assert_close(result, softmax(logits))


@points(0.5, kind="inputs", needs=test_values)
def test_inputs_untouched(student):
    """The logits are the same after the call, and the result is a tensor of its own."""
    for dtype in (F32, F64, BF16):
        assert_inputs_untouched(student.softmax, torch.randn(3, 5).to(dtype))
        assert_inputs_untouched(student.softmax, torch.randn(5, 3).to(dtype).T, 0)


@points(0.5, kind="inputs", needs=test_values)
def test_device(student):
    """New tensors are made on the logits' device."""
    rests_on_word()
    if student.run(probes.mixes_devices, "softmax", torch.randn(3, 5)) is not False:
        raise CheckFailed("a tensor that was made without device=... meets the logits, or is returned; on a GPU that fails")


@points(0.5, kind="operations", needs=test_values)
def test_operations(student):
    """The number of tensor operations does not grow with the number of rows."""
    assert_constant_operations(student.softmax, [(torch.randn(rows, 8),) for rows in (4, 32, 256)])


@points(0.5, kind="speed", needs=test_values)
def test_speed(student):
    """16384 rows of 4 logits take at most 12 times as long as in the reference solution."""
    # Measured, transport included: right answers at most 4 times as long, a loop over rows at least 36 times.
    race(
        student.softmax,
        make_inputs=lambda: (torch.randn(16384, 4),),
        verify=lambda result, logits: assert_close(result, softmax(logits)),
        at_most=12.0,
    )


@pytest.mark.gpu
@points(0, kind="dtypes", needs=(test_autocast, test_device))
def test_on_a_gpu(student, device):
    """On a GPU too it computes in float32: for float16 and bfloat16 logits, and under torch.autocast."""
    for low in (None, F16, BF16):
        for dtype in (F16, BF16, F32, F64):
            logits = torch.randn(5, 7).to(device, dtype)
            with autocast_or_not(device, low):
                result = student.softmax(logits)
            what = f"the result for {name_of(dtype)} logits, {'without autocast' if low is None else f'autocast {name_of(low)}'},"
            assert_device(result, device, what=what)
            assert_dtype(result, torch.promote_types(dtype, F32), what=what)
            assert_close(result, softmax(logits), what=what)
