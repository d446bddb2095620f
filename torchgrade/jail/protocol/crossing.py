"""Values that cross to the student's process by name, and the messages for a grader that sends one that cannot cross at all.

    student.hvp(probes.quartic, x, v)  ──►  {"$": "probe", "v": "quartic"}, two tensors
    student.hvp({1, 2}, x, v)          ──►  GraderError: "student.hvp: argument 1 is a value of type set ..."

The documentation has the same as a table: "What crosses" in ``docs/grading-api.md``.
"""

from __future__ import annotations

import copy
import operator
import types
from collections.abc import Callable, Mapping
from typing import Any

import torch

from torchgrade.checks.declared import GraderError
from torchgrade.jail.protocol.values import Reference, WireError, encode

PROBES = "probes"
OF_AN_EXERCISE = ("probes_", "public_")


def probe_named(value: Any) -> Reference | None:
    """How a function of ``probes.py``, or of a file of public checks, is called over there; ``None`` for anything else.

    Over there it is looked up by its name, which a lambda or a function inside another function does not have.
    """
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not (callable(value) and isinstance(module, str) and isinstance(name, str) and name.isidentifier()):
        return None
    file = module.rpartition(".")[2]
    if file != PROBES and not file.startswith(OF_AN_EXERCISE):
        return None
    return Reference("probe", name if file == PROBES else f"{file}.{name}")


def arguments_sent(
    function: str,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    tensors: list[torch.Tensor],
    resolve: Callable[[Any], Reference | None],
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments as they go over the wire; ``tensors`` gets theirs. Raises :class:`GraderError` if one cannot cross."""

    def sent(which: str, value: Any) -> Any:
        try:
            return encode(value, tensors, resolve)
        except WireError as error:
            raise GraderError(f"{function}: {which} {why_not(value, error)}") from None

    positional = [sent(f"argument {number}", value) for number, value in enumerate(args, 1)]
    return positional, {key: sent(f"argument {key}", value) for key, value in kwargs.items()}


def why_not(value: Any, error: WireError) -> str:
    """Return what an argument is, and what to do instead, for the one who wrote the grader."""
    kind = type(value).__name__
    # Most often it is the argument itself; otherwise it is something in a list or dict.
    what = str(error) if kind in str(error) or isinstance(value, torch.Tensor) else f"a {kind} that holds {error}"
    advice = "make it over there, in a function of probes.py, out of what can be sent (tensors, numbers, text, lists, dicts)"
    return f"is {what}, which cannot be sent; {advice}"


def require_probe(method: str, value: Any) -> Reference:
    """The name of a probe; raises :class:`GraderError` for a function that is not one."""
    reference = probe_named(value)
    if reference is None:
        name = getattr(value, "__name__", repr(value))
        raise GraderError(
            f"student.{method} takes a function that is defined with def in probes.py, or beside public checks, not {name[:100]}"
        )
    return reference


class MethodName:
    """A method of an object, as the answer to a request for an attribute: it is called by its name later."""

    def __init__(self, name: str) -> None:
        self.name = name


def _attribute(value: Any, name: str) -> Any:
    found = getattr(value, name)
    is_own = isinstance(found, types.MethodType) and found.__self__ is value
    return MethodName(name) if is_own and name not in getattr(value, "__dict__", {}) else found


def _next(iterator: Any) -> tuple[bool, Any]:
    try:
        return True, next(iterator)
    except StopIteration:
        return False, None


OPERATORS: dict[str, Callable[..., Any]] = {
    "getattr": _attribute,
    "setattr": setattr,
    "delattr": delattr,
    "len": len,
    "getitem": operator.getitem,
    "setitem": operator.setitem,
    "contains": operator.contains,
    "iter": iter,
    "next": _next,
    "repr": repr,
    "bool": bool,
    "deepcopy": copy.deepcopy,
}
"""Python's operators as a handle applies them to its object."""
