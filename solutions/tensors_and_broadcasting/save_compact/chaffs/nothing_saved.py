"""Makes the dict and forgets to save it.

Fails: test_loaded, test_two_rows, test_tied, test_dtypes, test_layouts, test_size, test_expanded, test_shared, test_apart, test_given_tensors
Costs: all, because there is no file.
Says: nothing is written to path
"""

import os

from torch import Tensor


def save_compact(tensors: dict[str, Tensor], path: str | os.PathLike) -> None:
    compact = {}
    for name, tensor in tensors.items():
        compact[name] = tensor.clone()
