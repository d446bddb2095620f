"""Public checks: softmax. You may read and run them; `check("softmax")` does."""

import torch

from torchgrade import assert_close, points

_THREE_DIGITS = 2**12
"""Units of rounding that are allowed here, 5e-4; the hidden checks look at the other digits."""


def formula(logits, dim):
    """The formula as it stands, in float64: right for small logits only."""
    exps = logits.double().exp()
    return exps / exps.sum(dim=dim, keepdim=True)


@points(0.5)
def test_small_logits(student):
    """Small logits give the probabilities of the formula."""
    logits = torch.randn(3, 5)
    hint = "The formula: exp of each entry, divided by the sum of the exps of its row."
    assert_close(student.softmax(logits, -1), formula(logits, -1), ulps=_THREE_DIGITS, hint=hint)


@points(0.5, kind="stability")
def test_large_logits(student):
    """Logits of 1000 and -1000 give probabilities, not nan."""
    logits = torch.tensor([[1000.0, 0.0, 1000.0], [-1000.0, 0.0, -2000.0], [-1000.0, -1000.0, -3000.0]])
    expected = torch.tensor([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    hints = {
        "nan": "exp(1000) is infinite. What can you subtract from every logit without changing the result?",
        "values": "exp(1000) is infinite and exp(-1000) is 0. Which shift keeps a row's largest exponent where exp is exact?",
    }
    assert_close(student.softmax(logits, -1), expected, ulps=_THREE_DIGITS, hint=hints)


@points(0.5, kind="shapes")
def test_dim(student):
    """With dim=0 each column sums to 1; with no dim given, each row does."""
    logits = torch.randn(3, 5)
    hint = "Every reduction, max and sum, runs along the dim that was asked for."
    result = student.softmax(logits, dim=0)
    assert_close(result, formula(logits, 0), ulps=_THREE_DIGITS, what="the result along dim 0", hint=hint)
    hint = "When no dim is given it is the last one: dim=-1 in the signature."
    logits = torch.randn(2, 3, 5)
    result = student.softmax(logits)
    assert_close(result, formula(logits, -1), ulps=_THREE_DIGITS, what="the result with no dim given", hint=hint)
