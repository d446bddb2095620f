"""Answers the calls of one check. Each call has a number, and gets one answer.

    {"n": 3, "do": "call", "name": ..., "args": ..., "kwargs": ..., "how": "plain", "context": {...}}  →  {"n": 3, "result": ...}
    {"n": 4, "do": "vjp", "of": 3, "cotangents": [...], "context": {...}}                            →  {"n": 4, "result": [...]}
    {"n": 5, "do": "write", "into": 0, "numbers": ..., "context": {...}}                             →  {"n": 5, "result": ...}
    {"n": 0, "do": "warm_up", "memory": bytes}                                                      →  {"n": 0, "result": null}
    anything that raises                                                                            →  {"n": 4, "error": {...}}
    what cannot be sent                                                                             →  {"n": 4, "refused": why}

A call whose result needs a gradient is kept: its input leaves and its outputs. The vector-Jacobian product of a kept call is
itself a call, with the same inputs and the cotangents as its own, so products nest to any order.

The last call with ``"how": "hold"`` is kept as well: numbers are then written into its arguments, and its result is sent again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import torch

from torchgrade.checks.generators import seed_all
from torchgrade.checks.observing import count_operations, share_memory, storages_of, tensors_in, with_written, write
from torchgrade.jail.inside.program import Program
from torchgrade.jail.protocol.values import Reference, WireError, decode, encode, refusal
from torchgrade.jail.protocol.wire import Closed, Wire, pair
from torchgrade.jail.resources.cuda import make_context, pin_numerics

MOST_BYTES = 1 << 32


class Kept:
    """A differentiable call: the leaves that it was given and the tensors that came out."""

    __slots__ = ("inputs", "outputs")

    def __init__(self, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        self.inputs, self.outputs = inputs, outputs


class NotDataError(Exception):
    """The result of a call cannot be sent."""


class NotDefinedError(Exception):
    """The notebook does not define a name that the judge asks for, or it is no function."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name


def serve(wire: Wire, program: Program) -> None:
    """Answer until the judge closes the wire."""
    server = Server(program)
    try:
        while True:
            answer, tensors = server.answer(*wire.receive(at_most=MOST_BYTES))
            try:
                wire.send(answer, tensors)
            except OSError as error:  # larger than a file may be here
                text = f"the result is too large to be looked at ({error.strerror})"
                wire.send({"n": answer["n"], "error": {"kind": "OverflowError", "text": text, "lines": []}}, [])
    except Closed:
        return


def rehearse() -> None:
    """Do once, in the warm worker, what a call does: what is imported or set up at first use is then there in every fork."""
    outgoing: list[torch.Tensor] = []
    with _ambient({"seed": 1, "threads": 1, "grad": True, "autocast": {"cpu": "bfloat16"}}):
        x = torch.ones(2, 2, requires_grad=True)
        y = (x @ x).softmax(-1)
        if not os.environ.get("CUDA_VISIBLE_DEVICES"):
            # Where there is a GPU, torch's engine starts CUDA, and a thread for it, at the first backward pass of whatever.
            torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    count_operations(torch.add, x, x)
    share_memory(x, [x])
    ours, theirs = (Wire(end) for end in pair())
    ours.send({"value": encode([x, (1, {"a": 2.0})], outgoing)}, outgoing)
    message, tensors = theirs.receive(at_most=MOST_BYTES)
    decode(message["value"], tensors, lambda _: None)
    ours.close()
    theirs.close()


class Server:
    """Answers calls of one program, and keeps those that can still be differentiated."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._kept: dict[int, Kept] = {}
        self._held: tuple[list[Any], Any, str] | None = None

    def answer(self, request: dict[str, Any], tensors: list[torch.Tensor]) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """The answer to one request, with the tensors that it refers to."""
        outgoing: list[torch.Tensor] = []
        try:
            if request["do"] == "warm_up":
                make_context(request["memory"])
                return {"n": request["n"], "result": None}, []
            if request["free"] == "all":
                self._kept.clear()
                self._held = None
            else:
                for number in request["free"]:
                    self._kept.pop(number, None)
            with _ambient(request["context"]):
                match request["do"]:
                    case "vjp":
                        answer = _product(request, tensors, outgoing, self._kept, self._look_up)
                    case "write":
                        answer = self._written(request, tensors, outgoing)
                    case _:
                        answer = self._call(request, tensors, outgoing)
        except NotDefinedError as error:
            answer, outgoing = {"undefined": str(error), "name": error.name}, []
        except NotDataError as error:
            answer, outgoing = {"refused": str(error)}, []
        except BaseException as error:  # noqa: BLE001 - a student may raise anything, SystemExit too
            answer, outgoing = {"error": self._program.describe(error)}, []
        answer["n"] = request["n"]
        return answer, outgoing

    def _look_up(self, reference: Reference) -> Any:
        if reference.kind == "probe":
            return self._program.probe(reference.name)
        try:
            return self._program.module.__dict__[reference.name]
        except KeyError:
            raise NotDefinedError(f"{reference.name} is not defined in the notebook", reference.name) from None

    def _call(self, request: dict[str, Any], tensors: list[torch.Tensor], outgoing: list[torch.Tensor]) -> dict[str, Any]:
        function = decode(request["name"], tensors, self._look_up)
        if not callable(function):
            name, kind = request["name"]["v"], type(function).__name__
            raise NotDefinedError(f"{name} is a value of type {kind} in the notebook; expected a function", name)
        args = decode(request["args"], tensors, self._look_up)
        kwargs = {key: decode(value, tensors, self._look_up) for key, value in request["kwargs"].items()}
        first = (self._program.module,) if request["name"]["$"] == "probe" else ()
        if request["how"] == "count":
            return {"result": count_operations(function, *first, *args, **kwargs)}
        leaves = [tensor for tensor in tensors_in([args, kwargs]) if tensor.requires_grad]
        result = function(*first, *args, **kwargs)
        answer: dict[str, Any] = {"result": _encoded(result, outgoing, request["name"]["v"])}
        if request["how"] == "observe":
            answer["shares"] = share_memory(result, [args, kwargs])
            answer["storages"] = list(storages_of(result))
            answer["arguments"] = _encoded(list(tensors_in(args)), outgoing)
        if request["how"] == "hold":
            self._held = (args, result, request["name"]["v"])
        _keep(request["n"], self._kept, leaves, result)
        return answer

    def _written(self, request: dict[str, Any], tensors: list[torch.Tensor], outgoing: list[torch.Tensor]) -> dict[str, Any]:
        if self._held is None:
            raise NotDataError("no call is held")
        args, result, name = self._held
        write(args, request["into"], decode(request["numbers"], tensors, self._look_up))
        return {"result": _encoded(result, outgoing, name)}


def _product(
    request: dict[str, Any],
    tensors: list[torch.Tensor],
    outgoing: list[torch.Tensor],
    kept: dict[int, Kept],
    look_up: Callable[[Reference], Any],
) -> dict[str, Any]:
    call = kept[request["of"]]
    cotangents = decode(request["cotangents"], tensors, look_up)
    given = [(o, c) for o, c in zip(call.outputs, cotangents, strict=True) if c is not None and o.requires_grad]
    again = torch.is_grad_enabled()
    gradients = torch.autograd.grad(
        [output for output, _ in given],
        call.inputs,
        [cotangent for _, cotangent in given],
        create_graph=again,
        # The graph is kept until the judge lets go of the call: it may differentiate the same call once more.
        retain_graph=True,
        allow_unused=True,
    )
    result = list(with_written(gradients, call.inputs))
    answer = {"result": _encoded(result, outgoing)}
    if again:
        leaves = call.inputs + [cotangent for cotangent in cotangents if cotangent is not None and cotangent.requires_grad]
        _keep(request["n"], kept, leaves, result)
    return answer


def _keep(number: int, kept: dict[int, Kept], leaves: list[torch.Tensor], result: Any) -> None:
    outputs = list(tensors_in(result))
    if leaves and any(output.requires_grad for output in outputs):
        kept[number] = Kept(leaves, outputs)


def _encoded(value: Any, outgoing: list[torch.Tensor], name: str = "the backward pass") -> Any:
    try:
        return encode(value, outgoing)
    except WireError as error:
        raise NotDataError(refusal(name, error)) from None


@contextlib.contextmanager
def _ambient(context: dict[str, Any]) -> Iterator[None]:
    """The judge's state around a call: seeds, grad mode, autocast, default dtype, threads."""
    seed_all(context["seed"], cuda=bool(context.get("cuda")))
    if torch.get_num_threads() != context["threads"]:
        torch.set_num_threads(context["threads"])
    if context.get("cuda"):
        pin_numerics()
    with contextlib.ExitStack() as stack:
        if "dtype" in context:
            torch.set_default_dtype(getattr(torch, context["dtype"]))
        for device, dtype in context.get("autocast", {}).items():
            stack.enter_context(torch.autocast(device, getattr(torch, dtype)))
        stack.enter_context(torch.set_grad_enabled(context["grad"]))
        yield
