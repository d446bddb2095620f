"""Public checks: train_amp. You may read and run them; `check("train_amp")` does.

They call `practice` of the notebook, which trains one linear layer by your `train_amp`. Its loss is the output times the
target, so the gradient of a batch is simply `target * inputs`, and all numbers are chosen so that nothing is rounded.
"""

import torch

from torchgrade import CheckFailed, assert_close, points


@points(0.5)
def test_gradient_below_float16(student):
    """A gradient of 2**-26, which float16 cannot hold, still moves the weights; the loss is the unscaled one."""
    batches = [(torch.tensor([[1.0, 2.0]]), torch.tensor([[2.0**-26]]))]
    weights, losses, scale = practise(student, batches, scale=2.0**16, rate=2.0**26)
    hint = "float16 has no number between 0 and 6e-8. Whatever goes into backward() must have been made larger before."
    assert_close(weights, torch.tensor([8.0 - 1, 8.0 - 2]), what="the weights after one step", hint=hint)
    assert_losses(losses, [24 * 2.0**-26])
    assert_scale(scale, 2.0**16)


@points(0.5, kind="gradients")
def test_two_steps(student):
    """At a scale of 1, each of two steps moves the weights by its own gradient: (1, 2), then (2, 4)."""
    batches = [(torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0]])), (torch.tensor([[1.0, 2.0]]), torch.tensor([[2.0]]))]
    weights, _, _ = practise(student, batches, scale=1.0, rate=1.0)
    hint = "Gradients add up until they are cleared."
    assert_close(weights, torch.tensor([8.0 - 3, 8.0 - 6]), what="the weights after two steps", hint=hint)


@points(0.5, kind="stability")
def test_batch_that_overflows(student):
    """At a scale of 65536 the second batch overflows: its step is left out, and the scale is halved."""
    inputs = torch.tensor([[1.0, 0.5]])
    batches = [(inputs, torch.tensor([[0.5]])), (inputs, torch.tensor([[1.0]]))]
    weights, losses, scale = practise(student, batches, scale=2.0**16, rate=1.0)
    hint = "1 * 65536 is more than float16 can hold (65504). The scaler leaves such a step out, if it is the scaler that steps."
    assert_close(weights, torch.tensor([7.5, 7.75]), what="the weights after one step taken and one left out", hint=hint)
    assert_losses(losses, [6.0, 11.375])
    assert_scale(scale, 2.0**15)


@points(0.5, kind="gradients")
def test_clipping_to_a_norm(student):
    """With max_norm=2.5 the gradient (3, 4) becomes (1.5, 2), whatever the scale; (0.375, 0.5) stays."""
    hint = "The gradient (3, 4) has norm 5. Multiplied by the scale it has norm 5120. Which is to be clipped?"
    for target, step in ((1.0, (1.5, 2.0)), (0.125, (0.375, 0.5))):
        batch = (torch.tensor([[3.0, 4.0]]), torch.tensor([[target]]))
        weights, _, _ = practise(student, [batch], scale=2.0**10, rate=1.0, max_norm=2.5)
        # Clipping divides by the norm and a small constant of 1e-6: a share of 1e-6 is rounding here.
        expected = 8.0 - torch.tensor(step)
        assert_close(weights, expected, scale=8.0, what=f"the weights after a step of {list(step)}", hint=hint)


def practise(student, batches, **options):
    """What the notebook's ``practice`` returns for weights of 8: trained weights, losses, scale."""
    result = student.practice([8.0, 8.0], batches, **options)
    if not isinstance(result, tuple) or len(result) != 3:
        raise CheckFailed("practice returned something else than weights, losses and scale: was it defined anew?", slip="type")
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
