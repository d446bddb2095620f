"""Values that cross to the student's process by name, and the messages for a grader that sends one that cannot cross at all.

    student.hvp(probes.quartic, x, v)  ──►  {"$": "probe", "v": "quartic"}, two tensors
    student.hvp(lambda x: ..., x, v)   ──►  GraderError: "student.hvp: argument 1 is a function ..."

The docs have the same as a table: "What crosses" in ``docs/grading-api.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from torchgrade.checks.declared import GraderError
from torchgrade.jail.protocol.values import Reference, WireError, encode

PROBES = "probes"
OF_AN_EXERCISE = ("probes_", "public_")


def probe_named(value: Any) -> Reference | None:
    """How a function of ``probes.py``, or of a file of public checks, is called over there; ``None`` for anything else.

    Over there it is looked up by its name: a lambda and a function inside of another one have none.
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
    """The arguments as they go over the wire; ``tensors`` get theirs. Raises :class:`GraderError` for one that cannot."""

    def sent(which: str, value: Any) -> Any:
        try:
            return encode(value, tensors, resolve)
        except WireError as error:
            raise GraderError(f"{function}: {which} {why_not(value, error)}") from None

    positional = [sent(f"argument {number}", value) for number, value in enumerate(args, 1)]
    return positional, {key: sent(f"argument {key}", value) for key, value in kwargs.items()}


def why_not(value: Any, error: WireError) -> str:
    """Return what an argument is, and what to do instead, for whoever wrote the grader."""
    kind = type(value).__name__
    # Most often it is the argument itself; else something in a list or dict.
    what = str(error) if kind in str(error) or isinstance(value, torch.Tensor) else f"a {kind} that holds {error}"
    if callable(value) and not isinstance(value, torch.nn.Module):
        advice = "a function crosses by its name: define it with def in probes.py (for public checks, in their own file)"
    else:
        advice = "make it over there, in a function of probes.py, out of what can be sent (tensors, numbers, text, lists, dicts)"
    return f"is {what}, which cannot be sent; {advice}"


def require_probe(method: str, value: Any) -> Reference:
    """The name of a probe; :class:`GraderError` for a function that is none."""
    reference = probe_named(value)
    if reference is None:
        name = getattr(value, "__name__", repr(value))
        raise GraderError(
            f"student.{method} takes a function that is defined with def in probes.py, or beside public checks, not {name[:100]}"
        )
    return reference
