"""One slip is undone for all calls; a right function, one that is wrong in another way, and two slips are left as they are."""

import pytest
import torch

from torchgrade.checks.assertions import assert_dtype
from torchgrade.checks.calls import call_of, note_call
from torchgrade.checks.comparing import assert_close
from torchgrade.checks.declared import CheckFailed, GraderError
from torchgrade.checks.faults import TimedOut
from torchgrade.checks.forgiving import forgiving
from torchgrade.checks.gradients import assert_gradients

PLAIN = torch.randn(5, 7, generator=torch.Generator().manual_seed(1))


def energy(x):
    """A number for each row."""
    return (x * x).sum(-1)


SLIPS = {
    "sign": lambda x: -energy(x),
    "factor": lambda x: 0.5 * energy(x),
    "large factor": lambda x: 1000 * energy(x),
    "mean along a dimension": lambda x: (x * x).mean(-1),
    "times the number of rows": lambda x: energy(x) * len(x),
    "kept": lambda x: (x * x).sum(-1, keepdim=True),
    "mean of all": lambda x: energy(x).mean(),
    "sum of all": lambda x: energy(x).sum(),
    "mean of all, with its dimension": lambda x: energy(x).mean(0, keepdim=True),
}


@pytest.mark.parametrize("name", SLIPS)
def test_one_slip_is_undone_for_other_calls_and_for_gradients(name):
    function, reference = forgiving(SLIPS[name], energy, PLAIN)
    for shape in ((4, 3), (2, 8), (3, 9)):
        x = torch.randn(shape)
        assert_close(function(x), reference(x.double()), scale=1 + float(energy(x).max()))
        assert_gradients(function, reference=reference, inputs=[(x.requires_grad_(),)], precision=torch.float32)
    with pytest.raises(CheckFailed):  # another mistake shows all the same
        assert_close(function(2 * PLAIN), reference(PLAIN), scale=30.0)


def test_a_dimension_that_was_dropped_comes_back():
    def reference(x):
        return x.sum(-1, keepdim=True)

    function, same = forgiving(lambda x: x.sum(-1), reference, PLAIN)
    assert same is reference
    assert function(torch.ones(3, 2)).shape == (3, 1)


@pytest.mark.parametrize("reduced", [torch.mean, torch.sum])
def test_many_numbers_in_place_of_one_are_reduced(reduced):
    function, _ = forgiving(energy, lambda x: reduced(energy(x)), PLAIN)
    assert_close(function(2 * PLAIN), reduced(energy(2 * PLAIN.double())), scale=400.0)


UNFORGIVEN = {
    "right": energy,
    "right but for rounding": lambda x: energy(x.bfloat16()).float(),
    "another function": lambda x: x.abs().sum(-1),
    "two slips": lambda x: -(x * x).sum(-1, keepdim=True),
    "an offset": lambda x: energy(x) + 1,
    "constant": lambda x: torch.zeros(len(x)),
    "nan": lambda x: energy(x) * torch.nan,
    "no tensor": lambda x: energy(x).tolist(),
    "other rows": lambda x: energy(x).flip(0),
}


@pytest.mark.parametrize("name", UNFORGIVEN)
def test_what_is_right_or_wrong_in_another_way_is_left_as_it_is(name):
    assert forgiving(UNFORGIVEN[name], energy, PLAIN) == (UNFORGIVEN[name], energy)


def test_a_function_that_raises_is_left_to_the_check_that_calls_it():
    def late(_):
        raise TimedOut("too late")

    assert forgiving(late, energy, PLAIN) == (late, energy)


def test_a_reference_that_returns_no_tensor_is_the_graders_mistake():
    with pytest.raises(GraderError, match="forgiving: the reference returned list; expected a Tensor"):
        forgiving(energy, lambda x: energy(x).tolist(), PLAIN)


def test_dtype_and_call_stay():
    def half(x):
        result = -energy(x).bfloat16()
        note_call(result, "half", (x,), {})
        return result

    function, _ = forgiving(half, energy, PLAIN)
    result = function(PLAIN)
    assert_dtype(result, torch.bfloat16)
    assert (call_of(result), function.__name__) == ("half(float32 [5, 7])", "half")
