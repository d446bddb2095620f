"""Where results lie, seen through the jail's protocol (without its walls) and in the student's kernel; what autograd saves."""

from pathlib import Path

import pytest
import torch

from torchgrade.checks.assertions import assert_same_storage, assert_strides, assert_view_of
from torchgrade.checks.declared import CheckFailed, GraderError
from torchgrade.checks.faults import BadAnswer
from torchgrade.checks.notes import Notes, current_notes
from torchgrade.checks.observing import saved_for_backward, storages_of
from torchgrade.jail.fake import FakeWorker
from torchgrade.record import Evidence
from torchgrade.student.cells import OwnCode
from torchgrade.student.local_student import StandIn

SOURCE = """
import torch

def view(x):
    return x[1:].t()

def parts(x):
    return [x[0], {"last": x[-1:]}]

def copy(x):
    return x[1:].clone()

def half_copied(x):
    return x[0], x[1].clone()

def sums(x):
    return x.sum(dim=0)

def wide(x):
    return x.double()

def nothing(x):
    return x[:0]

def number(x):
    return 3

def in_one(x):
    return list((2 * x).unbind())

def in_many(x):
    return [2 * row for row in x]
"""


def students():
    namespace = {}
    exec(SOURCE, namespace)
    return {"the jail's protocol": FakeWorker(SOURCE).student(), "the kernel": StandIn(namespace, OwnCode(namespace, Path.cwd()))}


@pytest.fixture(params=["the jail's protocol", "the kernel"])
def student(request):
    return students()[request.param]


def distinct(*shape, dtype=torch.float32):
    return torch.randperm(torch.Size(shape).numel()).to(dtype).view(shape)


@pytest.fixture
def notes():
    kept = Notes()
    before = current_notes.set(kept)
    yield kept
    current_notes.reset(before)


@pytest.mark.parametrize(
    "x",
    [
        distinct(4, 3),
        distinct(3, 4).t(),
        distinct(8, 3)[::2],
        distinct(4, 3, dtype=torch.int64),
        distinct(4, 3, dtype=torch.uint8),
        distinct(4, 3, dtype=torch.bfloat16),
        (2**53 + distinct(4, 3, dtype=torch.int64)),
        distinct(4, 3).requires_grad_(),
        torch.tensor([[1.0, torch.inf], [-torch.inf, 0.5]]),
    ],
    ids=["rows", "transposed", "thinned out", "int64", "uint8", "bfloat16", "large int64", "leaf", "infinite"],
)
def test_views_of_tensors_of_any_layout_and_dtype_pass_and_come_back(student, notes, x):
    before = x.detach().clone()
    assert torch.equal(assert_view_of(student.view, x), x[1:].t())
    first, rest = assert_view_of(student.parts, x)
    assert torch.equal(first, x[0])
    assert torch.equal(rest["last"], x[-1:])
    assert torch.equal(x.detach(), before)
    assert notes.evidence is Evidence.DATA


@pytest.mark.parametrize(
    ("name", "message", "slip"),
    [
        ("copy", "the result is a copy: new numbers were written into its input, and 9 of 9 numbers are the old ones", "layout"),
        ("half_copied", "the result is a copy: new numbers were written into its input, and 3 of 3 numbers", "layout"),
        ("sums", "the result has numbers that are not in its input", "values"),
        ("wide", "the result has dtype float64; expected float32", "dtype"),
        ("nothing", "the result has no elements", "shape"),
        ("number", "the result is an int; expected a Tensor", "type"),
    ],
)
def test_what_is_not_a_view_fails_and_says_how(student, name, message, slip):
    x = 1000.0 ** distinct(4, 3).div(4) if name == "sums" else distinct(4, 3)
    with pytest.raises(CheckFailed) as failed:
        assert_view_of(getattr(student, name), x)
    assert str(failed.value).startswith(message)
    assert failed.value.slip == slip


@pytest.mark.parametrize("x", [torch.zeros(4), torch.ones(1), torch.randn(3, 1).expand(3, 2)], ids=["equal", "one", "expanded"])
def test_numbers_that_cannot_tell_places_apart_are_the_graders_mistake(student, x):
    with pytest.raises(GraderError, match="at least two real numbers that all differ"):
        assert_view_of(student.view, x)


def test_what_holds_other_things_after_a_write_is_a_bad_answer():
    student = FakeWorker("kept = []\ndef f(x):\n    kept[:] = [x[0]]\n    return kept\ndef g(x):\n    kept.clear()").student()
    held = student.f.hold(distinct(3))
    student.g(distinct(3))
    with pytest.raises(BadAnswer, match="another thing after a write"):
        held.write(0, distinct(3))


def test_strides_count_where_a_size_is_more_than_one(notes):
    assert_strides(torch.empty(3, 4).t(), (1, 4))
    assert_strides(torch.empty(3, 1, 4), (4, 77, 1))
    assert notes.evidence is Evidence.WORD
    with pytest.raises(CheckFailed, match=r"the result has strides \[4, 1\]; expected \[1, 3\]") as failed:
        assert_strides(torch.empty(3, 4), (1, 3))
    assert failed.value.slip == "layout"
    with pytest.raises(CheckFailed, match="the result has 1 dimensions; expected 2, with strides"):
        assert_strides(torch.empty(3), (4, 1))


def test_strides_cross_the_wall(student):
    assert_strides(student.view(torch.randn(3, 4)), (1, 4))


def test_tensors_lie_in_one_storage_or_the_message_counts_storages(student, notes):
    assert len(assert_same_storage(student.in_one, torch.randn(3, 4))) == 3
    assert notes.evidence is Evidence.WORD
    with pytest.raises(CheckFailed, match="the result lies in 3 storages; expected one for all 3 tensors"):
        assert_same_storage(student.in_many, torch.randn(3, 4))
    with pytest.raises(CheckFailed, match="the result holds 1 tensors; expected at least two"):
        assert_same_storage(student.view, torch.randn(3, 4))


def test_empty_tensors_have_storages_of_their_own():
    x = torch.randn(4)
    assert storages_of([x, torch.empty(0), x[2:], torch.empty(0), x.clone()]) == (0, 1, 0, 2, 3)


def test_what_is_saved_counts_once_and_views_of_it_too():
    x, weight = torch.randn(4, 6, dtype=torch.float64), torch.randn(6, 5, dtype=torch.float64, requires_grad=True)
    with saved_for_backward() as saved:
        (x @ weight).exp().square()  # x, and the exponential: for exp and for square
    assert (saved.numbers, saved.bytes) == (44, 352)
    with saved_for_backward() as saved:
        product = x @ weight
        product.t().sin()
        product.sin()
        product[:2].sin()
    assert saved.numbers == 24 + 20
    with saved_for_backward() as saved:
        weight[0].expand(100, 5).sin()
    assert saved.numbers == 5


def test_memory_that_is_there_anyway_does_not_count_nor_what_is_computed_without_gradients():
    x, weight = torch.randn(4, 6), torch.randn(6, 5, requires_grad=True)
    with saved_for_backward(besides=[x]) as saved:
        (x @ weight).sin()
    assert saved.numbers == 20
    with saved_for_backward(besides=[x]) as saved, torch.no_grad():
        (x @ weight).sin()
    assert saved.numbers == 0


def test_gradients_of_any_order_are_right_in_that_context():
    x = torch.randn(5, dtype=torch.float64, requires_grad=True)
    with saved_for_backward():
        y = x.exp()
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert torch.equal(first, x.exp())
    assert torch.equal(second, x.exp())
