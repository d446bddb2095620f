"""Whether an answer is of the type that a probe declares: ``-> list[tuple[str, Tensor]]`` is held against what came.

A probe runs beside the student's code, which can make it return anything. What does not fit is the submission's failure here,
before a grader takes it apart and stumbles over it (which would leave the check ungraded).
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch


def declared_by(probe: Callable[..., Any]) -> Any:
    """What the probe says it returns; ``Any`` where it says nothing that can be looked up."""
    try:
        return typing.get_type_hints(probe).get("return", Any)
    except (NameError, TypeError, AttributeError):
        return Any


def fits(value: object, hint: Any) -> bool:
    """Whether ``value`` is what ``hint`` says, down to the elements; a hint of any other kind than data accepts anything."""
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


_KINDS: dict[Any, tuple[type, ...]] = {
    torch.Tensor: (torch.Tensor,),
    bool: (bool,),
    int: (int,),
    float: (float, int),
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
