"""Functions of the grader's among the arguments: they stay with the judge, and the student's code calls them over the wire.

    student.beam_search(log_prob_fn, start)  ──►  {"$": "callback", "v": [0, "log_prob_fn"]}
                                             ◄──  {"callback": 0, "args": [...]}       as often as the student's code calls it
                                             ──►  {"result": ...}
                                             ◄──  the answer

Whatever the student's code learns by calling such a function, the grader gave away. A module of PyTorch's own classes goes over
as a copy instead, with its parameters.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

import torch

from torchgrade.checks.declared import GraderError
from torchgrade.checks.faults import BadAnswer, SandboxError, StudentFault
from torchgrade.checks.observing import tensors_in
from torchgrade.jail.protocol.values import Reference, WireError, alike, encode

MOST_CALLS = 100_000
"""The most calls of the grader's functions in one check."""
MOST_KEPT = 10_000
"""The most of these calls that can still be differentiated."""
MOST_BYTES = 8_000_000
"""The most bytes of a module that is sent."""


class Callbacks:
    """The functions that the student's code was given in one check, by number; ``decode`` reads what comes from there."""

    def __init__(self, decode: Callable[[Any, list[torch.Tensor]], Any]) -> None:
        self._decode = decode
        self._functions: list[Callable[..., Any]] = []
        self._kept: list[tuple[list[torch.Tensor], list[torch.Tensor]]] = []
        self._calls = 0
        self._running: str | None = None

    @property
    def in_use(self) -> bool:
        """True once a function was given away."""
        return bool(self._functions)

    def named(self, function: Callable[..., Any]) -> Reference:
        """How a function crosses."""
        number = next((n for n, known in enumerate(self._functions) if known is function), len(self._functions))
        if number == len(self._functions):
            self._functions.append(function)
        return Reference("callback", [number, _name_of(function)])

    def require_none_running(self) -> None:
        """Raise :class:`GraderError` if a function that was given away asks for the student's code itself."""
        if self._running is not None:
            raise GraderError(
                f"{self._running} was given to the student's code and calls student.… itself, whose process waits for it: let it "
                "compute what does not need the student's code"
            )

    def answer(self, frame: dict[str, Any], tensors: list[torch.Tensor]) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """The answer to a call from the student's process. Raises :class:`BadAnswer` for a call that is impossible."""
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise BadAnswer(f"Your code called a function that it was given more than {MOST_CALLS} times.")
        outgoing: list[torch.Tensor] = []
        if "callback_vjp" in frame:
            return self._product(frame, tensors, outgoing), outgoing
        number = frame.get("callback")
        if type(number) is not int or not 0 <= number < len(self._functions):
            raise BadAnswer("Your code called a function that it was not given.")
        args, kwargs = self._decode(frame.get("args"), tensors), frame.get("kwargs")
        if not isinstance(args, list) or not isinstance(kwargs, dict):
            raise BadAnswer("Your code called a function that it was given with arguments that could not be read.")
        kwargs = {key: self._decode(value, tensors) for key, value in kwargs.items()}
        function = self._functions[number]
        self._running = _name_of(function)
        try:
            with torch.set_grad_enabled(frame.get("grad") is True):
                result = function(*args, **kwargs)
        except (StudentFault, GraderError, SandboxError):
            raise
        except Exception as error:  # noqa: BLE001 - as it would be raised in the student's code if there were no wall
            return {"error": {"kind": type(error).__name__, "text": str(error)[:2000]}}, []
        finally:
            self._running = None
        try:
            answer = {"result": encode(result, outgoing)}
        except WireError as error:
            raise GraderError(f"{_name_of(function)} returned {error} to the student's code; only data crosses") from None
        leaves = [tensor for tensor in tensors_in([args, kwargs]) if tensor.requires_grad]
        outputs = list(tensors_in(result))
        if leaves and any(output.requires_grad for output in outputs):
            if len(self._kept) >= MOST_KEPT:
                raise BadAnswer(f"Your code called a function that it was given more than {MOST_KEPT} times for a gradient.")
            answer["kept"] = len(self._kept)
            self._kept.append((leaves, outputs))
        return answer, outgoing

    def _product(self, frame: dict[str, Any], tensors: list[torch.Tensor], outgoing: list[torch.Tensor]) -> dict[str, Any]:
        number, cotangents = frame["callback_vjp"], self._decode(frame.get("cotangents"), tensors)
        if type(number) is not int or not 0 <= number < len(self._kept) or not isinstance(cotangents, list):
            raise BadAnswer("Your code asked for the gradient of a call that it did not make.")
        leaves, outputs = self._kept[number]
        if len(cotangents) != len(outputs):
            raise BadAnswer("Your code asked for a gradient with cotangents that do not fit.")
        given = [(o, c) for o, c in zip(outputs, cotangents, strict=True) if isinstance(c, torch.Tensor) and o.requires_grad]
        if not all(alike(o, c) for o, c in given):
            raise BadAnswer("Your code asked for a gradient with cotangents that do not fit.")
        with torch.enable_grad():
            gradients = torch.autograd.grad(
                [output for output, _ in given], leaves, [c for _, c in given], retain_graph=True, allow_unused=True
            )
        return {"result": encode(list(gradients), outgoing)}


def crosses_whole(module: torch.nn.Module) -> bool:
    """Return whether a module goes over as a copy: if all its parts are of PyTorch's own classes, which both sides have."""
    return all(type(part).__module__.startswith("torch.nn.") for part in module.modules())


def module_sent(module: torch.nn.Module) -> Reference:
    """How such a module crosses. Raises :class:`WireError` for a very large one."""
    buffer = io.BytesIO()
    torch.save(module, buffer)
    if buffer.tell() > MOST_BYTES:
        raise WireError(f"a module of {buffer.tell()} bytes; at most {MOST_BYTES} are sent")
    return Reference("module", base64.b64encode(buffer.getvalue()).decode("ascii"))


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))[:100]
