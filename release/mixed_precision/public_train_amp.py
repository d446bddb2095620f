"""Public checks: train_amp. You may read and run them; `check("train_amp")` does.

They call `practice` of the notebook, which trains one linear layer by your `train_amp`. Its loss is the output times the
target, so the gradient of a batch is simply `target * inputs`, and all numbers are chosen so that nothing is rounded.
"""

import torch

from torchgrade import CheckFailed, assert_close, points


@points(0.5)
def test_gradient_below_float16(student):
    """A gradient of 2**-26, which float16 cannot hold, still moves the weights; the losses are the unscaled ones."""
    batches = [(torch.tensor([[1.0, 2.0]]), torch.tensor([[2.0**-26]])) for _ in range(3)]
    weights, losses, scale = practise(student, batches, scale=2.0**16, rate=2.0**26)
    assert_close(weights, torch.tensor([8.0 - 3, 8.0 - 6]), what="the weights after three steps")
    assert_losses(losses, [24 * 2.0**-26, 19 * 2.0**-26, 14 * 2.0**-26])
    assert_scale(scale, 2.0**16)


@points(0.5, kind='stability')
def test_batch_that_overflows(student):
    """At a scale of 65536 the first batch overflows: its step is left out, the scale is halved, and training goes on."""
    batches = [(torch.tensor([[1.0, 0.5]]), torch.tensor([[1.0]])) for _ in range(3)]
    weights, losses, scale = practise(student, batches, scale=2.0**16, rate=1.0)
    assert_close(weights, torch.tensor([8.0 - 2, 8.0 - 1]), what="the weights after one step left out and two taken")
    assert_losses(losses, [12.0, 12.0, 10.75])
    assert_scale(scale, 2.0**15)


@points(0.5, kind='gradients')
def test_clipping_to_a_norm(student):
    """With max_norm=2.5 the gradient (3, 4) becomes (1.5, 2), whatever the scale; (0.3, 0.4) stays."""
    batches = [(torch.tensor([[3.0, 4.0]]), torch.tensor([[1.0]])), (torch.tensor([[3.0, 4.0]]), torch.tensor([[0.125]]))]
    weights, _, _ = practise(student, batches, scale=2.0**10, rate=1.0, max_norm=2.5)
    # Clipping divides by the norm and a small constant of 1e-6: a share of 1e-6 is rounding here.
    expected = torch.tensor([8.0 - 1.5 - 0.375, 8.0 - 2.0 - 0.5])
    assert_close(weights, expected, scale=8.0, what="the weights after two steps")


def practise(student, batches, **options):
    """What the notebook's ``practice`` returns for weights of 8: trained weights, losses, scale."""
    result = student.practice([8.0, 8.0], batches, **options)
    if not isinstance(result, tuple) or len(result) != 3:
        raise CheckFailed("practice returned something else than weights, losses and scale: was it defined anew?")
    return result


def assert_losses(losses, expected):
    """A list of Python floats, one for each batch, exact up to rounding."""
    if not isinstance(losses, list) or not all(isinstance(loss, float) for loss in losses):
        raise CheckFailed(f"train_amp returned {losses}; expected a list of Python floats")
    if len(losses) != len(expected):
        raise CheckFailed(f"train_amp returned {len(losses)} losses for {len(expected)} batches")
    wanted = torch.tensor(expected)
    assert_close(torch.tensor(losses), wanted, scale=wanted, what="the list of losses")


def assert_scale(scale, expected):
    """The scale that the scaler ends with."""
    if not isinstance(scale, float) or scale != expected:
        raise CheckFailed(f"the scaler ends with a scale of {scale}; expected {expected}")
