"""Public checks: softmax_cross_entropy. You may read and run them; `check("softmax_cross_entropy")` does."""

import torch

from torchgrade import assert_close, assert_gradients, assert_shape, forgiving, points


def formula(logits, target, dim=-1):
    """The formula as it stands, in float64: right for logits that are not too large for it."""
    exps = logits.double().exp()
    return -(target * (exps / exps.sum(dim=dim, keepdim=True)).log()).sum(dim=dim)


def small(dim):
    """Logits from -1 to 1 and targets that sum to 1 along dim, both (5, 4)."""
    logits, target = 2 * torch.rand(5, 4) - 1, torch.rand(5, 4).square()
    return logits, target / target.sum(dim=dim, keepdim=True)


def assert_losses(losses, expected, what):
    """Compare with the formula to three digits; `test_dim` asks whether dim is still there, as one of size 1."""
    if losses.dim() == expected.dim() + 1 and losses.numel() == expected.numel():
        losses = losses.reshape(expected.shape)
    hints = {
        "values": "The formula: minus the target times the log of the probability, added up over the classes of a row.",
        "sign": "The log of a probability is negative; a loss is not.",
        "factor": "The terms of the classes are added up. Are they divided by their number somewhere?",
        "shape": "One loss for each example: sum over the classes (along dim), and over nothing else.",
    }
    assert_close(losses, expected, scale=2 + expected.abs(), ulps=2**14, what=what, hint=hints)


@points(0.5)
def test_small_logits(student):
    """Small logits give the losses of the formula, one for each row."""
    logits, target = small(-1)
    assert_losses(student.softmax_cross_entropy(logits, target, -1), formula(logits, target), "the loss")


@points(0.5, kind="stability")
def test_large_logits(student):
    """Logits 300 and 0 with targets one half each lose 150, with gradient 0.5 and -0.5."""
    # `test_small_logits` judges what it sees, such as a missing minus; here that is undone, and only size matters.
    plain = small(-1)
    losses, reference = forgiving(student.softmax_cross_entropy, formula, *plain, -1)
    assert_losses(losses(*plain, -1), reference(*plain, -1), "the loss for small logits")
    logits = torch.tensor([[300.0, 0.0], [0.0, 300.0], [0.0, 100.0]])
    target = torch.tensor([[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]])
    hint = "log(0) is -inf. Can the log and the exp be brought together on paper, before any number is computed?"
    hints = {"nan": hint, "values": hint}
    assert_close(losses(logits, target, -1), reference(logits, target, -1), scale=450, hint=hints)
    inputs = [(logits.requires_grad_(), target, -1)]
    assert_gradients(losses, reference=reference, inputs=inputs, precision=torch.float32, ulps=32, hint=hints)


@points(0.5, kind="shapes")
def test_dim(student):
    """With dim=0 there is one loss for each column, with no dim given one for each row; and dim itself is gone."""
    plain = small(-1)
    losses, reference = forgiving(student.softmax_cross_entropy, formula, *plain)
    assert_losses(losses(*plain), reference(*plain), "the loss with no dim given")
    logits, target = small(0)
    hint = "Sum along dim without keepdim, and over nothing else: that dimension is gone then, and the others stay."
    result = student.softmax_cross_entropy(logits, target, dim=0)
    assert_shape(result, (4,), what="the loss along dim 0", hint={"shape": hint})
    losses, reference = forgiving(student.softmax_cross_entropy, formula, logits, target, dim=0)
    assert_losses(losses(logits, target, dim=0), reference(logits, target, dim=0), "the loss along dim 0")
