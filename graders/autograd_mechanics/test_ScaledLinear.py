"""Hidden checks: ScaledLinear.

A scale that is lost is judged by the checks of values and of single gradients; the others call with the scale 1 and a bias of
zeros, and look only at gradients that are right in a plain call (`right_gradients`).
"""

import itertools

import torch

from torchgrade import CheckFailed, assert_close, assert_gradients, points
from torchgrade.checks.faults import Raised, StudentFault
from torchgrade.checks.notes import measured, rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_ScaledLinear as probes

F64 = torch.float64
NAMES = "input", "weight", "bias"


def scaled_linear(x, weight, bias, scale):
    """What is right."""
    result = scale * (x @ weight.T)
    return result if bias is None else result + bias


def draw(*leading, n=4, m=5):
    """Random input, weight and bias; their sizes all differ."""
    return torch.randn(*leading, n, dtype=F64), torch.randn(m, n, dtype=F64), torch.randn(m, dtype=F64)


def drawn_scale():
    """A scale between 2 and 3."""
    return 2.0 + float(torch.rand(()))


def assert_values(student, x, weight, bias, scale, **say):
    """Fail unless the result is right."""
    result = student.run(probes.applied, x, weight, bias, scale)
    assert_close(result, scaled_linear(x, weight, bias, scale), precision=F64, ulps=256, scale=20.0, **say)


def assert_gradient(student, wanted, x, weight, bias, scale=1.0, needs=(0, 1, 2), hint=""):
    """Fail unless the gradients of the wanted inputs (0, 1, 2) are right, where those in ``needs`` need one."""
    tensors = [t if t is None else t.clone().requires_grad_(index in needs) for index, t in enumerate((x, weight, bias))]
    apply = student.probe(probes.applied)

    def of_wanted(function):
        def called(*leaves):
            arguments = list(tensors)
            for index, leaf in zip(wanted, leaves, strict=True):
                arguments[index] = leaf
            return function(*arguments, scale)

        called.__name__ = f"apply as a function of {' and '.join(NAMES[index] for index in wanted)}: "
        return called

    leaves = tuple(tensors[index] for index in wanted)
    assert_gradients(of_wanted(apply), reference=of_wanted(scaled_linear), inputs=[leaves], scale=20.0, hint=hint)


def right_gradients(student):
    """Which gradients (0, 1, 2) are right in a plain call in which all three inputs need one, with the scale 1."""
    leaves = [tensor.requires_grad_() for tensor in draw(6)]
    cotangent = torch.randn(6, 5, dtype=F64)
    expected = torch.autograd.grad(scaled_linear(*leaves, 1.0), leaves, cotangent)
    try:
        result = student.probe(probes.applied)(*leaves, 1.0)
        found = torch.autograd.grad(result, leaves, cotangent, allow_unused=True)
    except (StudentFault, RuntimeError):  # RuntimeError: the result needs no gradient, or has another shape
        return []
    pairs = enumerate(zip(found, expected, strict=True))
    return [index for index, (ours, want) in pairs if ours is not None and torch.allclose(ours, want)]


@points(1)
def test_values(student):
    """Values are right for random inputs and scales, negative ones too."""
    hint = "Write the formula with brackets: what is multiplied by scale, and what is added after that?"
    for rows, n, m, sign in ((6, 4, 5, 1), (6, 4, 5, -1), (3, 5, 2, 1), (1, 3, 4, 1)):
        assert_values(student, *draw(rows, n=n, m=m), sign * drawn_scale(), hint=hint)


@points(0.5, kind="gradients")
def test_gradient_of_input(student):
    """The gradient of the input is right."""
    hint = {
        "factor": "Does the way back to the input know the scale?",
        "values": "The input is multiplied by scale * weight.T. What comes back is multiplied by what?",
    }
    for rows in (6, 6, 3):
        assert_gradient(student, [0], *draw(rows), scale=drawn_scale(), hint=hint)


@points(0.5, kind="gradients")
def test_gradient_of_weight(student):
    """The gradient of the weight is right."""
    hint = {
        "factor": "Does the way back to the weight know the scale?",
        "values": "Which two matrices give a gradient of the shape of weight, summed over the rows?",
    }
    for rows in (6, 6, 3):
        assert_gradient(student, [1], *draw(rows), scale=drawn_scale(), hint=hint)


@points(0.5, kind="gradients")
def test_gradient_of_bias(student):
    """The gradient of the bias is right."""
    hint = {
        "factor": "The bias is added after the scale. Which factor stands before it in the formula?",
        "values": "The bias is added to each row. What does each row send back to it, and how do these come together?",
    }
    for rows in (6, 6, 3):
        assert_gradient(student, [2], *draw(rows), scale=drawn_scale(), hint=hint)


@points(0.5, kind="gradients")
def test_subsets(student):
    """Whichever inputs need a gradient, each of these gets the right one."""
    right = right_gradients(student)
    if not right:
        hint = "Begin with the plain case. Does backward run at all, with one result for each argument of forward?"
        raise CheckFailed("no gradient is right where input, weight and bias all need one", hint=hint)
    for wanted in itertools.chain.from_iterable(itertools.combinations(range(3), count) for count in (1, 2, 3)):
        if judged := [index for index in wanted if index in right]:
            names = " and ".join(NAMES[index] for index in wanted)
            hint = f"Here these need a gradient: {names}. Which saved tensor does each formula read, and who says what is needed?"
            with hint_where_raised(hint):
                assert_gradient(student, judged, *draw(6), needs=wanted, hint={"values": hint, "detached": hint})


@points(1.5, kind="gradients")
def test_second_derivatives(student):
    """The gradients have the right gradients themselves, as gradgradcheck asks."""
    hint = (
        "A second derivative is taken through the code of your backward. Is it made of operations that autograd can record, and "
        "do they reach the inputs themselves?"
    )
    for _ in range(2):
        x, weight, bias = (tensor.requires_grad_() for tensor in draw(6))
        cotangent = torch.randn(6, 5, dtype=F64, requires_grad=True)
        along = torch.randn(6, 4, dtype=F64), torch.randn(5, 4, dtype=F64)
        found, expected = (
            twice(function, (x, weight, bias), cotangent, along) for function in (student.probe(probes.applied), scaled_linear)
        )
        for name, ours, want in zip(("input", "weight", "what arrives"), found, expected, strict=True):
            what = f"the second derivative (the gradient of a gradient) with respect to {name}"
            assert_close(
                torch.zeros_like(want) if ours is None else ours, want, precision=F64, ulps=256, scale=20.0, what=what, hint=hint
            )


def twice(function, leaves, cotangent, along):
    """Differentiate the gradients of input and weight once more."""
    result = function(*leaves, 1.0)
    if not getattr(result, "requires_grad", False):
        raise CheckFailed("the result needs no gradient, although input, weight and bias do", slip="detached")
    first = torch.autograd.grad(result, leaves[:2], cotangent, create_graph=True, allow_unused=True)
    again = [(gradient * direction).sum() for gradient, direction in zip(first, along, strict=True) if gradient is not None]
    if not again or not sum(again).requires_grad:
        return [None] * 3
    return torch.autograd.grad(sum(again), (*leaves[:2], cotangent), allow_unused=True)


@points(1, kind="shapes")
def test_leading_dimensions(student):
    """Two or three leading dimensions work, forward and backward."""
    hint = "How many dimensions may your matrix products and transposes have? All leading dimensions together are just rows."
    right = right_gradients(student)
    for leading in ((2, 3), (3, 1, 2), (2, 3, 2)):
        x, weight, bias = draw(*leading)
        bias.zero_()
        with hint_where_raised(hint):
            assert_values(student, x, weight, bias, 1.0, hint=hint)
            if right:
                assert_gradient(student, right, x, weight, bias, hint={"values": hint, "shape": hint})


@points(1)
def test_no_bias(student):
    """Without a bias (None), values and gradients are right."""
    hint = "What is added, and what is sent back, where there is no bias?"
    x, weight, _ = draw(6)
    right = [index for index in right_gradients(student) if index < 2]
    with hint_where_raised(hint):
        assert_values(student, x, weight, None, 1.0, hint=hint)
        if right:
            assert_gradient(student, right, *draw(6)[:2], None, hint=hint)


@points(1, kind="inputs")
def test_edited(student):
    """No gradient is wrong in silence after an input was edited in place before the backward pass."""
    hint = "Autograd compares the versions of what it saved. Of what you hand to save_for_backward, or of all that you keep?"
    for edit_input in (True, False):
        name, other, wanted = ("input", "weight", [1]) if edit_input else ("weight", "input", [0])
        x, weight, bias = draw(6)
        assert_gradient(student, wanted, x, weight, bias.zero_())  # what always raises would pass
        x, weight, _ = draw(6)
        cotangent, factor = torch.randn(6, 5, dtype=F64), drawn_scale()
        try:
            found = student.run(probes.edited, x, weight, cotangent, factor, edit_input=edit_input)
        except Raised:
            continue
        expected = cotangent.T @ x if edit_input else cotangent @ weight
        what = f"the gradient of the {other} after the {name} was edited in place (an error would be right, too)"
        assert_close(found, expected, precision=F64, ulps=256, scale=20.0, what=what, hint=hint)


@points(1, kind="memory")
def test_saved(student):
    """Only what the backward pass will read is saved."""
    rests_on_word()
    x, weight, bias = torch.randn(6, 4, dtype=F64), torch.randn(5, 4, dtype=F64), torch.zeros(5, dtype=F64)
    hint = "Which formula reads the input, and which the weight? ctx.needs_input_grad says which of them will be asked for."
    for needs, allowed, who in (
        ([True, False, False], 20, "only the input needs a gradient"),
        ([True, False, True], 20, "the weight is frozen"),
        ([False, True, True], 24, "the input needs no gradient"),
        ([False, False, True], 0, "only the bias needs a gradient"),
        ([True, True, True], 44, "all three need a gradient"),
    ):
        result, count = student.run(probes.saved, x, weight, bias, needs)
        assert_close(result, scaled_linear(x, weight, bias, 1.0), precision=F64, ulps=256, scale=20.0)
        measured(who, count)
        if count > allowed:
            told = f"where {who}, {count} numbers are saved (the input has 24, the weight 20); at most {allowed} are needed"
            raise CheckFailed(told, hint=hint)
