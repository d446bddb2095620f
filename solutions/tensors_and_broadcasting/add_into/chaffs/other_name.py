"""The name out is given to a new tensor; the memory stays as it was.

Fails: test_by_hand, test_returned (values), test_empty_and_single, test_larger_out, test_strided_out, test_as_before, test_overlap, test_refused_dtypes, test_rounded_once
Costs: all, because nothing is written into out.
Says: out = a + b names a new tensor, and the memory of the old one stays as it was
"""

from torch import Tensor


def add_into(out: Tensor, a: Tensor, b: Tensor) -> Tensor:
    out = a + b
    return out
