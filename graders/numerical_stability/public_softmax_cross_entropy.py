"""Public checks: softmax_cross_entropy. You may read and run them; `check("softmax_cross_entropy")` does."""

import torch

from torchgrade import assert_close, assert_gradients, points


def formula(logits, target, dim=-1):
    """The formula as it stands, in float64: right for small logits only."""
    exps = logits.double().exp()
    return -(target * (exps / exps.sum(dim=dim, keepdim=True)).log()).sum(dim=dim)


@points(0.5)
def test_small_logits(student):
    """Small logits give the losses of the formula, one for each row."""
    logits, target = torch.randn(5, 4), torch.rand(5, 4).square()
    target = target / target.sum(dim=-1, keepdim=True)
    expected = formula(logits, target)
    assert_close(student.softmax_cross_entropy(logits, target), expected, scale=1 + logits.abs().max() + expected)


@points(0.5, kind="stability")
def test_large_logits(student):
    """Logits 1000 and 0 with targets one half each lose 500, with gradient 0.5 and -0.5."""
    logits = torch.tensor([[1000.0, 0.0], [0.0, 1000.0], [0.0, 3000.0]])
    target = torch.tensor([[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]])
    expected = torch.tensor([500.0, 0.0, 1500.0])
    assert_close(student.softmax_cross_entropy(logits, target), expected, scale=1 + 3000 + expected)
    slopes = torch.tensor([[0.5, -0.5], [0.0, 0.0], [-0.5, 0.5]])  # softmax minus target
    assert_gradients(
        student.softmax_cross_entropy,
        reference=lambda x, _: (slopes * x).sum(dim=-1),
        inputs=[(logits.requires_grad_(), target)],
        precision=torch.float32,
        ulps=32,
    )


@points(0.5, kind="shapes")
def test_dim(student):
    """With dim=0 there is one loss for each column, and nothing is averaged."""
    logits, target = torch.randn(5, 4), torch.rand(5, 4).square()
    target = target / target.sum(dim=0, keepdim=True)
    expected = formula(logits, target, dim=0)
    assert_close(student.softmax_cross_entropy(logits, target, dim=0), expected, scale=1 + logits.abs().max() + expected)
