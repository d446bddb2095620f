"""The judge's own run of ``probes.train``, and how a student's run is compared with it.

Both runs do the same operations on the same numbers in the same dtypes, and every scale is a power of two: without clipping,
correct answers agree to the last bit. The natural scale of a weight's error is the largest distance that any weight moved.
As shares of it, measured over 60 runs: without autocast float16 is off by at least 3e-4, bfloat16 by 2e-3, and a gradient that
was not cleared shows at 2e-4 with a scale of 1024. With clipping, a correct answer that rounds its factor otherwise is off
by up to 1e-4 (one bit in a weight's float16 copy), and a norm over the wrong gradients by at least 0.06.

One check alone looks at the last bit. All others allow a share of the distance (ROUGH) in which roundings to a lower precision
disappear, and look at one thing each: so a slip costs what is said of it, and not every check that trains.
"""

import types

import torch
from torch import nn

from torchgrade import CheckFailed, assert_close

from . import probes

F16, BF16 = torch.float16, torch.bfloat16
EXACT, ROUGH, ON_A_GPU = 4e-5, 3e-2, 1e-4
"""Shares of the largest distance moved. On a GPU each process chooses its kernels anew, which may round otherwise (not measured).
Without autocast float16 is off by 3e-4 at least."""
EXACT_LOSS, ROUGH_LOSS = 1e-5, 8e-3
"""Shares of 1 and of the loss's own size. Another precision makes up to 4.4e-3 of difference, one digit alone 1.5e-2."""

_NOT_MOVED = "A scaler leaves a step out whose gradients overflow. Is it the scaler that was given, with its own scale?"

LARGE = {"factor": 2.0**8, "scale": 2.0**4}
"""Losses so large that their gradients need no scaler, for checks that are not about it: of 2,000 runs without one, 6 to 13 met
a gradient that float16 rounds more coarsely, and failed, where losses are as small as they come."""


def train_amp(model, loss_fn, optimizer, batches, scaler, *, device_type, dtype, max_norm=None):
    """The reference."""
    losses = []
    for inputs, targets in batches:
        with torch.autocast(device_type, dtype):
            loss = loss_fn(model(inputs.to(device_type)), targets.to(device_type))
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        if max_norm is not None:
            nn.utils.clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


REFERENCE = types.SimpleNamespace(train_amp=train_amp)


def draw(steps=8):
    """Weights, and ``steps`` batches of 8 inputs (8, 6) and labels (8,)."""
    weights = {
        "first.weight": torch.randn(12, 6) / 6**0.5,
        "first.bias": 0.3 * torch.randn(12),
        "frozen.weight": torch.randn(12, 12) / 12**0.5,
        "mixing": torch.randn(12, 5) / 2,
        "prototypes": torch.randn(4, 5),
    }
    return weights, [(torch.randn(8, 6), torch.randint(0, 4, (8,))) for _ in range(steps)]


class Runs:
    """A student's run and the judge's, from the same weights and batches."""

    def __init__(self, student, start, batches, *, what="", **options):
        self.start, self.what = start, f" {what}" if what else ""
        self.expected = probes.train(REFERENCE, start, batches, **options)
        self.answer = student.run(probes.train, start, batches, **options)
        if not isinstance(self.answer, dict) or self.answer.keys() != self.expected.keys():
            raise CheckFailed("the training run came back without its weights, losses, scale and dtypes")

    def assert_weights(self, share=ROUGH, hint=""):
        """Fail unless every weight is where the judge's is, up to a share of the distance moved."""
        answer, expected = self.answer["weights"], self.expected["weights"]
        if not isinstance(answer, dict) or answer.keys() != expected.keys():
            raise CheckFailed("the training run came back without its weights")
        if all(isinstance(answer[name], torch.Tensor) and torch.equal(answer[name], self.start[name]) for name in expected):
            raise CheckFailed(f"no weight has moved after training{self.what}", hint=_NOT_MOVED, slip="values")
        moved = max(float((expected[name] - self.start[name]).abs().max()) for name in expected)
        for name, weight in expected.items():
            ulps = share / torch.finfo(torch.float32).eps
            assert_close(answer[name], weight, scale=moved, ulps=ulps, what=f"{name} after training{self.what}", hint=hint)

    def assert_losses(self, share=ROUGH_LOSS, hint=""):
        """Fail unless the losses are those of the judge, as a list of Python floats."""
        assert_losses(self.answer["losses"], self.expected["losses"], self.what, share, hint)

    def assert_scale(self, hint=""):
        """Fail unless the scaler ends with the judge's scale."""
        answer, expected = self.answer["scale"], self.expected["scale"]
        if not isinstance(answer, float) or answer != expected:
            text = f"the scaler's scale is {answer} after training{self.what}; expected {expected}"
            raise CheckFailed(text, hint=hint, slip="values")


def overflowing(batches, at, value=torch.inf):
    """The batches, of which those numbered in ``at`` have one input of ``value``.

    An infinite input gives a finite loss, and a gradient that is not finite; nan gives a loss of nan as well.
    """
    result = [(inputs.clone(), targets) for inputs, targets in batches]
    for number in at:
        inputs = result[number][0]
        inputs[torch.randint(0, 8, ()), torch.randint(0, 6, ())] = value
    return result


def assert_losses(answer, expected, what="", share=ROUGH_LOSS, hint=""):
    """Fail unless ``answer`` is a list of Python floats, and the losses ``expected`` up to a share of 1 and of their own size."""
    expected = torch.tensor(expected, dtype=torch.float64)
    if not isinstance(answer, list):
        raise CheckFailed(f"train_amp returned a {type(answer).__name__}; expected a list of floats", slip="type")
    if wrong := {type(loss).__name__ for loss in answer if not isinstance(loss, float)}:
        text = f"the list of losses holds objects of type {', '.join(sorted(wrong))}; expected Python floats"
        raise CheckFailed(text, hint="item() makes a Python float of a tensor with one element.", slip="type")
    if len(answer) != len(expected):
        raise CheckFailed(f"{len(answer)} losses came back for {len(expected)} batches{what}", slip="shape")
    # A loss is a logarithm of a sum of 4 terms: a few roundings of 1 and of its own size.
    scale = 1 + expected.abs().nan_to_num()
    actual = torch.tensor(answer, dtype=torch.float64)
    ulps = share / torch.finfo(torch.float32).eps
    assert_close(actual, expected, scale=scale, ulps=ulps, what=f"the list of losses{what}", hint=hint)
