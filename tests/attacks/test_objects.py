"""What a hostile class can do through handles, twins and functions that are called back: each attack with its bound, and without.

These run in the jail. An attack that does not get through without the bound would be no test of it.
"""

import contextlib
import time

import pytest
import torch
from small_jail import BOUNDS, cells

from torchgrade.jail import BadAnswer, Raised, Session, Student, TimedOut, WarmWorker
from torchgrade.jail.protocol import callbacks, remote_objects, remote_student, twins

HOSTILE = """
import gc, sys, torch
from torch import nn

class Many:
    def __iter__(self):
        while True: yield Many()

class Optimizer:
    def __init__(self, parameters): self.parameters = list(parameters)
    def step(self): self.parameters[0].data = torch.zeros(self.size)
    size = 5_000_000

class Layer(nn.Module):
    def forward(self, x):
        self.kept = x
        with torch.no_grad(): x.zero_()
        return x * 1.0

def asks(f):
    while True: f(torch.zeros(1))

def server():
    return next(each for each in gc.get_objects() if type(each).__name__ == "Server")

class Confused:
    def __init__(self): self.weight = nn.Parameter(torch.ones(3))
    def confuse(self):
        # The numbers of all that the judge holds point to other objects of the process.
        objects = server()._objects._objects
        for number in objects: objects[number] = Impostor()

class Impostor:
    def __len__(self): return 10**30
    def __repr__(self): return "x" * 10**6
    def __getattr__(self, name): return torch.full((3,), 7.0)

class RewritesAnswers:
    def __init__(self):
        from torchgrade.jail.inside import serve
        self.before = serve.Server.answer
        def answer(this, request, tensors):
            found, outgoing = self.before(this, request, tensors)
            found["back"] = [[{"$": "tensor", "v": len(outgoing)}], [None]]
            return found, [*outgoing, torch.zeros(3)]
        serve.Server.answer = answer

def softmax(x): return torch.zeros(3)
"""


@pytest.fixture(scope="module")
def worker():
    warm = WarmWorker(BOUNDS)
    yield warm
    warm.close()


@pytest.fixture
def student(worker):
    with Session(worker, cells(HOSTILE), seconds=20.0) as session:
        session.load()
        yield Student(session.exchange, seed=1)


@pytest.mark.parametrize("bound", [True, False])
def test_handles_without_end(student, monkeypatch, bound):
    monkeypatch.setattr(remote_objects, "MOST", 50 if bound else 10**9)
    held = []
    with pytest.raises(BadAnswer, match="more than 50 objects") if bound else contextlib.nullcontext():
        for each in student.Many():
            held.append(each)
            if len(held) == 200:
                break
    assert len(held) < 50 or not bound
    assert len(held) == 200 or bound


@pytest.mark.parametrize("bound", [True, False])
def test_an_optimizer_that_makes_our_tensor_another_one(student, monkeypatch, bound):
    if not bound:
        hear = twins.Twin.hear
        monkeypatch.setattr(twins.Twin, "hear", lambda self, news, tensors, form=False: hear(self, news, tensors))
    p = torch.ones(3, requires_grad=True)
    optimizer = student.Optimizer([p])
    with pytest.raises(BadAnswer, match="of another shape") if bound else contextlib.nullcontext():
        optimizer.step()
    assert p.shape == ((3,) if bound else (5_000_000,))


@pytest.mark.parametrize("bound", [True, False])
def test_a_layer_that_sets_what_it_is_compared_with_to_zero(student, monkeypatch, bound):
    """The input of a call is a copy, although the layer keeps it: else zero would be right for an input that it has made zero."""
    if not bound:
        resolve = remote_student.Student._resolve
        monkeypatch.setattr(
            remote_student.Student,
            "_resolve",
            lambda self, tensors, _keeps, value: resolve(self, tensors, True, value),  # noqa: FBT003
        )
    x = torch.ones(3, requires_grad=True)
    assert student.Layer()(x).tolist() == [0.0] * 3
    assert x.tolist() == ([1.0] * 3 if bound else [0.0] * 3)


@pytest.mark.parametrize("bound", [True, False])
def test_an_answer_that_claims_to_have_changed_the_argument_of_a_function(student, monkeypatch, bound):
    if not bound:
        monkeypatch.setattr(remote_student.Student, "_works_in_place", lambda *_: True)
    student.RewritesAnswers()
    x = torch.ones(3)
    student.softmax(x)
    assert x.tolist() == ([1.0] * 3 if bound else [0.0] * 3)


@pytest.mark.parametrize("bound", ["calls", "seconds"])
def test_a_function_of_ours_that_is_called_for_ever(student, monkeypatch, bound):
    asked = []
    monkeypatch.setattr(callbacks, "MOST_CALLS", 30 if bound == "calls" else 10**9)
    before = time.monotonic()
    with student.limit(seconds=1.0), pytest.raises(BadAnswer if bound == "calls" else TimedOut):
        student.asks(asked.append)
    assert time.monotonic() - before < 3
    assert len(asked) == 30 or bound == "seconds"
    assert len(asked) > 30 or bound == "calls"


def test_a_function_of_ours_that_is_slow_takes_the_submissions_time(worker):
    with Session(worker, cells(HOSTILE), seconds=1.0) as session:
        session.load()
        student = Student(session.exchange, seed=1)
        with pytest.raises(TimedOut):
            student.asks(lambda _: time.sleep(0.3))


def test_numbers_that_point_to_other_objects_gain_nothing_but_wrong_answers(student):
    """Whatever an object's process answers is the answer of that object: no number leads to another check's or submission's."""
    confused, many = student.Confused(), student.Many()
    weight = confused.weight
    confused.confuse()
    assert weight.tolist() == [1.0] * 3
    assert many.anything.tolist() == [7.0] * 3
    assert len(repr(many)) == 10**6
    with pytest.raises(Raised, match="OverflowError"):
        remote_objects.of(many).operate("len", many)


def test_a_handle_of_an_earlier_process_reaches_nothing_of_a_later_one(worker):
    with Session(worker, cells(HOSTILE), seconds=20.0) as session:
        session.load()
        student = Student(session.exchange, seed=1)
        old = student.Confused()
        session.end_check()
        with pytest.raises(BadAnswer, match="process was restarted"):
            old.weight  # noqa: B018
        later = Student(session.exchange, seed=2)
        assert later.Confused().weight.tolist() == [1.0] * 3
