"""from_numpy, and nothing else.

Fails: test_read_only, test_reversed, test_byte_order, test_fields, test_dlpack
Costs: 4, because five kinds of input are not thought of, and from_numpy gets each of them wrong in its own way.
Says: from_numpy alone is not enough: it refuses some arrays, and shares read-only ones
"""

import torch
from torch import Tensor


def share(array) -> Tensor:
    return torch.from_numpy(array)
