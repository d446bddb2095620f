"""Values that cross the wire come out as they went in; what is no value is refused."""

import collections
import math
import pathlib
from typing import NamedTuple

import pytest
import torch

from torchgrade.jail.protocol import values, wire
from torchgrade.jail.protocol.values import Reference, WireError, decode, encode


def there(value):
    """``value`` after a trip over a real wire."""
    tensors = []
    data = encode(value, tensors)
    ours, theirs = map(wire.Wire, wire.pair())
    try:
        ours.send({"value": data}, tensors)
        message, received = theirs.receive(at_most=1 << 30)
    finally:
        ours.close()
        theirs.close()
    return decode(message["value"], received, lambda reference: reference)


DENSE = [*wire._NAMES, torch.complex64, torch.complex128]


@pytest.mark.parametrize("dtype", DENSE, ids=str)
def test_a_tensor_of_every_dense_dtype_arrives_bit_for_bit(dtype):
    sent = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    got = there(sent)
    assert got.dtype is dtype
    assert got.shape == sent.shape
    assert got.view(-1).view(torch.uint8).tolist() == sent.view(-1).view(torch.uint8).tolist()


def test_infinities_nans_and_large_integers_arrive():
    sent = torch.tensor([math.inf, -math.inf, math.nan])
    assert torch.equal(there(sent), sent) is False  # nan differs from itself
    assert there(sent)[:2].tolist() == [math.inf, -math.inf]
    assert there(torch.tensor(2**53 + 1)).item() == 2**53 + 1


@pytest.mark.parametrize(
    "sent",
    [
        torch.randn(3, 4).t(),
        torch.randn(4, 6)[:, ::2],
        torch.randn(4, 1).expand(4, 5),
        torch.randn(2, 3, 4).permute(2, 0, 1),
        torch.zeros(3, 0, 2),
        torch.tensor(1.5),
    ],
    ids=["transposed", "strided", "expanded", "permuted", "empty", "scalar"],
)
def test_values_and_strides_arrive(sent):
    got = there(sent)
    assert torch.equal(got, sent)
    if sent.numel():
        assert got.stride() == sent.stride()


def test_a_conjugate_view_arrives_as_its_values():
    sent = torch.randn(3, dtype=torch.complex64).conj()
    assert torch.equal(there(sent), sent.resolve_conj())


def test_whether_a_tensor_needs_a_gradient_arrives():
    assert there(torch.ones(2, requires_grad=True)).requires_grad
    assert not there(torch.ones(2)).requires_grad


def test_a_large_tensor_arrives():
    sent = torch.randn(1 << 20)
    assert torch.equal(there(sent), sent)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2**80,
        1.5,
        math.inf,
        "text \u2603",
        b"bytes",
        1 + 2j,
        [1, [2, (3, None)]],
        {"a": 1, 2: (3,), (1, 2): "key"},
        torch.float16,
        torch.device("cpu"),
        pathlib.PurePath("/a/b"),
    ],
    ids=repr,
)
def test_plain_values_arrive(value):
    got = there(value)
    assert got == value
    assert type(got) is type(value) or isinstance(value, pathlib.PurePath)


class Pair(NamedTuple):
    name: str
    number: int


@pytest.mark.parametrize(
    ("value", "as_what"),
    [
        (Pair("a", 1), ("a", 1)),
        (collections.OrderedDict(weight=1, bias=2), {"weight": 1, "bias": 2}),
        (collections.defaultdict(list, {"a": [1]}), {"a": [1]}),
        (torch.Size([2, 3]), (2, 3)),
    ],
    ids=["named tuple", "ordered", "with default", "size"],
)
def test_kinds_of_tuple_and_dict_arrive_as_plain_ones(value, as_what):
    got = there(value)
    assert got == as_what
    assert type(got) is type(as_what)


def test_names_arrive_as_references():
    data = encode("x", [])
    assert data == "x"
    got = there([1])  # no reference in it
    assert got == [1]
    reference = decode({"$": "probe", "v": "circle"}, [], lambda found: found)
    assert isinstance(reference, Reference)
    assert (reference.kind, reference.name) == ("probe", "circle")


class Sub(torch.Tensor):
    pass


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (object(), "object"),
        (lambda: None, "function"),
        ({1, 2}, "set"),
        (torch.ones(2).as_subclass(Sub), "subclass"),
        (torch.eye(2).to_sparse(), "dense"),
        (torch.ones(2, device="meta"), "meta"),
        (2**5000, "1000 bits"),
    ],
    ids=["object", "function", "set", "subclass", "sparse", "meta", "huge integer"],
)
def test_what_is_no_data_is_refused_by_name(value, said):
    with pytest.raises(WireError, match=said):
        encode(value, [])


def test_a_structure_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(WireError, match="nested"):
        encode(loop, [])


@pytest.mark.parametrize(
    "data",
    [
        {"$": "thing", "v": 1},
        {"$": "tensor", "v": 0},
        {"$": "tensor", "v": -1},
        {"$": "tensor", "v": True},
        {"$": "dtype", "v": "ones"},
        {"$": "dtype", "v": "__dict__"},
        {"$": "dict", "v": [[[1], 2]]},
        {"$": "dict", "v": [1]},
        {"$": "bytes", "v": "\u2603"},
        {"$": "device", "v": "nonsense"},
        {"$": 3, "v": 1},
        {"v": 1},
        {"$": "int", "v": "0x"},
    ],
    ids=str,
)
def test_malformed_data_is_refused(data):
    with pytest.raises(WireError):
        decode(data, [], lambda reference: reference)


def test_strides_arrive_on_another_device_too(monkeypatch):
    monkeypatch.setattr(values, "_device", lambda name: torch.device("meta"))
    data = {"$": "tensor", "v": 0, "s": [4, 1], "on": "cuda:0"}
    got = decode(data, [torch.ones(2, 2)], lambda reference: reference)
    assert (got.device.type, got.stride()) == ("meta", (4, 1))


@pytest.mark.parametrize("strides", [[1], [1, 1 << 39], [-1, 1], "ab", [1, 2, 3]], ids=str)
def test_strides_that_claim_memory_are_refused(strides):
    with pytest.raises(WireError):
        decode({"$": "tensor", "v": 0, "s": strides}, [torch.ones(2, 3)], lambda reference: reference)
