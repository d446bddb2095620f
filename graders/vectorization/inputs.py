"""Inputs that the hidden checks draw, and what is right for them.

The plain case is one dimension of indices and entries that are numbers, with at least as many examples as entries: each
property is looked at there, so that a mistake is billed once, by the check that is about it.
"""

import torch

from torchgrade import assert_close
from torchgrade.checks.raised import hint_where_raised

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
COMPLEX = (torch.complex64, torch.complex128)
DTYPES = (torch.bool, *INTEGERS, *FLOATS, *COMPLEX)


def gathered(values, indices):
    """The reference: the specification's loop, one example after the other."""
    if not len(values):
        return values.new_empty((*indices.shape, *values.shape[2:]))
    return torch.stack([row[index] for row, index in zip(values, indices, strict=True)])


def check(gather, values, indices, *, what="the result", hint="", raised=""):
    """Fail unless ``gather`` returns exactly the right values. ``hint`` is for wrong ones, in place of what they show."""
    with hint_where_raised(raised):
        result = gather(values, indices)
    expected = gathered(values, indices)
    assert_close(result, expected, ulps=0, what=what, hint={"values": hint} if hint else hints(result, values, indices))


def equals(result, expected):
    """Whether a result has the right numbers in the right form, of whatever dtype."""
    if not isinstance(result, torch.Tensor) or result.layout is not torch.strided:
        return False
    return (result.shape, result.device) == (expected.shape, expected.device) and bool((result == expected).all())


def hints(result, values, indices):
    """Sentences by slip for a result that may be wrong: what it holds instead of the right entries."""
    if not isinstance(result, torch.Tensor):
        return {}
    expected = gathered(values, indices)
    if indices.dim() > 1 and result.dim() == expected.dim() + 1 and result.shape[:2] == (len(values), len(values)):
        return {"shape": "values[:, indices] gives every example the indices of all examples."}
    if result.shape != expected.shape or result.dtype != expected.dtype:
        return {}
    wrong = ((result != expected) & ~(result.isnan() & expected.isnan())).nonzero()
    if not len(wrong):
        return {}
    if expected.dim() > indices.dim() and not _are_entries(result, values, indices):
        return {"values": "An entry comes whole, its numbers in their order. Does every index stand beside all of them?"}
    sortable = indices.dim() > 1 and not expected.is_complex()
    if sortable and torch.equal(result.sort(dim=1).values, expected.sort(dim=1).values):
        return {"values": "Each example has the right entries, in another order than that of its indices."}
    place = tuple(wrong[0].tolist())
    found = (values == result[place]).nonzero()
    if len(found) != 1:
        return {}
    example, entry = found[0, :2].tolist()
    wanted = indices[place[: indices.dim()]].item()
    whose = "its" if example == place[0] else f"example {example}'s"
    return {"values": f"At {list(place)}, where example {place[0]}'s entry {wanted} belongs, stands {whose} entry {entry}."}


def _are_entries(result, values, indices):
    """Whether what stands at each index is an entry of any example, with all of its numbers."""
    every = values.flatten(0, 1).flatten(1)
    return all(bool((every == one).all(1).any()) for one in result.flatten(0, indices.dim() - 1).flatten(1))


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
