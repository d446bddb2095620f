"""What runs beside the student's code. Nothing here is secret."""

from typing import Any

import torch
from torch import Tensor


def attention_of_copies(notebook: Any, queries: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    """The result for copies that autograd knows: who writes into their inputs loses the points of another check only."""
    return notebook.ragged_attention(queries.clone(), keys.clone(), values.clone(), lengths.clone())


def attention_of_many(notebook: Any, seed: int, some: Tensor) -> Tensor:
    """The result for some of 1024 examples that are drawn here: half a race would be their way through the wall."""
    inputs = drawn(seed)
    for _ in range(2):
        notebook.ragged_attention(*inputs)
    return notebook.ragged_attention(*inputs)[some]


def drawn(seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Queries, keys, values and lengths: 64 examples, 16 times. The judge draws the same ones."""
    generator = torch.Generator().manual_seed(seed)
    queries, keys, values = (torch.randn(64, n, 4, generator=generator).repeat(16, 1, 1) for n in (2, 4, 4))
    return queries, keys, values, torch.randint(1, 5, (1024,), generator=generator)
