"""Public checks: batch_gather. You may read and run them; `check("batch_gather")` does."""

import torch

from torchgrade import assert_close, assert_raises, points


@points(0.5)
def test_by_hand(student):
    """Two examples with three entries each give what you can read off with a finger."""
    values = torch.tensor([[10.0, 11.0, 12.0], [20.0, 21.0, 22.0]])
    indices = torch.tensor([[2, 0, 2, 1], [1, 1, 0, 2]])
    expected = torch.tensor([[12.0, 10.0, 12.0, 11.0], [21.0, 21.0, 20.0, 22.0]])
    assert_close(student.batch_gather(values, indices), expected, ulps=0)


@points(0.5, kind="shapes")
def test_tables(student):
    """Each example may have a table of indices, and each entry may be a table of values."""
    values, indices = torch.randn(2, 5, 3, 4), torch.randint(0, 5, (2, 3, 2))
    expected = torch.stack([row[index] for row, index in zip(values, indices, strict=True)])  # the loop
    assert_close(student.batch_gather(values, indices), expected, ulps=0)


@points(0.5, kind="errors", needs=test_by_hand)
def test_index_too_large(student):
    """Index 3 of three entries is an error, not the first entry of the next example."""
    values = torch.tensor([[10.0, 11.0, 12.0], [20.0, 21.0, 22.0]])
    assert_raises(
        student.batch_gather,
        values,
        torch.tensor([[2, 3], [0, 1]]),
        because="an index is 3 and each example has three entries, 0 to 2",
    )
