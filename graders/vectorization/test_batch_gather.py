"""Hidden checks: batch_gather.

Gathering copies and computes nothing, so values are compared with no tolerance at all (`ulps=0`). Only gradients are sums.

The public checks judge the function as it is, and so do `test_combinations` and those that need a GPU. The others take it as
`form_of` returns it: without one slip, such as a transposed result. `test_values` passes in that form, too, and what is right in
none fails there; nothing else is run then.
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
from torchgrade.checks.raised import hint_where_raised

from . import probes
from .forms import form_of
from .inputs import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    check,
    delicate,
    equals,
    gathered,
    hints,
    name_of,
    shuffles_of,
    signs,
    some_of,
    two_calls,
    values_of,
)

F32, F64 = torch.float32, torch.float64
INDEX_SHAPES = ((), (5,), (2, 4), (3, 2, 2))
ENTRY_SHAPES = ((), (3,), (2, 5), (4, 2, 3))
GRADIENT = "Each entry's gradient comes from the places of the result where it stands, of its own example and of this very call."
WHOLE_ENTRIES = "Where entries are numbers the gradient was right. Does it reach every number of an entry that is a tensor?"
TOO_LARGE = "Compare the indices themselves with N: not sums or products of them, and not those of some examples only."
HUGE = "Integers wrap around: 2**32 is 0 as int32, and so is 4 * 2**62 as int64. Compare the indices as they came."


@points(0.5)
def test_values(student):
    """Each example gets entries of its own, and of no other."""
    gather, rest, *_ = form_of(student)
    for batch, count, index in ((7, 5, 4), (5, 5, 5), (6, 3, 8)):
        check(gather, torch.randn(batch, count, *rest), some_of(count, batch, index))


@points(0.5, needs=test_values)
def test_called_again(student):
    """A call is answered by its own inputs, also where shapes and dtypes are those of an earlier one."""
    gather, rest, *_ = form_of(student)
    values, indices = torch.randn(6, 5, *rest), shuffles_of(5, 6)
    other_values, other_indices = torch.randn(6, 5, *rest), indices.flip(1)
    hint = "The first call was right. Is anything kept from one call for the next?"
    check(gather, values, indices)
    for what, *inputs in (
        ("the result of a second call, with other values of the same shape,", other_values, indices),
        ("the result of a third call, with other indices of the same shape,", other_values, other_indices),
        ("the result of a fourth call, with the first one's inputs,", values, indices),
    ):
        check(gather, *inputs, what=what, hint=hint)


@points(0.5, kind="shapes", needs=test_values)
def test_more_entries_than_examples(student):
    """There may be more entries than examples: three examples with forty entries."""
    gather, rest, *_ = form_of(student)
    for batch, count in ((2, 9), (3, 40)):
        values, indices = torch.randn(batch, count, *rest), shuffles_of(count, batch)
        check(gather, values, indices, raised="An index may be larger than the number of examples. What is it compared with?")


@points(0.5, kind="shapes", needs=test_values)
def test_entries(student):
    """An entry may be a number, a vector, or a tensor of two or three dimensions."""
    gather, *_ = form_of(student)
    raised = (
        "Does the code expect a certain number of dimensions? gather(), for one, wants as many of the indices as of the values."
    )
    for rest in ENTRY_SHAPES:
        check(gather, torch.randn(6, 5, *rest), some_of(5, 6, 7), raised=raised)


@points(0.5, kind="shapes", needs=test_values)
def test_index_dimensions(student):
    """Each example may have a single index, or a table of two or three dimensions."""
    gather, rest, *_ = form_of(student)
    hint = "Does the code expect a certain number of dimensions? Of the indices there may be one or many."
    for index in INDEX_SHAPES:
        check(gather, torch.randn(6, 5, *rest), some_of(5, 6, *index), hint=hint, raised=hint)


@points(0.5, kind="shapes", needs=test_values)
def test_sizes_of_one(student):
    """Sizes of 1 stay: one example, one entry, one index."""
    gather, rest, *_ = form_of(student)
    for batch, count, index in ((1, 5, 7), (5, 1, 3), (5, 4, 1), (1, 4, 1), (1, 1, 1)):
        raised = "There may be a single example. What is an index compared with?" if batch == 1 else ""
        check(gather, torch.randn(batch, count, *rest), some_of(count, batch, index), raised=raised)


@points(0.5, kind="shapes", needs=test_values)
def test_empty(student):
    """No examples, or no indices, give an empty result of the right shape."""
    gather, rest, *_ = form_of(student)
    raised = "Which step wants at least one element? A maximum does, and so does a -1 for reshape to work out."
    for batch, index in ((0, 4), (3, 0), (0, 0)):
        check(gather, torch.randn(batch, 5, *rest), some_of(5, batch, index), raised=raised)


@points(0.5, kind="shapes", needs=test_called_again)
def test_memory_layout(student):
    """Transposed, sliced and expanded values and indices work as well as contiguous ones."""
    gather, rest, *_ = form_of(student)
    hint = "The order in memory is that of the dimensions in a contiguous tensor only. Does anything read it as it lies there?"
    values, indices = torch.randn(6, 5, *rest), some_of(5, 6, 4)
    for strided in (
        torch.randn(5, 6, *rest).transpose(0, 1),
        torch.randn(12, 15, *rest)[::2, ::3],
        torch.randn(8, 7, *rest)[1:7, 2:],
        torch.randn(5, *rest).expand(6, 5, *rest),
        torch.randn(6, 1, *rest).expand(6, 5, *rest),
    ):
        check(gather, strided, indices, hint=hint)
    for strided in (some_of(5, 4, 6).T, some_of(5, 12, 8)[::2, ::2], some_of(5, 4).expand(6, 4), some_of(5, 6, 1).expand(6, 4)):
        check(gather, values, strided, hint=hint)


@points(0.5, kind="dtypes", needs=test_values)
def test_every_dtype(student):
    """bool, all integers, float16 to float64 and complex values keep their dtype."""
    gather, rest, *_ = form_of(student)
    for further, dtype in enumerate(DTYPES):  # no shape twice: what remembers by shape is told so by another check
        values, indices = values_of(dtype, 6, 5, *rest), some_of(5, 6, 7 + further)
        what = f"the result for {name_of(dtype)} values"
        with hint_where_raised("Some operations are not there for every dtype. A copy needs neither products nor sums."):
            result = gather(values, indices)
        assert_dtype(result, dtype, what=what, hint="Nothing is computed here: on which line is another dtype made?")
        assert_close(result, gathered(values, indices), ulps=0, what=what)


@points(1, needs=test_values)
def test_exact(student):
    """2**24 + 1, the largest integers, inf, nan and -0.0 arrive bit for bit, and leave their neighbours alone."""
    gather, rest, *_ = form_of(student)
    hint = {
        "nan": "0 * inf and 0 * nan are nan: does an entry that was not chosen take part in a product or a sum?",
        "values": "A copy needs no other dtype and no arithmetic, and takes inf and nan as they come.",
    }
    for further, dtype in enumerate((*INTEGERS, *FLOATS, *COMPLEX)):  # no shape twice, here as well
        values = delicate(dtype, rest)
        count = values.shape[1]
        indices = torch.cat([shuffles_of(count, len(values)), some_of(count, len(values), further)], dim=1)
        result, expected = gather(values, indices), gathered(values, indices)
        what = f"the result for {name_of(dtype)} values"
        assert_close(result, expected, ulps=0, what=what, hint=hint)
        if result.dtype is dtype and bool((signs(result) != signs(expected))[~expected.isnan()].any()):
            raise CheckFailed(
                f"{what} is not the same bit for bit: a -0.0 has lost its sign", hint="-0.0 + 0.0 is 0.0: is something added up?"
            )


@points(0.5, kind="errors", needs=test_values)
def test_out_of_range(student):
    """An index of N or more is an error, in any example and of any size, also where the next example has such an entry."""
    gather, rest, *_ = form_of(student)
    for batch, count, index in ((6, 5, 6), (6, 3, 1), (4, 1, 2)):
        for wrong in (count, count + 1, 2 * count, batch * count, 10**6, 2**32, 2**62, 2**62 + 1, 2**63 - 1):
            for place in (0, int(some_of(batch - 2)) + 1, batch - 1):
                assert_out_of_range(gather, wrong, place, torch.randn(batch, count, *rest), some_of(count, batch, index))


def assert_out_of_range(gather, wrong, place, values, indices):
    """Fail unless index ``wrong`` anywhere in example ``place`` is an error."""
    row = indices[place].view(-1)
    row[some_of(len(row))] = wrong
    batch, count = values.shape[:2]
    because = f"example {place} of {batch} asks for entry {wrong}, and each example has {count}"
    hint = "Index 0 is the only one where N is 1. Are the indices looked at there, too?" if count == wrong == 1 else TOO_LARGE
    assert_raises(gather, values, indices, because=because, hint=HUGE if wrong >= 2**32 else hint)


@points(0.5, kind="gradients", needs=test_values)
def test_gradient(student):
    """The gradient goes back to the entries that were chosen."""
    gather, rest, *_ = form_of(student)
    sizes = ((6, 4, 3), (5, 5, 5), (7, 3, 2))
    inputs = [(torch.randn(b, n, *rest, dtype=F64).requires_grad_(), shuffles_of(n, b)[:, :i]) for b, n, i in sizes]
    twice = "Does your backward pass return a gradient, and write it into .grad as well?"
    # In float32's precision: an answer that passes through float32 is told so by another check, and once.
    assert_gradients(gather, reference=gathered, inputs=inputs, precision=F32, hint={"values": GRADIENT, "factor": twice})


@points(0.5, kind="gradients", needs=test_gradient)
def test_gradient_of_repeats(student):
    """Where an index comes several times the gradients add up."""
    gather, rest, *_ = form_of(student)
    sizes = ((5, 4, 9), (5, 2, 3), (6, 6, 20))
    inputs = [(torch.randn(b, n, *rest, dtype=F64).requires_grad_(), some_of(n, b, i)) for b, n, i in sizes]
    hint = "An entry that was chosen twice gets the sum of two gradients. Assigning keeps one of them; so does += at an index."
    assert_gradients(gather, reference=gathered, inputs=inputs, precision=F32, hint=hint)


@points(0.5, kind="gradients", needs=(test_gradient, test_called_again))
def test_backward_of_two_calls(student):
    """Two calls of one shape have gradients of their own, also where both are made before the first backward pass."""
    gather, rest, *_ = form_of(student)
    hint = "What a backward pass needs belongs to its call: ctx keeps it apart, a class or a global variable does not."
    for dtype in (F32, F64):
        calls = [(torch.randn(6, 5, *rest, dtype=dtype).requires_grad_(), shuffles_of(5, 6)[:, :3]) for _ in range(2)]
        values, indices = zip(*calls, strict=True)
        assert_gradients(gather, reference=gathered, inputs=calls, precision=F32, hint=hint)
        both, right = two_calls(gather, indices), two_calls(gathered, indices)
        assert_gradients(both, reference=right, inputs=[values], precision=F32, hint=hint)


@points(0.5, kind="inputs", needs=test_values)
def test_inputs_untouched(student):
    """Values and indices are the same after the call, and the result is a tensor of its own."""
    _, rest, given, _ = form_of(student)
    for dtype in (F32, torch.int64):
        values = values_of(dtype, 5, 4, *rest)
        in_order = torch.arange(4).repeat(5, 1)
        for indices in (some_of(4, 5, 3), some_of(4, 4, 5).T, in_order, in_order[:, 1:3].clone()):
            assert_inputs_untouched(student.batch_gather, *given(values, indices))
        assert_inputs_untouched(student.batch_gather, *given(values[:, :1], torch.zeros(5, 3, dtype=torch.int64)))


@points(0.5, kind="inputs", needs=test_values)
def test_device(student):
    """New tensors are made on the device of the inputs."""
    _, rest, given, _ = form_of(student)
    rests_on_word()
    if student.run(probes.mixes_devices, *given(torch.randn(5, 4, *rest), some_of(4, 5, 3))) is not False:
        raise CheckFailed(
            "a tensor that was made without device=... meets the inputs, or is returned; on a GPU that fails",
            hint="A tensor that you make lies on the CPU unless you say device=indices.device.",
        )


@points(0.5, kind="operations", needs=test_values)
def test_operations(student):
    """The number of tensor operations does not grow with the numbers of examples, entries and indices."""
    _, rest, given, _ = form_of(student)
    for what, sizes in (
        ("examples", [(8, 6, 3), (32, 6, 3), (256, 6, 3)]),
        ("entries", [(256, 4, 5), (256, 32, 5), (256, 256, 5)]),
        ("indices of an example", [(6, 5, 4), (6, 5, 32), (6, 5, 256)]),
    ):
        inputs = [given(torch.randn(batch, count, *rest), some_of(count, batch, index)) for batch, count, index in sizes]
        hint = (
            f"It is the number of {what} that grew. What is done for each of them can be done for all, by one tensor of indices."
        )
        assert_constant_operations(student.batch_gather, inputs, hint=hint)


@points(1, kind="speed", needs=test_called_again)
def test_speed(student):
    """8192 examples with 8 entries and 8 indices each take at most 5 times as long as in the reference solution."""
    _, rest, _, mended = form_of(student)

    def verify(result, values, indices):  # the student's, or that of the reference
        expected = values[torch.arange(len(values))[:, None], indices]
        if not equals(mended(result, values, indices), expected):
            assert_close(result, expected, ulps=0)

    race(
        student.batch_gather,
        make_inputs=lambda: (torch.randn(8192, 8, *rest), some_of(8, 8192, 8)),
        verify=verify,
        at_most=5.0,
        hint="Does something happen example by example, in Python or in a library that loops for you?",
    )


@points(
    0.5,
    kind="shapes",
    needs=(
        test_entries,
        test_index_dimensions,
        test_sizes_of_one,
        test_empty,
        test_memory_layout,
        test_out_of_range,
        test_gradient_of_repeats,
        test_operations,
    ),
)
def test_combinations(student):
    """Right together, too: tables of indices with tensors as entries, in any layout, empty, with gradients and bounds."""
    for index, rest in itertools.product(INDEX_SHAPES, ENTRY_SHAPES):
        check(student.batch_gather, torch.randn(7, 6, *rest), some_of(6, 7, *index))
    for batch, index, rest in ((0, (), ()), (0, (2, 3), (2,)), (3, (2, 0), ()), (3, (0,), (2,)), (4, (3,), (1,))):
        check(student.batch_gather, torch.randn(batch, 3, *rest), some_of(3, batch, *index))
    check(student.batch_gather, torch.randn(3, 5, 6).transpose(0, 2), some_of(5, 2, 4, 6).transpose(0, 2))
    check(student.batch_gather, torch.randn(6, 5, 2, 3).mT, some_of(5, 6, 3, 2).mT)
    check(student.batch_gather, torch.randn(3, 5, 2, 6).transpose(0, 3), some_of(5, 6, 4, 1).expand(6, 4, 2))
    check(student.batch_gather, torch.randn(6, 5, 1).expand(6, 5, 3), some_of(5, 6, 4))
    inputs = [
        (torch.randn(6, 5, 3, dtype=F64).requires_grad_(), some_of(5, 6, 4)),
        (torch.randn(5, 6, 2, dtype=F64).transpose(0, 1).requires_grad_(), some_of(5, 6, 2, 4)),
        (torch.randn(6, 5, 2, 4, dtype=F64).requires_grad_(), some_of(5, 6, 3)),
        (torch.randn(6, 5, dtype=F64).requires_grad_(), some_of(5, 6)),
    ]
    assert_gradients(student.batch_gather, reference=gathered, inputs=inputs, precision=F32, hint={"values": WHOLE_ENTRIES})
    for index, rest in (((3,), (2, 2)), ((2, 3), (4,)), ((), ())):
        for wrong in (5, 6 * 5, 2**32, 2**62, 2**63 - 1):
            assert_out_of_range(student.batch_gather, wrong, int(some_of(6)), torch.randn(6, 5, *rest), some_of(5, 6, *index))
    inputs = [(torch.randn(6, 5, numbers), some_of(5, 6, 3)) for numbers in (4, 32, 256)]
    hint = "It is the number of numbers in an entry that grew. Indexing the first dimensions takes all that stands behind along."
    assert_constant_operations(student.batch_gather, inputs, hint=hint)


@pytest.mark.gpu
@points(0, kind="values", needs=(test_entries, test_every_dtype, test_gradient_of_repeats, test_device))
def test_on_a_gpu(student, device):
    """On a GPU values, gradients and the device of the result are right."""
    for dtype in DTYPES:
        values, indices = values_of(dtype, 6, 5, 4).to(device), some_of(5, 6, 7).to(device)
        result, what = student.batch_gather(values, indices), f"the result for {name_of(dtype)} values"
        assert_device(result, device, what=what)
        assert_dtype(result, dtype, what=what)
        expected = gathered(values, indices)
        assert_close(result, expected, ulps=0, what=what, hint=hints(result, values, indices))
    inputs = [
        (torch.randn(6, 5, *rest, dtype=F64, device=device).requires_grad_(), some_of(5, 6, 8).to(device))
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
        values, indices = torch.randn(size, 5, 3, device=device), some_of(5, size, 4).to(device)
        result, waits = student.run(probes.count_waits, values, indices)
        assert_close(result, gathered(values, indices), ulps=0)
        measured("waits", waits)
        if waits > 2:
            raise CheckFailed(
                f"PyTorch saw the CPU wait {waits} times for the GPU in one call (as your process says); 2 are allowed"
            )


@pytest.mark.gpu
@points(0, kind="speed", needs=(test_operations, test_speed, test_more_entries_than_examples, test_on_a_gpu))
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
