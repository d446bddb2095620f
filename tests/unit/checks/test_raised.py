"""Hints for what torch raises: each is tried on the mistake itself, since torch's sentences change."""

import pickle
from pathlib import Path

import pytest
import torch

from torchgrade.checks.declared import GraderError
from torchgrade.checks.faults import Line, Raised, StudentFault, TimedOut
from torchgrade.checks.raised import hint_for, hint_where_raised, use_errors

x = torch.arange(12.0).reshape(3, 4)


class TwoGradients(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent, cotangent


class OfAnotherShape(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent[:2], None


class OfANumber(OfAnotherShape):
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


def weight(dtype=torch.float32):
    tensor = torch.nn.Parameter(torch.ones(2, dtype=dtype))
    return tensor, torch.optim.SGD([tensor]), torch.amp.GradScaler("cpu")


def step_without_gradients():
    tensor, optimizer, scaler = weight()
    scaler.scale(tensor.sum())
    scaler.step(optimizer)


def unscaled_before_anything_was_scaled():
    tensor, optimizer, scaler = weight()
    tensor.sum().backward()
    scaler.unscale_(optimizer)


def half_parameters():
    tensor, optimizer, scaler = weight(torch.float16)
    scaler.scale(tensor.float().sum()).backward()
    scaler.unscale_(optimizer)


def open_file():
    with Path(__file__).open("rb") as file:
        pickle.dumps(file)


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
    "a gradient's shape": (
        lambda: OfAnotherShape.apply(x.clone().requires_grad_(), 2.0).sum().backward(),
        "the argument's shape",
    ),
    "a number's gradient": (lambda: OfANumber.apply(x.clone().requires_grad_(), 2.0).sum().backward(), "is None as well"),
    "indices": (lambda: x[torch.tensor([0, 1]), torch.tensor([0, 1, 2])], "paired up"),
    "no gradients": (step_without_gradients, "found no gradients"),
    "nothing scaled": (unscaled_before_anything_was_scaled, "has not scaled anything yet"),
    "update of nothing": (lambda: torch.amp.GradScaler("cpu").update(), "has not scaled anything yet"),
    "half parameters": (half_parameters, "wants a float32 model"),
    "an open file": (open_file, "Open it where it is read"),
    "nothing to stack": (lambda: torch.stack([]), "nothing to stack"),
    "nothing to join": (lambda: torch.cat([]), "nothing to join"),
    "gather's dimensions": (lambda: x[..., None].gather(1, torch.zeros(3, 1, dtype=int)), "as many dimensions of the index"),
    "gather's sizes": (lambda: x.gather(1, torch.zeros(9, 1, dtype=int)), "no larger than the input"),
    "bfloat16 in NumPy": (lambda: x.bfloat16().numpy(), "has no bfloat16"),
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


def test_a_check_has_a_hint_for_what_is_raised_where_the_tables_have_none():
    unknown, known = Raised("ValueError", "nobody knows"), Raised("TypeError", "Got unsupported ScalarType BFloat16")
    here = Line("cell 2", 3, "raise NotImplementedError")
    stub = Raised("NotImplementedError", "", (here,))
    for fault in (unknown, known, stub, TimedOut("Your code did not answer within 10 s")):
        with pytest.raises(StudentFault), hint_where_raised("Count them."):
            raise fault
    assert hint_for(unknown) == "Count them."
    assert "has no bfloat16" in hint_for(known)
    assert hint_for(stub) == ""


OWN = """[[error]]
text = "nobody knows"
hint = "We do."
[[error]]
text = "must match the size"
hint = "Our own words."
"""


@pytest.fixture
def errors(tmp_path):
    yield tmp_path / "errors.toml"
    use_errors(tmp_path / "nowhere")


def test_a_course_adds_its_own_which_come_first(errors):
    errors.write_text(OWN)
    use_errors(errors)
    assert hint_for(Raised("ValueError", "nobody knows")) == "We do."
    assert hint_for(Raised("RuntimeError", "a (3) must match the size of tensor b (4)")) == "Our own words."
    assert "has no bfloat16" in hint_for(Raised("TypeError", "Got unsupported ScalarType BFloat16"))
    errors.unlink()
    use_errors(errors)
    assert hint_for(Raised("ValueError", "nobody knows")) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[error]]\ntext = 'a'\n", "entry 1 is not of the form"),
        ("[[error]]\ntext = 'a'\nhint = ''\n", "entry 1 is not of the form"),
        ("[[errors]]\ntext = 'a'\nhint = 'b'\n", "holds 'errors'; expected entries"),
        ("error = 3\n", "expected entries"),
        ("[[error", "cannot be read"),
    ],
)
def test_a_file_of_another_form_is_one_line(errors, text, said):
    errors.write_text(text)
    with pytest.raises(GraderError, match=said) as caught:
        use_errors(errors)
    assert "\n" not in str(caught.value)
