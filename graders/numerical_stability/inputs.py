"""Inputs that both exercises' hidden checks draw: large ones, of every kind that the contract names."""

import contextlib

import torch

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64

SIZES = ((F32, 1e4), (F32, 1e30), (F64, 1e4), (F64, 1e300), (BF16, 1e30), (F16, 6e4))
"""Dtypes, and sizes that a logit of it may have; float16 ends at 65504."""


def far_apart(size, dtype):
    """Logits (3, 6), neighbours at least size / 10 apart, in random order: a row of both signs, one above 0, one below."""
    rows = [torch.linspace(low, high, 6, dtype=F64)[torch.randperm(6)] for low, high in ((-1, 1), (0.5, 1), (-1, -0.5))]
    return (size * torch.stack(rows)).to(dtype)


def row_by_row(logits):
    """A matrix for each row: that row, and the same in another order. What suits unlike neighbours is another check's matter."""
    return [torch.stack([row, row[torch.randperm(len(row))]]) for row in logits]


def nearly_tied(dtype):
    """Two matrices of logits (4, 7), around 1e4 and around -1e4, whose entries are a few units apart."""
    return [centre + torch.randn(4, 7, dtype=dtype) for centre in (1e4, -1e4)]


def tied():
    """Logits (2, 4) of 1e30 and -1e30; each row has its largest more than once."""
    return torch.tensor([[1e30, 1e30, -1e30, 1e30], [-1e30, 1e30, 1e30, -1e30]])


SHAPES = ((5,), (1, 4), (2, 3), (3, 2, 4), (3, 1, 4), (2, 4, 3, 2), (2, 3, 2, 4, 2))
"""One to five dimensions, some of size 1."""


def unlike_rows():
    """Logits (3, 6): beside each other in random order, rows of size 1, 1e4 and -1e4."""
    rows = torch.stack([torch.randn(6), *far_apart(1e4, F32)[1:]])
    return rows[torch.randperm(3)]


def mild_rows():
    """Logits (2, 3, 6) around 70 and -70: rows of an example differ, and yet exp of each is a number in float32."""
    return torch.randn(2, 3, 6) + 70 * torch.tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]]).unsqueeze(-1)


def name_of(dtype):
    """A dtype as students write it, without the module."""
    return str(dtype).removeprefix("torch.")


def autocast_or_not(device, low):
    """Autocast on this device to the dtype ``low``, or none where that is None."""
    return contextlib.nullcontext() if low is None else torch.autocast(device.type, low)
