"""A student's folder: public checks and ``checks.json``, as a release has them."""

import json
import textwrap

CHECKS = """
'''Public checks: softmax.'''
import torch
from torchgrade import assert_close, assert_gradients, assert_inputs_untouched, points


@points(1)
def test_sums(student):
    '''Probabilities sum to 1.'''
    x = torch.randn(3, 4)
    assert_close(student.softmax(x), torch.softmax(x.double(), -1), hint="Divide by the sum.")


@points(2, needs=test_sums, kind="gradients")
def test_gradient(student):
    '''The gradient is right.'''
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    hint = {"detached": "Stay with tensors."}
    assert_gradients(student.softmax, reference=lambda t: torch.softmax(t, -1), inputs=[(x,)], hint=hint)


@points(1, needs=test_sums, kind="inputs")
def test_untouched(student):
    '''The input stays as it is.'''
    assert_inputs_untouched(student.softmax, torch.randn(3, 4))
"""

SOFTMAX = """
import torch

def softmax(logits, dim=-1):
    return torch.softmax(logits, dim)
"""


def write_folder(folder, checks=CHECKS, *, name="softmax", hidden=None):
    """Write one exercise's public checks, and what ``checks.json`` says of its hidden ones."""
    (folder / f"public_{name}.py").write_text(textwrap.dedent(checks), encoding="utf-8")
    listed = {name: {"points": 10, "hidden": {"values": 3, "gradients": 2} if hidden is None else hidden}}
    (folder / "checks.json").write_text(json.dumps({"assignment": "stability", "exercises": listed}), encoding="utf-8")


def one_check(body, *, beside="", **options):
    """The source of a public check file with one check, whose body is given, and with what else is to stand there."""
    given = ", ".join(f"{key}={value!r}" for key, value in options.items())
    head = "import torch\nfrom torchgrade import *\n\n"
    lines = textwrap.indent(textwrap.dedent(body), "    ")
    return f"{head}{textwrap.dedent(beside)}\n\n@points(1, {given})\ndef test_one(student):\n    '''One check.'''\n{lines}\n"
