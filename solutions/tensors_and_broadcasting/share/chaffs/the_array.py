"""Returns what it was given.

Fails: test_by_hand, test_shared, test_read_only, test_dtypes, test_shared_dtypes, test_shared_layouts, test_reversed, test_byte_order, test_fields, test_dlpack
Costs: all, because nothing becomes a tensor.
Says: the array comes back as it was
"""


def share(array):
    return array
