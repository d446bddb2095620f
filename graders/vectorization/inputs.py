"""Inputs that the hidden checks draw, and what is right for them.

The plain case is one dimension of indices and entries that are numbers, with at least as many examples as entries: each
property is looked at there, so that a mistake is billed once, by the check that is about it.
"""

import torch

from torchgrade import assert_close
from torchgrade.checks.faults import StudentFault

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
COMPLEX = (torch.complex64, torch.complex128)
DTYPES = (torch.bool, *INTEGERS, *FLOATS, *COMPLEX)


def gathered(values, indices):
    """The reference: the specification's loop, one example after the other."""
    if not len(values):
        return values.new_empty((*indices.shape, *values.shape[2:]))
    return torch.stack([row[index] for row, index in zip(values, indices, strict=True)])


def check(student, values, indices, what="the result"):
    """Fail unless the student's values are exactly the right ones."""
    result, expected = student.batch_gather(values, indices), gathered(values, indices)
    assert_close(result, expected, ulps=0, what=what, hint=hints(result, expected, values))


def entries_for(student):
    """The shape of the entries to look at a property with: numbers, or vectors for an answer that is right for these alone.

    An answer that is right for neither is looked at with numbers.
    """
    for rest in ((), (3,)):
        values, indices = torch.randn(5, 4, *rest), some_of(4, 5, 6)
        try:
            result, expected = student.batch_gather(values, indices), gathered(values, indices)
        except StudentFault:
            continue
        if result.shape == expected.shape and bool((result == expected).all()):
            return rest
    return ()


def hints(result, expected, values):
    """Sentences by slip for a result that may be wrong: what it holds instead of the right entries."""
    if result.shape[:2] == (len(values), len(values)) and result.dim() == expected.dim() + 1:
        return {"shape": "values[:, indices] gives every example the indices of all examples."}
    if result.shape != expected.shape or result.dtype != expected.dtype:
        return {}
    sortable = expected.dim() > 1 and not expected.is_complex()
    if sortable and torch.equal(result.sort(dim=1).values, expected.sort(dim=1).values):
        return {"values": "Each example has the right entries, in another order than that of its indices."}
    wrong = ((result != expected) & ~(result.isnan() & expected.isnan())).nonzero()
    if not len(wrong):
        return {}
    place = tuple(wrong[0].tolist())
    found = (values == result[place]).nonzero()
    if len(found) != 1:
        return {}
    example, entry = found[0, :2].tolist()
    whose = "its own" if example == place[0] else f"example {example}'s"
    return {"values": f"At {list(place)}, where an entry of example {place[0]} belongs, stands {whose} entry {entry}."}


def values_of(dtype, *shape):
    """Random values that any dtype holds exactly: from 0 to 100, quarters among them where there are fractions."""
    if dtype is torch.bool:
        return torch.rand(shape) < 0.5
    numbers = torch.randint(0, 100, shape)
    if dtype in INTEGERS:
        return numbers.to(dtype)
    quarters = numbers / 4
    return (torch.complex(quarters, quarters.flip(0)) if dtype.is_complex else quarters).to(dtype)


def some_of(count, *shape):
    """Random indices below ``count``; an index may come twice."""
    return torch.randint(0, count, shape)


def shuffles_of(count, examples):
    """For each example all indices below ``count``, each once, in random order: (examples, count)."""
    return torch.rand(examples, count).argsort(dim=1)


def delicate(dtype, rest):
    """Values (n, n, *rest) that arithmetic would damage: every example holds all n of them, in random order."""
    if dtype in INTEGERS:
        limits = torch.iinfo(dtype)
        numbers = [n for n in (2**24 + 1, 2**53 + 1, -(2**53) - 1) if limits.min <= n <= limits.max]
        every = torch.tensor([limits.min, limits.max, limits.max - 1, 0, 1, *numbers], dtype=dtype)
    else:
        limits = torch.finfo(dtype)
        big = min(2.0**24 + 1, limits.max)
        numbers = [torch.inf, -torch.inf, torch.nan, 0.0, -0.0, limits.max, limits.smallest_normal / 2, big, 1 / 3]
        every = torch.tensor(numbers, dtype=torch.float64)
        every = torch.complex(every, every.flip(0)).to(dtype) if dtype.is_complex else every.to(dtype)
    rows = torch.stack([every[torch.randperm(len(every))] for _ in every])
    return torch.stack([rows, rows.flip(1), rows], dim=2) if rest else rows


def signs(tensor):
    """Which numbers have a minus sign, -0.0 among them; of a complex one, which real parts and which imaginary parts.

    A nan's sign and payload say nothing: `torch.gather` itself does not keep them in bfloat16.
    """
    parts = torch.stack([tensor.real, tensor.imag], dim=-1) if tensor.is_complex() else tensor[..., None]
    return torch.signbit(parts)


def two_calls(gather, indices):
    """A function of two tensors of values: ``gather`` of each, with indices of its own, before anything goes backward."""

    def both(one, other):
        return torch.stack([gather(one, indices[0]), gather(other, indices[1])])

    return both


def name_of(dtype):
    """A dtype as students write it, without the module."""
    return str(dtype).removeprefix("torch.")
