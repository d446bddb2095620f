"""Public checks: batch_gather. You may read and run them; `check("batch_gather")` does."""

import torch

from torchgrade import assert_close, assert_raises, points


@points(0.5)
def test_by_hand(student):
    """Three examples with two entries each give what you can read off with a finger."""
    values = torch.tensor([[10.0, 11.0], [20.0, 21.0], [30.0, 31.0]])
    indices = torch.tensor([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 1]])
    expected = torch.tensor([[11.0, 10.0, 11.0, 11.0], [20.0, 20.0, 21.0, 20.0], [31.0, 31.0, 30.0, 31.0]])
    hint = {
        "shape": "The result has the shape of the indices: one entry for each of them.",
        "values": "The tens say which example an entry is from, the ones which of its entries it is. Which of the two is wrong?",
    }
    assert_close(student.batch_gather(values, indices), expected, ulps=0, hint=hint)


@points(0.25, kind="shapes")
def test_vectors(student):
    """An entry may be a vector: all of its numbers come along."""
    values, indices = torch.randn(5, 4, 3), torch.randint(0, 4, (5, 6))
    expected = torch.stack([row[index] for row, index in zip(values, indices, strict=True)])  # the loop
    hint = "result[b, i] is all of the vector values[b, indices[b, i]]."
    assert_close(student.batch_gather(values, indices), expected, ulps=0, hint={"shape": hint, "values": hint})


@points(0.25, kind="shapes", needs=test_by_hand)
def test_table_of_indices(student):
    """Each example may have a table of indices."""
    values, indices = torch.randn(5, 4), torch.randint(0, 4, (5, 3, 2))
    expected = torch.stack([row[index] for row, index in zip(values, indices, strict=True)])
    hint = "result[b] has the shape of indices[b]. Which shape must the row numbers have beside indices of [B, 3, 2]?"
    assert_close(student.batch_gather(values, indices), expected, ulps=0, hint={"shape": hint, "values": hint})


@points(0.5, kind="errors", needs=test_by_hand)
def test_index_too_large(student):
    """Index 2 of two entries is an error, not the first entry of the next example."""
    values = torch.tensor([[10.0, 11.0], [20.0, 21.0], [30.0, 31.0]])
    assert_raises(
        student.batch_gather,
        values,
        torch.tensor([[1, 2], [0, 1], [0, 0]]),
        because="an index of example 0 is 2, and each example has two entries, 0 and 1",
        hint="Index N itself is too large. Compare every example's indices with N before anything is added, and raise an error.",
    )
