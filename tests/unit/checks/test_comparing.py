"""What a comparison says of a wrong result, and which hint goes with it."""

import pytest
import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_gradients, assert_shape
from torchgrade.checks.calls import described, note_call
from torchgrade.checks.declared import GraderError

X = torch.tensor([[1.0, 2.0, 5.0], [-3.0, 0.5, 7.0], [4.0, -2.0, 0.25]], dtype=torch.float64)


def failure(actual, expected=X, *, compare=assert_close, **options):
    """What ``assert_close`` says, and its hint."""
    with pytest.raises(CheckFailed) as caught:
        compare(actual, expected, **options)
    return str(caught.value), caught.value.hint


@pytest.mark.parametrize(
    ("actual", "slip", "pattern"),
    [
        (-X, "sign", "It is the right result with the opposite sign"),
        (2.5 * X, "factor", "It is the right result times 2.5"),
        (X / 3, "factor", "It is the right result times 0.3333"),
        (X.T, "transposed", "It is the right result transposed"),
        (X.roll(1, 0), "shifted", "moved by one along dimension 0"),
        (torch.cat([X[1:], torch.zeros(1, 3)]), "shifted", "moved by one along dimension 0"),
        (X.flip(1), "shifted", "in reverse order along dimension 1"),
        (X + 0.125, "offset", "Every element is off by the same 0.125"),
        (torch.zeros(3, 3), "constant", "All elements are the same, 0"),
    ],
)
def test_a_pattern_is_named_and_has_the_hint_that_is_its_own(actual, slip, pattern):
    text, hint = failure(actual, hint={slip: "its own", "values": "of values", "nan": "of nan"})
    assert pattern in text
    assert hint == "its own"
    assert failure(actual, hint={"values": "of values", "nan": "of nan"})[1] == "of values"
    assert failure(actual, hint="one for all")[1] == "one for all"


def test_where_no_pattern_makes_all_of_it_right_none_is_named():
    wrong = 2 * X
    wrong[1, 1] = 17
    text, hint = failure(wrong, hint={"factor": "a factor", "values": "numbers"})
    assert text.endswith("is allowed)")
    assert hint == "numbers"
    # Of equal elements any pattern would hold.
    assert failure(torch.full((3, 3), 2.0), torch.ones(3, 3))[0].endswith("is allowed)")


@pytest.mark.parametrize("factor", [1.0001, 1.016, 0.98])
def test_a_factor_near_1_is_not_named(factor):
    assert failure(factor * X)[0].endswith("is allowed)")


def test_a_pattern_that_explains_little_of_the_error_is_not_named():
    near = X.clone()
    near[0, 0] += 1.6e-3
    text, _ = failure(near, scale=10, ulps=1e3, precision=torch.float32)
    assert text.endswith("is allowed)")


def test_a_comma_of_a_case_does_not_meet_the_colon():
    assert failure(X * X, what="the loss for m = 6,")[0].startswith("the loss for m = 6: ")
    with pytest.raises(CheckFailed, match=r"^the loss for m = 6, is wrong: 2 instead of 1"):
        assert_close(torch.tensor(2.0), torch.tensor(1.0), what="the loss for m = 6,")


def test_a_function_without_a_name_is_not_called_lambda():
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(CheckFailed, match=r"The call was the function\(float32 \[3\]\)"):
        assert_gradients(lambda x: 3 * x, reference=lambda x: 2 * x, inputs=[(x,)])


def test_nan_has_a_hint_of_its_own_and_says_how_many():
    wrong = X.clone()
    wrong[0, 1], wrong[2, 2] = torch.nan, torch.inf
    text, hint = failure(wrong, hint={"values": "numbers", "nan": "no numbers"})
    assert "2 elements are nan or infinite where a number belongs" in text
    assert hint == "no numbers"
    assert "0/0" in failure(wrong)[1]


@pytest.mark.parametrize(
    ("came", "expected", "told"),
    [
        ((3,), (3, 1), "keepdim=True"),
        ((3, 1, 4), (3, 4), "size 1 too many"),
        ((4, 3), (3, 4), "another order"),
        ((5, 5), (5,), "broadcast to (n, n)"),
        ((2, 3), (4, 5), ""),
        ((7,), (), ""),
    ],
)
def test_a_wrong_shape_is_not_answered_by_a_hint_about_numbers(came, expected, told):
    _, hint = failure(torch.zeros(came), torch.zeros(expected), hint="write the formula down")
    assert "formula" not in hint
    assert (told in hint) if told else hint == ""
    assert failure(torch.zeros(came), torch.zeros(expected), hint={"shape": "mine"})[1] == "mine"
    assert failure(torch.zeros(came), expected, compare=assert_shape, hint="mine")[1] == "mine"


def test_two_numbers_are_told_apart():
    text, _ = failure(torch.tensor(-0.44185890), torch.tensor(-0.44185893), ulps=0.01)
    got, _, wanted = text.partition(": ")[2].partition(" (")[0].partition(" instead of ")
    assert got != wanted
    assert "is allowed)" in text


def test_a_message_names_the_call_that_gave_the_result_and_no_other():
    given = torch.randn(4, 3, dtype=torch.float16).T
    result, other = torch.zeros(2), torch.zeros(2)
    note_call({"a": [result]}, "softmax", (given, 1), {"eps": 1e-3, "how": "fast"})
    text, _ = failure(result, torch.ones(2))
    assert text.endswith(". The call was softmax(float16 [3, 4], not contiguous, 1, eps=0.001, how='fast')")
    assert "The call" not in failure(other, torch.ones(2))[0]
    assert "The call was softmax(" in failure(result, torch.float64, compare=assert_dtype)[0]


def test_arguments_in_a_few_words():
    assert described([1, 2, 3, 4, 5, 6]) == "[1, 2, 3, 4, …]"
    assert described((torch.float32, None, torch.relu)) == "(float32, None, relu)"


def test_a_hint_for_what_there_is_not_is_the_graders_mistake():
    with pytest.raises(GraderError, match="'values_wrong', which is none of"):
        assert_close(-X, X, hint={"values_wrong": "no"})


class _Doubled(torch.autograd.Function):
    """x + x, whose backward pass calls ``backward`` on the input as well."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x + x

    @staticmethod
    def backward(ctx, cotangent):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            (2 * x).backward(cotangent)
        return 2 * cotangent


def test_what_a_backward_pass_writes_to_grad_is_part_of_the_gradient():
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    assert_gradients(lambda x: x + x, reference=lambda x: 2 * x, inputs=[(x,)])
    with pytest.raises(CheckFailed, match="times 2"):
        assert_gradients(_Doubled.apply, reference=lambda x: 2 * x, inputs=[(x,)])


def test_a_cut_off_result_is_answered_by_what_cuts_off():
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    with pytest.raises(CheckFailed, match="cut off") as caught:
        assert_gradients(lambda x: 2 * x.detach(), reference=lambda x: 2 * x, inputs=[(x,)], hint="sum over the batch")
    assert "detach()" in caught.value.hint
