"""Hidden checks: softmax_cross_entropy.

The natural scale of a loss's error is `1 + max|x| + loss`, row by row: the logits are added up with weights that sum to 1. Where
the logits are large but nearly tied it is that of the same logits around 0, because the contract asks for that.

`test_values` judges the function as it is. The others take it as `sensible` returns it: without a wrong sign, a constant factor,
a mean or sum too many, or a dimension of size 1. Where they ask for a property, not for digits, they allow for a small constant
inside the log (`LOOSE`), or compare the function with itself.
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
from torchgrade.checks.forgiving import forgiving
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


def loss(logits, target, dim=-1):
    """The reference, in float64."""
    shifted = logits.double() - logits.double().amax(dim, keepdim=True)
    return (target.double() * (shifted.exp().sum(dim, keepdim=True).log() - shifted)).sum(dim)


def probabilities(*shape, dim=-1, dtype=F32):
    """Random targets that sum to 1 along dim: soft ones with small and large entries."""
    return torch.softmax(2 * torch.randn(shape, dtype=F64), dim).to(dtype)


def sixteenths(*shape):
    """Random targets (last dim: classes) in steps of 1/16, which every floating dtype holds exactly, and their sum of 1."""
    votes = torch.randint(0, shape[-1], (16, *shape[:-1]))
    return torch.nn.functional.one_hot(votes, shape[-1]).sum(0) / 16


def one_hot(*shape):
    """Random targets (last dim: classes) with a single 1."""
    return torch.nn.functional.one_hot(torch.randint(0, shape[-1], shape[:-1]), shape[-1]).float()


LOOSE = 2**14
"""Units of rounding where digits are not asked for: 2e-3 of the scale."""


def sensible(student):
    """The function and the reference without the slip that `test_values` judges; fails unless its losses are right then.

    Both take the classes as the last dimension, and put them at ``dim`` for the call: a mean over them is told by that.
    """

    def losses(logits, target, dim):
        return student.softmax_cross_entropy(logits.movedim(-1, dim), target.movedim(-1, dim), dim)

    def reference(logits, target, dim):
        return loss(logits.movedim(-1, dim), target.movedim(-1, dim), dim)

    losses.__name__ = "softmax_cross_entropy"
    logits, target = even(6, 11), probabilities(6, 11)  # a shape of its own: what is remembered by shape is found elsewhere
    pair = forgiving(losses, reference, logits, target, -1)
    check(pair, logits, target, ulps=LOOSE)
    return pair


def even(*shape, dtype=F32):
    """Random logits from -1 to 1: no probability is small, and a small constant beside it hardly counts."""
    return 2 * torch.rand(shape, dtype=dtype) - 1


def check(pair, logits, target, dim=-1, *, precision=F32, ulps=32, what="the loss", hint=""):
    """Compare one call with the reference, at the natural scale."""
    losses, reference = pair
    moved = logits.movedim(dim, -1), target.movedim(dim, -1)
    expected = reference(*moved, dim)
    scale = 1 + (logits.double().abs().amax(dim) + loss(logits, target, dim)).nan_to_num()
    if scale.shape != expected.shape:  # both are averaged, where the student averages
        scale = scale.mean() if scale.numel() else 1.0
    assert_close(losses(*moved, dim), expected, scale=scale, ulps=ulps, precision=precision, what=what, hint=hint)


def check_alike(losses, plain, logits, target, *, what="the loss", hint=""):
    """Compare one call with the function's own result for plain arguments, of which others say whether it is right."""
    scale = 1 + logits.double().abs().max() + loss(logits, target).max()
    assert_close(losses, plain, scale=scale, what=what, hint=hint)


_OVERFLOW = "log(0) is -inf and inf - inf is nan. Bring log and exp together on paper first: log(exp(x) / sum) is a difference."
_DIGITS = "In float32 10001.7 has 3 digits behind the point. Which numbers are subtracted, and which is rounded before?"
_FORMULA = {
    "values": "The formula and nothing else: every class counts with its target's weight, and each call has its own logits.",
    "sign": "The log of a probability is not positive, and a loss is not negative. Is the minus there?",
    "factor": "The terms of the classes are added up. Are they divided by their number somewhere?",
    "shape": "One loss for each example: sum over the classes, over nothing else, and without keepdim.",
}
_LOOP = "Reductions take dim=..., and broadcasting does the rest: no for over rows."


@points(0.5)
def test_values(student):
    """Soft and one-hot targets give the formula's loss, whatever was asked before."""
    for target in (probabilities(5, 7), one_hot(5, 7), probabilities(5, 7)):
        logits = even(5, 7)
        logits[0] -= 14 * (target[0] == target[0].max())  # a probability of about a millionth: no constant is small beside it
        expected = loss(logits, target)
        scale = 1 + logits.abs().amax(-1) + expected
        assert_close(student.softmax_cross_entropy(logits, target, -1), expected, scale=scale, what="the loss", hint=_FORMULA)


@points(0.5, kind="dtypes")
def test_float64(student):
    """float64 logits are computed with in float64."""
    hint = "float64 shows what float32 hides: a rounding to float32 on the way, or a small constant that the formula has not."
    losses = sensible(student)
    for target in (probabilities(5, 7, dtype=F64), one_hot(5, 7).double()):
        check(losses, even(5, 7, dtype=F64), target, precision=F64, hint=hint)


@points(1, kind="stability")
def test_huge_logits(student):
    """Logits of any size give the loss: 1e4, 1e30, in float64 1e300, in float16 60000, of either sign."""
    losses = sensible(student)
    for dtype, size in SIZES:
        for target in (sixteenths(2, 6), one_hot(2, 6)):
            for logits in row_by_row(far_apart(size, dtype)):
                check(losses, logits, target, hint={"nan": _OVERFLOW, "values": _OVERFLOW})


@points(0.5, kind="stability")
def test_nearly_tied_logits(student):
    """Logits around 10000 that differ by little are as exact as small ones; equal ones of 1e30 lose log(n)."""
    losses, _ = sensible(student)
    hints = {"values": _DIGITS, "nan": _OVERFLOW}
    for large, target in (
        *((logits, probabilities(4, 7, dtype=logits.dtype)) for logits in (*nearly_tied(F32), *nearly_tied(F64))),
        *((torch.full((2, 4), size), sixteenths(2, 4)) for size in (1e30, -1e30)),
    ):
        small = large - large[0, 0]  # exact: the logits are near each other
        check_alike(losses(large, target, -1), losses(small, target, -1), small, target, hint=hints)


@points(0.5, kind="stability")
def test_rows_of_different_size(student):
    """A small row is right beside rows of 10000 and -10000."""
    hint = "A shift that suits one row can make another one overflow or vanish. Does every row have its own?"
    check(sensible(student), unlike_rows(), sixteenths(3, 6), hint={"nan": hint, "values": hint})


@points(0.5, kind="shapes")
def test_every_dim(student):
    """Tensors of one to five dimensions, some of size 1, work along every dim; the result has the shape without it."""
    losses = sensible(student)
    hint = "Is any dimension assumed to be the last one, or the number of dimensions to be two?"
    for shape in SHAPES:
        for dim in range(-len(shape), len(shape)):
            what = f"the loss along dim {dim} of {len(shape)}"
            hints = {"values": hint, "shape": hint if len(shape) > 2 else ""}
            check(losses, even(*shape), probabilities(*shape, dim=dim), dim, ulps=LOOSE, what=what, hint=hints)
    what = "the loss for rows of about 70 and -70, in three dimensions,"
    rows = "Where there are more dimensions than two, does each row have a maximum of its own?"
    check(losses, mild_rows(), sixteenths(2, 3, 6), ulps=LOOSE, what=what, hint={"nan": rows, "values": rows})
    logits, target = even(4, 3, 5), probabilities(4, 3, 5)
    what = "the loss of a tensor of three dimensions, with no dim given,"

    def by_default(logits, target, *_):
        return student.softmax_cross_entropy(logits, target)

    default, reference = forgiving(by_default, loss, logits, target, -1)
    check((default, reference), logits, target, ulps=LOOSE, what=what, hint={"values": "The last dimension is dim=-1."})


@points(0.5, kind="shapes")
def test_memory_layout(student):
    """Transposed, sliced and expanded logits and targets work, each with a layout of its own."""
    hint = "view() and raw memory order need contiguous tensors. A transposed one is not."
    losses, _ = sensible(student)
    logits, target = torch.randn(6, 8), probabilities(6, 8)
    for strided in (
        (logits.T.contiguous().T, target),
        (logits, target.T.contiguous().T),
        (logits[:, ::2], probabilities(12, 4)[::2]),
        (logits[:, None].expand(6, 3, 8), probabilities(3, 6, 8).transpose(0, 1)),
    ):
        plain = [tensor.contiguous() for tensor in strided]
        check_alike(losses(*strided, -1), losses(*plain, -1), *plain, hint=hint)


@points(0.5, kind="shapes")
def test_empty_batch(student):
    """A batch with no rows gives an empty result, and a single class has loss 0."""
    losses = sensible(student)
    for shape in ((0, 5), (3, 0, 4)):
        check(losses, even(*shape), torch.rand(shape))
    check(losses, even(4, 1), torch.ones(4, 1), ulps=LOOSE)


@points(0.5, kind="gradients")
def test_gradient(student):
    """The gradient with respect to the logits is right, and that of a second call is from its own logits and target."""
    losses, reference = sensible(student)
    once = "The loss depends on a logit twice: through its own term, and through the sum that normalises all."
    kept = "The gradient of an earlier call was right. Is anything kept from one call for the next?"
    for hint in (once, kept, kept):
        inputs = [(even(4, 5).requires_grad_(), probabilities(4, 5), -1)]
        hints = {"values": hint}
        assert_gradients(losses, reference=reference, inputs=inputs, precision=F32, ulps=4 * LOOSE, hint=hints)


@points(0.5, kind="gradients", needs=test_gradient)
def test_gradient_along_dim(student):
    """The gradient is right along any dim, for transposed logits, and to the precision of float64."""
    losses, reference = sensible(student)
    hint = "Does the backward pass put back and reduce along dim, too, and in the logits' own precision?"
    for shape, dim in (((5,), 0), ((3, 4), -1), ((3, 4), 0), ((2, 3, 4), 1), ((2, 3, 4), -3)):
        logits = even(*shape, dtype=F64).transpose(0, -1).movedim(dim, -1)
        inputs = [(logits.requires_grad_(), probabilities(*logits.shape, dtype=F64), dim)]
        assert_gradients(losses, reference=reference, inputs=inputs, hint={"values": hint})


@points(0.5, kind="gradients", needs=test_gradient)
def test_gradient_of_large_logits(student):
    """The gradient stays right for tied, nearly tied and huge logits."""
    losses, reference = sensible(student)
    rows = [row for dtype, size in SIZES for row in row_by_row(far_apart(size, dtype))]
    hint = "0 * inf is nan: an overflow that the forward pass hides comes back in the backward pass."
    # Softmax minus target is at most 1 and cotangents a few units: scale 1. A half-precision input has gradients like it.
    for logits in (*nearly_tied(F32), tied(), *rows):
        precision = logits.dtype if logits.dtype in (F16, BF16) else F32
        inputs = [(logits.requires_grad_(), sixteenths(*logits.shape), -1)]
        assert_gradients(losses, reference=reference, inputs=inputs, ulps=64, precision=precision, hint={"nan": hint})


@points(0.5)
def test_nan(student):
    """A nan logit makes the loss of its own row nan, and of no other row."""
    logits = even(4, 6)
    logits[torch.randint(1, 4, ()), torch.randint(0, 6, ())] = torch.nan
    hint = "A nan says that something upstream is broken: its row should show it, and the other rows know nothing of it."
    check(sensible(student), logits, probabilities(4, 6), ulps=LOOSE, hint={"nan": hint, "values": hint})


@points(0.5, kind="dtypes")
def test_result_dtype(student):
    """The logits decide the result's dtype, at least float32, whatever floating dtype the target has."""
    sensible(student)
    for dtype in (F16, BF16, F32, F64):
        for other in (F16, BF16, F32, F64):
            logits, target = torch.randn(3, 5).to(dtype), sixteenths(3, 5).to(other)
            what = f"the loss for {name_of(dtype)} logits and {name_of(other)} targets"
            hint = "Only the logits' dtype counts: torch.promote_types(logits.dtype, torch.float32)."
            result = student.softmax_cross_entropy(logits, target, -1)
            assert_dtype(result, torch.promote_types(dtype, F32), what=what, hint=hint)


@points(0.5, kind="dtypes")
def test_half_precision(student):
    """float16 and bfloat16 logits are computed with in float32."""
    losses, _ = sensible(student)
    for dtype, rows in ((F16, 5), (BF16, 6)):
        logits, target = torch.randn(rows, 7).to(dtype), sixteenths(rows, 7)
        plain = losses(logits.float(), target, -1)
        what = f"the loss for {name_of(dtype)} logits"
        hint = "bfloat16 has 3 digits. Convert the logits before computing, not the result after it."
        check_alike(losses(logits, target, -1), plain, logits, target, what=what, hint=hint)


@points(0.5, kind="dtypes", needs=test_half_precision)
def test_target_precision(student):
    """The target is not rounded to the logits' dtype, and may be of a smaller or larger one."""
    hint = "Bring the logits up to the computation's dtype, never the target down to the logits'."
    losses, _ = sensible(student)
    wide = [(dtype, probabilities, other) for dtype in (F16, BF16, F32) for other in (F32, F64)]
    narrow = [(dtype, sixteenths, other) for dtype in (F32, F64) for other in (F16, BF16)]
    for rows, (dtype, drawn, other) in enumerate((*wide, *narrow), start=5):  # a shape for each
        logits, target, enough = torch.randn(rows, 7).to(dtype), drawn(rows, 7).to(other), torch.promote_types(dtype, F32)
        plain = losses(logits.to(enough), target.to(enough), -1)
        what = f"the loss for {name_of(dtype)} logits and {name_of(other)} targets"
        check_alike(losses(logits, target, -1), plain, logits, target, what=what, hint=hint)


@points(0.5, kind="dtypes", needs=(test_result_dtype, test_half_precision))
def test_autocast(student):
    """Under torch.autocast too it computes in float32."""
    losses, _ = sensible(student)
    for low in (BF16, F16):
        for dtype in (F32, F64, BF16):
            logits, target = torch.randn(5, 7).to(dtype), sixteenths(5, 7)
            plain = losses(logits, target, -1)
            with torch.autocast("cpu", low):
                result = losses(logits, target, -1)
            what = f"the loss for {name_of(dtype)} logits under autocast to {name_of(low)}"
            hint = "autocast runs matmul, einsum and their kin in half precision, whatever they get; exp, sum and log it leaves."
            assert_dtype(result, torch.promote_types(dtype, F32), what=what, hint=hint)
            check_alike(result, plain, logits, target, what=what, hint=hint)


@points(0.5, kind="inputs")
def test_inputs_untouched(student):
    """Logits and target are the same after the call, and the result is a tensor of its own."""
    sensible(student)
    hint = "Methods that end in _, -=, *= and out= write into the tensor itself, and .to() without need gives the same one."
    loss_of = student.softmax_cross_entropy
    for dtype in (F32, F64, BF16):
        assert_inputs_untouched(loss_of, torch.randn(3, 5).to(dtype), probabilities(3, 5, dtype=dtype), -1, hint=hint)
        assert_inputs_untouched(loss_of, torch.randn(5, 3).to(dtype).T, probabilities(3, 5), -1, hint=hint)


@points(0.5, kind="inputs")
def test_device(student):
    """New tensors are made on the logits' device."""
    sensible(student)
    rests_on_word()
    if student.run(probes.mixes_devices, "softmax_cross_entropy", torch.randn(3, 5), probabilities(3, 5)) is not False:
        raise CheckFailed(
            "a tensor that was made without device=... meets the logits, or is returned; on a GPU that fails",
            hint="A tensor that you make lies on the CPU unless you say device=logits.device.",
        )


@points(0.5, kind="operations")
def test_operations(student):
    """The number of tensor operations does not grow with the number of rows."""
    sensible(student)
    inputs = [(torch.randn(rows, 8), probabilities(rows, 8), -1) for rows in (4, 32, 256)]
    assert_constant_operations(student.softmax_cross_entropy, inputs, hint=_LOOP)


@points(0.5, kind="speed")
def test_speed(student):
    """16384 rows of 4 classes take at most 12 times as long as in the reference solution."""
    # Measured, transport included: right answers at most 3 times as long, a loop over rows at least 80 times.
    sensible(student)
    race(
        student.softmax_cross_entropy,
        make_inputs=lambda: (even(16384, 4), probabilities(16384, 4), -1),
        verify=_verify,
        at_most=12.0,
        hint="A loop over rows pays Python's price for each row; a tensor operation pays it once.",
    )


def _verify(result, logits, target, dim):
    losses, reference = forgiving(lambda *_: result, loss, logits, target, dim)
    assert_close(losses(logits, target, dim), reference(logits, target, dim), ulps=LOOSE, scale=10)


@pytest.mark.gpu
@points(0, kind="dtypes", needs=(test_autocast, test_device))
def test_on_a_gpu(student, device):
    """On a GPU too it computes in float32: for float16 and bfloat16 logits, and under torch.autocast."""
    losses, _ = sensible(student)
    for low in (None, F16, BF16):
        for dtype in (F16, BF16, F32, F64):
            logits, target = torch.randn(5, 7).to(device, dtype), sixteenths(5, 7).to(device)
            with autocast_or_not(device, low):
                result = losses(logits, target, -1)
            hint = "What the CPU's autocast leaves alone, that of a GPU may not: each device type has lists of its own."
            what = f"the loss for {name_of(dtype)} logits, {'without autocast' if low is None else f'autocast {name_of(low)}'},"
            assert_device(result, device, what=what)
            assert_dtype(result, torch.promote_types(dtype, F32), what=what, hint=hint)
            plain = losses(logits.to(torch.promote_types(dtype, F32)), target, -1)
            check_alike(result, plain, logits, target, what=what, hint=hint)
