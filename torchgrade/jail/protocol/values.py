"""Values as they cross the wire: a closed set of types, as JSON that refers to tensors by number.

JSON's own types stand for themselves; everything else is an object with the single key ``"$"`` naming its type:

    None, bool, int, str, finite float, list     as JSON
    tuple, dict, complex, nan and infinities     {"$": "tuple", "v": [...]}, ...
    bytes, paths, dtypes, devices                {"$": "dtype", "v": "float32"}, ...
    Tensor                                       {"$": "tensor", "v": 3, "g": requires_grad, ...}: number 3 of those beside it
    a probe, a name of the student's notebook    {"$": "probe", "v": "circle"}, {"$": "name", "v": "softmax"}
    an object that stays on its side             {"$": "object", "v": ...}, and the other kinds of :class:`Reference`

Any kind of list, tuple or dict (a named tuple, a state dict) crosses as a plain one. Nothing here runs code of the other side,
and an unknown type is an error that says so.
"""

from __future__ import annotations

import base64
import math
import pathlib
import re
from collections.abc import Callable
from typing import Any

import torch

MAX_DEPTH = 32
MAX_RANK = 64
MAX_SIZE = 1 << 40
MAX_ITEMS = 100_000
MAX_PAIRS = 1000
"""The most entries of a dict: numbers can be chosen so that all of them collide, and then building it takes quadratic time."""
MAX_GAPS = 64 << 20
"""The most bytes that strides may leave unused."""
MAX_BITS = 1000
"""The most bits of an integer that is sent; each such integer is a finite float as well."""

_DTYPES = {str(value).removeprefix("torch."): value for value in vars(torch).values() if isinstance(value, torch.dtype)}
_PLAIN = (str, int, float, bool, torch.dtype, type(None))


class WireError(Exception):
    """A message that is not valid: of an unknown type, too deep, too large, or cut off."""


KINDS = ("name", "probe", "object", "method", "operator", "twin", "argument", "callback", "module")


class Reference:
    """Something that crosses by its name: one of :data:`KINDS`, and a name, a number, or data that says more.

    name, probe          a name that the notebook defines; a function of ``probes.py``
    object, method       an object of the student's, by its number; a method of it
    operator             ``len`` and its kin, by name
    twin, argument       a tensor that both sides have; a tensor among the arguments of the same call
    callback, module     a function of the grader's, which stays with the judge; a module, as bytes
    """

    __slots__ = ("kind", "name")

    def __init__(self, kind: str, name: Any) -> None:
        self.kind, self.name = kind, name


def refusal(name: str, error: WireError) -> str:
    """Return what a student reads when their function, or a probe beside it, returned something that is not data."""
    advice = "; only tensors, numbers, text and lists, tuples and dicts of them can be graded"
    return f"{name} returned {error}{advice if str(error).startswith('a value of') else ''}."


def refuse(reference: Reference) -> Any:
    """Look up nothing: for anything that the other side may not send here."""
    raise WireError(f"a {reference.kind}, which only the judge may send")


Resolve = Callable[[Any], "Reference | None"]


def encode(value: Any, tensors: list[torch.Tensor], resolve: Resolve = lambda _: None, depth: int = 0) -> Any:
    """``value`` as JSON data; its tensors are appended to ``tensors``.

    ``resolve`` may name a value that crosses by name. Raises :class:`WireError` for a value that is not data.
    """
    if depth > MAX_DEPTH:
        raise WireError(f"nested more than {MAX_DEPTH} deep")
    if value is None or type(value) is bool or type(value) is str:
        return value
    if type(value) is int:
        return value if -(2**63) <= value < 2**64 else _tag("int", hex(_bounded(value)))
    if type(value) is float:
        return value if math.isfinite(value) else _tag("float", repr(value))
    kind = type(value)  # a handle calls itself what the student's object is, and isinstance would believe it
    if issubclass(kind, torch.Tensor):
        reference = resolve(value)
        return _encode_tensor(value, tensors) if reference is None else _tag(reference.kind, reference.name)
    if issubclass(kind, list):
        return [encode(item, tensors, resolve, depth + 1) for item in value]
    if issubclass(kind, tuple):
        return _tag("tuple", [encode(item, tensors, resolve, depth + 1) for item in value])
    if issubclass(kind, dict):
        pairs = [[encode(k, tensors, resolve, depth + 1), encode(v, tensors, resolve, depth + 1)] for k, v in value.items()]
        return _tag("dict", pairs)
    return _encode_rare(value, resolve)


def _encode_rare(value: Any, resolve: Resolve) -> Any:
    kind = type(value)
    if issubclass(kind, torch.dtype):
        return _tag("dtype", str(value).removeprefix("torch."))
    if issubclass(kind, torch.device):
        return _tag("device", str(value))
    if type(value) is complex:
        return _tag("complex", [repr(value.real), repr(value.imag)])
    if type(value) is bytes:
        return _tag("bytes", base64.b64encode(value).decode("ascii"))
    if issubclass(kind, pathlib.PurePath):
        return _tag("path", str(value))
    reference = resolve(value)
    if reference is not None:
        return _tag(reference.kind, reference.name)
    raise WireError(f"a value of type {type(value).__name__}")


def _tag(kind: str, value: Any) -> dict[str, Any]:
    return {"$": kind, "v": value}


def _bounded(value: int) -> int:
    if value.bit_length() > MAX_BITS:
        raise WireError(f"an integer of more than {MAX_BITS} bits")
    return value


def names_cuda(data: Any) -> bool:
    """Return whether an encoded value has to do with a CUDA device: a tensor on one, the device itself, or its name as text."""
    if isinstance(data, str):
        return data == "cuda" or data.startswith("cuda:")
    if isinstance(data, dict):
        return any(map(names_cuda, data.values()))
    return isinstance(data, list) and any(map(names_cuda, data))


def _encode_tensor(value: torch.Tensor, tensors: list[torch.Tensor]) -> dict[str, Any]:
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        raise WireError(f"a tensor subclass, {type(value).__name__}; a plain torch.Tensor is needed")
    if value.layout is not torch.strided or value.is_quantized:
        raise WireError(f"a tensor of layout {value.layout}; a dense one is needed")
    if value.device.type == "meta":
        raise WireError("a tensor on the meta device, which has no values")
    plain = value.detach()
    data: dict[str, Any] = {"$": "tensor"}
    if value.requires_grad:
        data["g"] = True
        if value.is_leaf and value.grad is not None:
            data["d"] = _encode_tensor(value.grad.detach(), tensors)
    if value.device.type != "cpu":
        data["on"] = str(value.device)
    if plain.is_complex():
        # Negative strides' cousins: a conjugate or negated view is materialised, because only plain bytes cross.
        plain = torch.view_as_real(plain.resolve_conj().resolve_neg())
        data["c"] = True
    else:
        plain = plain.resolve_neg()
        if not plain.is_contiguous():
            data["s"] = list(plain.stride())
    data["v"] = len(tensors)
    tensors.append(plain.cpu().contiguous())
    return data


def decode(data: Any, tensors: list[torch.Tensor], look_up: Callable[[Reference], Any], depth: int = 0) -> Any:
    """The reverse of :func:`encode`; ``look_up`` turns what crossed by name into a value (or raises)."""
    if depth > 2 * MAX_DEPTH:
        raise WireError(f"nested more than {MAX_DEPTH} deep")
    if data is None or isinstance(data, bool | float | str):
        return data
    if isinstance(data, int):
        return _bounded(data)
    if isinstance(data, list):
        return [decode(item, tensors, look_up, depth + 1) for item in _limited(data)]
    if not isinstance(data, dict) or not isinstance(data.get("$"), str) or "v" not in data:
        raise WireError("an object that is no value")
    kind, value = data["$"], data["v"]
    if kind == "tensor":
        return _decode_tensor(data, tensors)
    if kind == "tuple":
        return tuple(decode(item, tensors, look_up, depth + 1) for item in _limited(_of(value, list)))
    if kind == "dict":
        return _decode_dict(value, tensors, look_up, depth)
    return look_up(_reference(kind, value)) if kind in KINDS else _decode_rare(kind, value)


def _reference(kind: str, value: Any) -> Reference:
    return Reference(kind, _of(value, str) if kind in ("probe", "name") else value)


def _decode_rare(kind: str, value: Any) -> Any:
    try:
        if kind == "float":
            return float(_of(value, str)[:40])
        if kind == "int":
            return _bounded(int(_of(value, str)[:400], 16))
        if kind == "complex":
            real, imaginary = _of(value, list)
            return complex(float(_of(real, str)[:40]), float(_of(imaginary, str)[:40]))
        if kind == "bytes":
            return base64.b64decode(_of(value, str), validate=True)
        if kind == "path":
            return pathlib.PurePath(_of(value, str))
        if kind == "device":
            return torch.device(_of(value, str)[:20])
    except (ValueError, RuntimeError) as error:
        raise WireError(f"a malformed {kind}") from error
    if kind == "dtype" and (dtype := _DTYPES.get(_of(value, str))) is not None:
        return dtype
    raise WireError(f"an unknown type, {kind[:40]!r}")


def _decode_dict(value: Any, tensors: list[torch.Tensor], look_up: Callable[[Reference], Any], depth: int) -> Any:
    result = {}
    for pair in _limited(_of(value, list), MAX_PAIRS):
        key, item = _pair(pair)
        decoded = decode(key, tensors, look_up, depth + 1)
        if not all(isinstance(part, _PLAIN) for part in (decoded if type(decoded) is tuple else (decoded,))):
            raise WireError("a dict key that is no text or number, nor a tuple of them")
        result[decoded] = decode(item, tensors, look_up, depth + 1)
    return result


def _decode_tensor(data: dict[str, Any], tensors: list[torch.Tensor]) -> torch.Tensor:
    number = data["v"]
    if type(number) is not int or not 0 <= number < len(tensors):
        raise WireError("a tensor that was not sent")
    tensor = _take(tensors, number)
    if data.get("c"):
        if tensor.dim() == 0 or tensor.shape[-1] != 2 or not tensor.is_floating_point():  # noqa: PLR2004 - real and imaginary part
            raise WireError("a malformed complex tensor")
        tensor = torch.view_as_complex(tensor)
    if "on" in data:
        tensor = tensor.to(_device(data["on"]))
    if "s" in data:
        tensor = _strided(tensor, data["s"])
    if data.get("g"):
        if not (tensor.is_floating_point() or tensor.is_complex()):
            raise WireError("an integer tensor that requires a gradient")
        tensor.requires_grad_()
        if "d" in data:
            gradient = _decode_tensor({**_of(data["d"], dict), "g": False}, tensors)
            if not alike(gradient, tensor):
                raise WireError("a gradient of another form than its tensor")
            tensor.grad = gradient
    return tensor


def alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors have the same shape, dtype and device."""
    return (one.shape, one.dtype, one.device) == (other.shape, other.dtype, other.device)


def _take(tensors: list[torch.Tensor], number: int) -> torch.Tensor:
    """The tensor, only once: for a message that names one tensor again and again, a copy would be made each time."""
    tensor = tensors[number]
    if tensor is _TAKEN:
        raise WireError("a tensor that is named twice")
    tensors[number] = _TAKEN
    return tensor


_TAKEN = torch.empty(0)


def _device(name: Any) -> torch.device:
    """A device that holds values; an answer on ``meta`` would make the judge's comparison stumble, not fail."""
    found = re.fullmatch(r"cuda(?::(\d{1,3}))?", _of(name, str))
    if found is None or int(found[1] or 0) >= torch.cuda.device_count():
        raise WireError(f"a tensor on device {name[:20]!r}")
    return torch.device(name)


def _strided(tensor: torch.Tensor, strides: Any) -> torch.Tensor:
    """A copy with the sender's strides: whether an input is contiguous is part of what is asked."""
    strides = _of(strides, list)
    if len(strides) != tensor.dim() or not all(type(s) is int and 0 <= s < 2**40 for s in strides):
        raise WireError("malformed strides")
    # A stride of 0 repeats one entry: build that entry, then expand. Gaps are at most the sender's.
    base = tensor[tuple(slice(0, 1) if s == 0 else slice(None) for s in strides)]
    span = 1 + sum((n - 1) * s for n, s in zip(base.shape, strides, strict=True))
    if tensor.numel() and span > 64 * tensor.numel() + 1024:
        raise WireError("strides with gaps of more than 64 times the values")
    if (span - base.numel()) * tensor.element_size() > MAX_GAPS:
        raise WireError(f"strides with gaps of more than {MAX_GAPS >> 20} MB")
    if tensor.numel() == 0:
        return tensor
    copy = torch.empty_strided(base.shape, strides, dtype=tensor.dtype, device=tensor.device)
    copy.copy_(base)
    return copy.expand(tensor.shape)


def _of(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise WireError(f"a {type(value).__name__} where a {kind.__name__} belongs")
    return value


def _pair(value: Any) -> tuple[Any, Any]:
    if type(value) is not list or len(value) != 2:  # noqa: PLR2004 - key and value
        raise WireError("a dict entry that is no pair")
    return value[0], value[1]


def _limited(items: list[Any], limit: int = MAX_ITEMS) -> list[Any]:
    if len(items) > limit:
        raise WireError(f"a list of more than {limit} items")
    return items
