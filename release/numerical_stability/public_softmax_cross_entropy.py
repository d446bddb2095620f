"""Public checks: softmax_cross_entropy. You may read and run them; `check("softmax_cross_entropy")` does."""

import torch

from torchgrade import assert_close, assert_gradients, assert_shape, points


def formula(logits, target, dim):
    """The formula as it stands, in float64: right for small logits only."""
    exps = logits.double().exp()
    return -(target * (exps / exps.sum(dim=dim, keepdim=True)).log()).sum(dim=dim)


def small(dim):
    """Logits of ordinary size and targets that sum to 1 along dim, both (5, 4)."""
    logits, target = torch.randn(5, 4), torch.rand(5, 4).square()
    return logits, target / target.sum(dim=dim, keepdim=True)


def assert_losses(losses, logits, target, dim, what):
    """Compare with the formula, each loss by itself; whether dim is still there, as one of size 1, `test_dim` asks."""
    expected = formula(logits, target, dim)
    if losses.shape == expected.unsqueeze(dim).shape:
        losses = losses.squeeze(dim)
    hints = {
        "values": "The formula: minus the target times the log of the probability, added up over the classes of a row.",
        "sign": "The log of a probability is negative; a loss is not.",
        "shape": "One loss for each example: sum over the classes (along dim), and over nothing else.",
    }
    assert_close(losses, expected, scale=1 + logits.abs().max() + expected, what=what, hint=hints)


@points(0.5)
def test_small_logits(student):
    """Small logits give the losses of the formula, one for each row."""
    logits, target = small(-1)
    assert_losses(student.softmax_cross_entropy(logits, target, -1), logits, target, -1, "the loss")


@points(0.5, kind="stability")
def test_large_logits(student):
    """Logits 1000 and 0 with targets one half each lose 500, with gradient 0.5 and -0.5."""
    logits = torch.tensor([[1000.0, 0.0], [0.0, 1000.0], [0.0, 3000.0]])
    target = torch.tensor([[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]])
    expected = torch.tensor([500.0, 0.0, 1500.0])
    hint = "log(0) is -inf. Can the log and the exp be brought together on paper, before any number is computed?"
    hints = {"nan": hint, "values": hint}
    losses = student.softmax_cross_entropy(logits, target, -1)
    assert_close(losses.squeeze(-1) if losses.shape == (3, 1) else losses, expected, scale=1 + 3000 + expected, hint=hints)
    slopes = torch.tensor([[0.5, -0.5], [0.0, 0.0], [-0.5, 0.5]])  # softmax minus target
    assert_gradients(
        student.softmax_cross_entropy,
        reference=lambda x, *_: (slopes * x).sum(dim=-1),
        inputs=[(logits.requires_grad_(), target, -1)],
        precision=torch.float32,
        ulps=32,
        hint=hints,
    )


@points(0.5, kind="shapes")
def test_dim(student):
    """With dim=0 there is one loss for each column, with no dim given one for each row; and dim itself is gone."""
    logits, target = small(0)
    losses = student.softmax_cross_entropy(logits, target, dim=0)
    assert_losses(losses, logits, target, 0, "the loss along dim 0")
    assert_shape(losses, (4,), what="the loss along dim 0", hint="Sum along dim without keepdim: that dimension is gone then.")
    logits, target = small(-1)
    assert_losses(student.softmax_cross_entropy(logits, target), logits, target, -1, "the loss with no dim given")
