"""The check that an answer is of the declared type: ``-> list[tuple[str, Tensor]]`` is compared with what came.

A probe runs beside the student's code, which can make it return anything; and so can a function of theirs, whose stub says what
it should return. An answer that does not fit is turned into the submission's failure here, before a grader takes it apart and
stumbles over it (which would leave the check ungraded).

No library does this: to the existing ones, a bool is an int, and a hint that is not about data is an error or is looked up.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

from torchgrade.checks.faults import with_article


class _OnlyFloat:
    """Stands for a float that may not be an int."""


# What students read as the type of their function; the elements of a list are checked less strictly.
_STUB_TYPES: dict[str, Any] = {
    "Tensor": torch.Tensor,
    "torch.Tensor": torch.Tensor,
    "float": _OnlyFloat,
    "int": int,
    "bool": bool,
    "str": str,
    "None": type(None),
    "list": list,
    "tuple": tuple,
    "dict": dict,
}
_STUB_ELEMENTS = _STUB_TYPES | {"int": int | bool}


def named_in_stub(annotation: str) -> Any:
    """The type that a stub's annotation names, which is never evaluated: a simple type, a list of these, or otherwise ``Any``."""
    outer, _, inner = annotation.partition("[")
    kind = _STUB_TYPES.get(outer.strip(), Any)
    element = _STUB_ELEMENTS.get(inner.rstrip("]").strip())
    return types.GenericAlias(list, element) if kind is list and element is not None else kind


def declared_by(probe: Callable[..., Any]) -> Any:
    """Return the type that the probe declares to return; ``Any`` if it declares none that can be looked up."""
    try:
        return typing.get_type_hints(probe).get("return", Any)
    except (NameError, TypeError, AttributeError):
        return Any


def fits(value: object, hint: Any) -> bool:
    """Return whether ``value`` is what ``hint`` says, down to the elements; a hint that is not about data accepts anything."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in inside)
    if origin is tuple and inside[-1:] != (...,):
        return (
            type(value) is tuple
            and len(value) == len(inside)
            and all(fits(item, one) for item, one in zip(value, inside, strict=True))
        )
    kind = _KINDS.get(origin or hint)
    if kind is None:
        return True
    if not isinstance(value, kind) or (isinstance(value, bool) and bool not in kind):
        return False
    if isinstance(value, Mapping):
        keys, values = inside or (Any, Any)
        return all(fits(key, keys) and fits(item, values) for key, item in value.items())
    if isinstance(value, list | tuple) and inside:
        return all(fits(item, inside[0]) for item in value)
    return True


def misfit(value: object, hint: Any) -> str | None:
    """Return in words what ``value`` is, if it is not what ``hint`` says."""
    if fits(value, hint):
        return None
    if isinstance(value, list) and typing.get_origin(hint) is list:
        (element,) = typing.get_args(hint)
        odd = next(item for item in value if not fits(item, element))
        return f"a list that holds {with_article(type(odd).__name__)}"
    return with_article(type(value).__name__)


_KINDS: dict[Any, tuple[type, ...]] = {
    torch.Tensor: (torch.Tensor,),
    bool: (bool,),
    int: (int,),
    float: (float, int),
    _OnlyFloat: (float,),
    complex: (complex, float, int),
    str: (str,),
    bytes: (bytes,),
    None: (type(None),),
    type(None): (type(None),),
    list: (list,),
    tuple: (tuple,),
    dict: (dict,),
    Mapping: (dict,),
    Sequence: (list, tuple),
    Iterable: (list, tuple),
    torch.dtype: (torch.dtype,),
}
