"""Inputs that the hidden checks draw, and what is right for them."""

import torch

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
COMPLEX = (torch.complex64, torch.complex128)
DTYPES = (torch.bool, *INTEGERS, *FLOATS, *COMPLEX)


def gathered(values, indices):
    """The reference: the specification's loop, one example after the other."""
    if not len(values):
        return values.new_empty((*indices.shape, *values.shape[2:]))
    return torch.stack([row[index] for row, index in zip(values, indices, strict=True)])


def values_of(dtype, *shape):
    """Random values of a dtype, integers over its whole range."""
    if dtype is torch.bool:
        return torch.rand(shape) < 0.5
    if dtype in INTEGERS:
        limits = torch.iinfo(dtype)
        return torch.randint(limits.min, limits.max, shape, dtype=dtype)
    return torch.randn(shape, dtype=dtype)


def some_of(count, *shape):
    """Random indices below ``count``; an index may come twice."""
    return torch.randint(0, count, shape)


def shuffles_of(count, examples):
    """For each example all indices below ``count``, each once, in random order: (examples, count)."""
    return torch.rand(examples, count).argsort(dim=1)


def delicate(dtype):
    """Values (3, n, 2) that arithmetic would damage: every example holds them all, in random order."""
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
    rows = torch.stack([every[torch.randperm(len(every))] for _ in range(3)])
    return torch.stack([rows, rows.flip(1)], dim=2)


def signs(tensor):
    """Which numbers have a minus sign, -0.0 among them; of a complex one, which real parts and which imaginary parts.

    A nan's sign and payload say nothing: `torch.gather` itself does not keep them in bfloat16.
    """
    parts = torch.stack([tensor.real, tensor.imag], dim=-1) if tensor.is_complex() else tensor[..., None]
    return torch.signbit(parts)


def name_of(dtype):
    """A dtype as students write it, without the module."""
    return str(dtype).removeprefix("torch.")
