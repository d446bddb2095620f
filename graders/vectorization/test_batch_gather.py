"""Hidden checks: batch_gather.

Gathering copies and computes nothing, so values are compared with no tolerance at all (`ulps=0`). Only gradients are sums.
"""

import itertools

import pytest
import torch

from torchgrade import (
    CheckFailed,
    assert_close,
    assert_constant_operations,
    assert_dtype,
    assert_gradients,
    assert_inputs_untouched,
    assert_raises,
    points,
    race,
)
from torchgrade.checks.assertions import assert_device
from torchgrade.checks.notes import measured, rests_on_word

from . import probes
from .inputs import COMPLEX, DTYPES, FLOATS, INTEGERS, delicate, gathered, name_of, shuffles_of, signs, some_of, values_of

F32, F64 = torch.float32, torch.float64


def check(student, values, indices):
    """Fail unless the student's values are exactly the right ones."""
    what = f"the result for values {list(values.shape)} and indices {list(indices.shape)}"
    assert_close(student.batch_gather(values, indices), gathered(values, indices), ulps=0, what=what)


@points(1)
def test_values(student):
    """Each example gets entries of its own, in the order of its indices."""
    check(student, torch.randn(5, 7, 3), some_of(7, 5, 4))
    check(student, torch.randn(7, 3, 2), some_of(3, 7, 5))
    check(student, torch.randn(4, 4, 4), some_of(4, 4, 4))


@points(1, kind="shapes")
def test_ranks(student):
    """Indices may have one to four dimensions, values two to five, in every combination."""
    for index, rest in itertools.product(((), (5,), (2, 4), (3, 2, 2)), ((), (3,), (2, 5), (4, 2, 3))):
        check(student, torch.randn(3, 6, *rest), some_of(6, 3, *index))


@points(0.5, kind="shapes")
def test_sizes_of_one(student):
    """Sizes of 1 stay: one example, one entry, one index, one number."""
    for batch, count, index, rest in ((1, 5, (7,), (3,)), (4, 1, (3,), (2,)), (4, 5, (1,), (3,)), (4, 5, (3,), (1,))):
        check(student, torch.randn(batch, count, *rest), some_of(count, batch, *index))
    check(student, torch.randn(1, 4, 3), some_of(4, 1, 1))


@points(0.5, kind="shapes", needs=test_values)
def test_empty(student):
    """No examples, or no indices, give an empty result of the right shape."""
    for batch, index, rest in (
        (0, (4,), (3,)),
        (0, (), ()),
        (0, (2, 3), (2,)),
        (3, (0,), (2,)),
        (3, (2, 0), ()),
        (0, (0,), (2,)),
    ):
        check(student, torch.randn(batch, 5, *rest), some_of(5, batch, *index))


@points(0.5, kind="shapes")
def test_memory_layout(student):
    """Transposed, sliced and expanded values and indices work as well as contiguous ones."""
    values, indices = torch.randn(4, 6, 3), some_of(6, 4, 5)
    for strided in (
        torch.randn(6, 4, 3).transpose(0, 1),
        torch.randn(3, 6, 4).transpose(0, 2),
        torch.randn(8, 6, 5)[::2, :, 1:4],
        torch.randn(4, 12, 3)[:, ::2],
        torch.randn(6, 3).expand(4, 6, 3),
        torch.randn(4, 6, 1).expand(4, 6, 3),
    ):
        check(student, strided, indices)
    for strided in (some_of(6, 5, 4).T, some_of(6, 8, 10)[::2, ::2], some_of(6, 5).expand(4, 5), some_of(6, 4, 1).expand(4, 5)):
        check(student, values, strided)
    check(student, torch.randn(4, 6, 2, 3).mT, some_of(6, 4, 3, 2).mT)
    check(student, torch.randn(3, 6, 2, 4).transpose(0, 3), some_of(6, 2, 3, 4).transpose(0, 2))


@points(1, kind="dtypes")
def test_every_dtype(student):
    """bool, all integers, float16 to float64 and complex values arrive, in the dtype that they had."""
    for dtype in DTYPES:
        values, indices = values_of(dtype, 4, 6, 5), some_of(6, 4, 7)
        result, what = student.batch_gather(values, indices), f"the result for {name_of(dtype)} values"
        assert_dtype(result, dtype, what=what)
        assert_close(result, gathered(values, indices), ulps=0, what=what)


@points(1)
def test_exact(student):
    """2**24 + 1, the largest integers, inf, nan and -0.0 arrive bit for bit, and leave their neighbours alone."""
    for dtype in (*INTEGERS, *FLOATS, *COMPLEX):
        values = delicate(dtype)
        indices = shuffles_of(values.shape[1], 3)
        result, expected = student.batch_gather(values, indices), gathered(values, indices)
        what = f"the result for {name_of(dtype)} values"
        assert_close(result, expected, ulps=0, what=what)
        assert_dtype(result, dtype, what=what)
        if bool((signs(result) != signs(expected))[~expected.isnan()].any()):
            raise CheckFailed(f"{what} is not the same bit for bit: a -0.0 has lost its sign")


@points(1, kind="errors", needs=test_values)
def test_out_of_range(student):
    """An index of N or more is an error, in any example and of any size, also where the next example has such an entry."""
    for batch, count, index, rest in ((4, 5, (6,), (3,)), (6, 3, (), ()), (3, 4, (2, 3), (2,)), (4, 1, (2,), (2, 2))):
        for wrong in (count, count + 1, 2 * count, batch * count, 10**6, 2**32, 2**62, 2**62 + 1, 2**63 - 1):
            for place in (0, int(some_of(batch - 2)) + 1, batch - 1):
                indices = some_of(count, batch, *index)
                row = indices[place].view(-1)
                row[some_of(len(row))] = wrong
                because = f"example {place} of {batch} asks for entry {wrong}, and each example has {count}"
                assert_raises(student.batch_gather, torch.randn(batch, count, *rest), indices, because=because)


@points(0.5, kind="gradients")
def test_gradient(student):
    """The gradient goes back to the entries that were chosen, for transposed values too."""
    inputs = [(torch.randn(3, 6, *rest, dtype=F64).requires_grad_(), shuffles_of(6, 3)[:, :4]) for rest in ((), (3,), (2, 4))]
    inputs += [
        (torch.randn(6, 3, 2, dtype=F64).transpose(0, 1).requires_grad_(), shuffles_of(6, 3)[:, :5]),
        (torch.randn(4, 6, dtype=F64).requires_grad_(), some_of(6, 4)),
        (torch.randn(3, 6, 2, dtype=F64).requires_grad_(), shuffles_of(6, 3)[:, :4].reshape(3, 2, 2)),
    ]
    assert_gradients(student.batch_gather, reference=gathered, inputs=inputs)


@points(1, kind="gradients")
def test_gradient_of_repeats(student):
    """Where an index comes several times the gradients add up."""
    sizes = ((3, 4, 9, 5), (5, 2, 3, 2), (2, 6, 20, 3))
    inputs = [(torch.randn(b, n, r, dtype=F64).requires_grad_(), some_of(n, b, i)) for b, n, i, r in sizes]
    assert_gradients(student.batch_gather, reference=gathered, inputs=inputs)


@points(0.5, kind="inputs", needs=test_values)
def test_inputs_untouched(student):
    """Values and indices are the same after the call, and the result is a tensor of its own."""
    for dtype in (F32, torch.int64):
        values = values_of(dtype, 4, 5, 3)
        in_order = torch.arange(5).repeat(4, 1)
        for indices in (some_of(5, 4, 3), some_of(5, 5, 4).T, in_order, in_order[:, 1:3].clone()):
            assert_inputs_untouched(student.batch_gather, values, indices)
        assert_inputs_untouched(student.batch_gather, values[:, :1], torch.zeros(4, 3, dtype=torch.int64))


@points(0.5, kind="inputs", needs=test_values)
def test_device(student):
    """New tensors are made on the device of the inputs."""
    rests_on_word()
    if student.run(probes.mixes_devices, torch.randn(3, 5, 2), some_of(5, 3, 4)) is not False:
        raise CheckFailed("a tensor that was made without device=... meets the inputs, or is returned; on a GPU that fails")


@points(0.5, kind="operations", needs=test_values)
def test_operations(student):
    """The number of tensor operations grows with no size: examples, entries, indices, numbers in an entry."""
    for sizes in (
        [(4, 6, 3, 2), (32, 6, 3, 2), (256, 6, 3, 2)],
        [(3, 4, 5, 2), (3, 32, 5, 2), (3, 256, 5, 2)],
        [(3, 6, 4, 2), (3, 6, 32, 2), (3, 6, 256, 2)],
        [(3, 6, 5, 4), (3, 6, 5, 32), (3, 6, 5, 256)],
    ):
        inputs = [(torch.randn(batch, count, rest), some_of(count, batch, index)) for batch, count, index, rest in sizes]
        assert_constant_operations(student.batch_gather, inputs)


@points(1, kind="speed", needs=test_values)
def test_speed(student):
    """4096 examples with 4 indices of 8 numbers each take at most 5 times as long as in the reference solution."""
    race(
        student.batch_gather,
        make_inputs=lambda: (torch.randn(4096, 4, 8), some_of(4, 4096, 4)),
        verify=lambda result, values, indices: assert_close(result, values[torch.arange(4096)[:, None], indices], ulps=0),
        at_most=5.0,
    )


@pytest.mark.gpu
@points(0, kind="values", needs=(test_values, test_every_dtype, test_gradient, test_gradient_of_repeats, test_device))
def test_on_a_gpu(student, device):
    """On a GPU values, gradients and the device of the result are right."""
    for dtype in DTYPES:
        values, indices = values_of(dtype, 4, 6, 5).to(device), some_of(6, 4, 7).to(device)
        result, what = student.batch_gather(values, indices), f"the result for {name_of(dtype)} values"
        assert_device(result, device, what=what)
        assert_dtype(result, dtype, what=what)
        assert_close(result, gathered(values, indices), ulps=0, what=what)
    inputs = [
        (torch.randn(3, 6, *rest, dtype=F64, device=device).requires_grad_(), some_of(6, 3, 8).to(device))
        for rest in ((), (3,), (2, 4))
    ]
    assert_gradients(student.batch_gather, reference=gathered, inputs=inputs)


@pytest.mark.gpu
@points(0, kind="operations", needs=(test_operations, test_on_a_gpu))
def test_waits_on_a_gpu(student, device):
    """On a GPU the CPU waits for it twice at most, for a check of the bounds, say, however large the inputs are."""
    # As one reads them, correct answers wait up to twice (row numbers made on the CPU, a mask, a check in Python); others ask for
    # numbers again and again, or compute elsewhere. What waits only the student's process can see; what it computes is compared.
    rests_on_word()
    for size in (8, 64):
        values, indices = torch.randn(size, 6, 3, device=device), some_of(6, size, 4).to(device)
        result, waits = student.run(probes.count_waits, values, indices)
        assert_close(result, gathered(values, indices), ulps=0)
        measured("waits", waits)
        if waits > 2:
            raise CheckFailed(
                f"PyTorch saw the CPU wait {waits} times for the GPU in one call (as your process says); 2 are allowed"
            )


@pytest.mark.gpu
@points(0, kind="speed", needs=(test_operations, test_speed, test_on_a_gpu))
def test_speed_on_a_gpu(student, device):
    """On a GPU 64 calls for 128 examples with 4096 entries take at most 30 times as long as the reference solution's."""
    # So many calls, of tensors that are drawn on the GPU from a number that comes with the question, since what crosses takes
    # longer than a gather does. The limit is to be measured on a GPU: a right answer may take many small operations (mapped ones,
    # say, ten times the reference's), and a loop over 128 examples takes a hundred times as many.
    race(
        student.probe(probes.gather_many),
        make_inputs=lambda: (int(torch.randint(2**62, ())), device),
        verify=lambda result, seed, device: assert_close(result, gathered_many(seed, device), ulps=0, what="the sum of 64 calls"),
        at_most=30.0,
        device=device,
    )


def gathered_many(seed, device):
    """What ``probes.gather_many`` gives with the reference."""
    return probes.summed(lambda values, indices: values[torch.arange(len(values), device=device)[:, None], indices], seed, device)
