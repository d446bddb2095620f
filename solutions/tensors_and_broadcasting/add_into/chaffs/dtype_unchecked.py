"""copy_ casts without a word.

Fails: test_refused_dtypes
Says: copy_ rounds 0.5 to 0 where out holds integers, and nobody asks before
"""

from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return out.copy_(a + b)
