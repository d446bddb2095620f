"""Public checks: softmax. You may read and run them; `check("softmax")` does."""

import torch

from torchgrade import assert_close, points


@points(0.5)
def test_small_logits(student):
    """Small logits give the probabilities of the formula."""
    logits = torch.randn(3, 5)
    exps = logits.double().exp()
    expected = exps / exps.sum(dim=-1, keepdim=True)
    assert_close(student.softmax(logits), expected)


@points(0.5, kind="stability")
def test_large_logits(student):
    """Logits of 1000 and -1000 give probabilities, not nan."""
    logits = torch.tensor([[1000.0, 0.0, 1000.0], [-1000.0, 0.0, -2000.0], [-1000.0, -1000.0, -3000.0]])
    expected = torch.tensor([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    assert_close(student.softmax(logits), expected)


@points(0.5, kind="shapes")
def test_dim(student):
    """With dim=0 each column sums to 1, not each row."""
    logits = torch.randn(3, 5)
    exps = logits.double().exp()
    expected = exps / exps.sum(dim=0, keepdim=True)
    assert_close(student.softmax(logits, dim=0), expected)
