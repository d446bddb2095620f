"""Hints for what torch raises: each is tried on the mistake itself, since torch's sentences change."""

import pytest
import torch

from torchgrade.checks.faults import Raised, TimedOut
from torchgrade.checks.raised import hint_for

x = torch.arange(12.0).reshape(3, 4)


class TwoGradients(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent, cotangent


def leaf():
    tensor = x.clone().requires_grad_()
    tensor += 1


def changed_after_use():
    tensor = x.clone().requires_grad_()
    result = tensor.exp()
    result += 1
    result.sum().backward()


MISTAKES = {
    "keepdim": (lambda: x - x.mean(dim=1), "keepdim=True"),
    "a leaf": (leaf, "Make a new one"),
    "changed after use": (changed_after_use, "Make a new tensor"),
    "view": (lambda: x.T.view(-1), "reshape() copies"),
    "cut off": (lambda: x.sum().backward(), "cut off"),
    "numpy": (lambda: x.clone().requires_grad_().numpy(), "NumPy is not seen"),
    "a chain": (lambda: 0 < x < 1, "one truth"),
    "and": (lambda: (x > 0) and (x < 1), "one truth"),
    "brackets": (lambda: x > 0 & x, "put brackets"),
    "brackets of or": (lambda: x > 0 | x, "put brackets"),
    "a pair": (lambda: x - x.max(dim=1), "Take .values"),
    "a pair's method": (lambda: x.max(dim=1).sum(), "Take .values"),
    "a pair in a function": (lambda: torch.exp(x.max(dim=1)), "Take .values"),
    "too small a target": (lambda: x[:, :1].add_(x), "cannot change its shape"),
    "beyond the memory": (lambda: x.as_strided((4, 4), (4, 1)), "the last element"),
    "an overlapping target": (lambda: torch.add(x[0, :3], 1, out=x[0, 1:]), "new memory first"),
    "an expanded target": (lambda: torch.zeros(1).expand(3).add_(1), "in one place"),
    "gradients": (lambda: TwoGradients.apply(x.clone().requires_grad_()).sum().backward(), "each argument of forward"),
    "indices": (lambda: x[torch.tensor([0, 1]), torch.tensor([0, 1, 2])], "paired up"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_torch_says_of_a_mistake_brings_its_own_hint(mistake):
    make, words = MISTAKES[mistake]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any type: the text is what counts
        make()
    assert words in hint_for(Raised(type(caught.value).__name__, str(caught.value)))


def test_an_unknown_error_and_a_time_out_have_no_hint():
    assert hint_for(Raised("ValueError", "nobody knows")) == ""
    assert hint_for(TimedOut("Your code did not answer within 10 s")) == ""
