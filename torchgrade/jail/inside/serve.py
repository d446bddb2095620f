"""Answers the calls of one check. Each call has a number, and gets one answer.

    {"n": 3, "do": "call", "name": ..., "args": ..., "kwargs": ..., "how": "plain", "context": {...}}  →  {"n": 3, "result": ...}
    {"n": 4, "do": "vjp", "of": 3, "cotangents": [...], "context": {...}}                            →  {"n": 4, "result": [...]}
    {"n": 5, "do": "write", "into": 0, "numbers": ..., "context": {...}}                             →  {"n": 5, "result": ...}
    {"n": 0, "do": "warm_up", "memory": bytes}                                                      →  {"n": 0, "result": null}
    {"n": 6, "do": "call", "name": {"$": "object", "v": 1}, ..., "objects": {...}}                  →  {..., "objects": {...}}
    anything that raises                                                                            →  {"n": 4, "error": {...}}
    what cannot be sent                                                                             →  {"n": 4, "refused": why}

A call whose result needs a gradient is kept: its input leaves and its outputs. The vector-Jacobian product of a kept call is
itself a call, with the same inputs and with the cotangents as further inputs, so products nest to any order.

The last call with ``"how": "hold"`` is kept as well: numbers are then written into its arguments, and its result is sent again.

If the judge holds handles of objects, :mod:`torchgrade.jail.inside.objects` has what is known to both sides. A function of the
grader's among the arguments asks the judge in between: {"n": 3, "callback": 0, "args": ...}  →  {"n": 3, "result": ...}.
"""

from __future__ import annotations

import base64
import contextlib
import io
import os
from collections.abc import Callable, Iterator
from typing import Any

import torch

from torchgrade.checks.generators import seed_all
from torchgrade.checks.observing import (
    count_operations,
    share_memory,
    storages_of,
    tensors_in,
    with_written,
    write,
)
from torchgrade.jail.inside.objects import Argument, AskJudge, Callback, GoneError, Objects, named_arguments
from torchgrade.jail.inside.program import Program
from torchgrade.jail.protocol.values import Reference, WireError, decode, encode, refusal, refuse
from torchgrade.jail.protocol.wire import Closed, Wire, pair
from torchgrade.jail.resources.cuda import make_context, pin_numerics

MOST_BYTES = 1 << 32


class Kept:
    """A differentiable call: the leaves that it was given, those of objects that it used, and the tensors that came out."""

    __slots__ = ("given", "inputs", "outputs")

    def __init__(self, given: list[torch.Tensor], objects: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        self.given, self.inputs, self.outputs = len(given), given + objects, outputs


class NotDataError(Exception):
    """The result of a call cannot be sent."""


class NotDefinedError(Exception):
    """The notebook does not define a name that the judge asks for, or that name is not a function."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name


def serve(wire: Wire, program: Program) -> None:
    """Answer until the judge closes the wire."""

    def ask(frame: dict[str, Any], tensors: list[torch.Tensor]) -> tuple[dict[str, Any], list[torch.Tensor]]:
        wire.send(frame, tensors)
        return wire.receive(at_most=MOST_BYTES)

    server = Server(program, ask)
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
    """Do once, in the warm worker, what a call does: whatever is imported or set up at first use is then there in every fork."""
    outgoing: list[torch.Tensor] = []
    with _ambient({"seed": 1, "threads": 1, "grad": True, "autocast": {"cpu": "bfloat16"}}):
        x = torch.ones(2, 2, requires_grad=True)
        y = (x @ x).softmax(-1)
        if not os.environ.get("CUDA_VISIBLE_DEVICES"):
            # If there is a GPU, torch's engine starts CUDA, and a thread for it, at the first backward pass of anything.
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

    def __init__(self, program: Program, ask: AskJudge) -> None:
        self._program, self._ask = program, ask
        self._kept: dict[int, Kept] = {}
        self._objects = Objects()
        self._whole: set[int] = set()  # modules of the grader's among the arguments of the call, by id
        self._number = 0
        self._held: tuple[list[Any], Any, str] | None = None

    def answer(self, request: dict[str, Any], tensors: list[torch.Tensor]) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """The answer to one request, with the tensors that it refers to."""
        outgoing: list[torch.Tensor] = []
        try:
            if request["do"] == "warm_up":
                make_context(request["memory"])
                return {"n": request["n"], "result": None}, []
            self._begin(request, tensors)
            do = {"vjp": self._product, "write": self._written, "call": self._call}[request["do"]]
            with _ambient(request["context"]):
                if "draws" in request:
                    torch.set_rng_state(decode(request["draws"], tensors, refuse))
                answer = do(request, tensors, outgoing)
                if "draws" in request:
                    answer["draws"] = encode(torch.get_rng_state(), outgoing)
            if "objects" in request:
                answer["objects"] = self._objects.settle(outgoing)
        except GoneError:
            why = "because the process was restarted in the meantime"
            answer, outgoing = {"refused": f"The check asked for an object that your code's process no longer has, {why}."}, []
        except NotDefinedError as error:
            answer, outgoing = {"undefined": str(error), "name": error.name}, []
        except NotDataError as error:
            answer, outgoing = {"refused": str(error)}, []
        except BaseException as error:  # noqa: BLE001 - a student may raise anything, SystemExit too
            answer, outgoing = {"error": self._program.describe(error)}, []
        answer["n"] = request["n"]
        return answer, outgoing

    def _begin(self, request: dict[str, Any], tensors: list[torch.Tensor]) -> None:
        """Let go of what the judge no longer needs, and take in what it says about objects."""
        if request["free"] == "all":
            self._kept.clear()
            self._objects = Objects()
            self._held = None
        else:
            for number in request["free"]:
                self._kept.pop(number, None)
        self._number = request["n"]
        self._whole.clear()
        if "objects" in request:
            self._objects.hear(request["objects"], tensors)

    def _look_up(self, reference: Reference) -> Any:
        match reference.kind:
            case "probe":
                return self._program.probe(reference.name)
            case "callback":
                number, name = reference.name
                return Callback(number, name, self._ask_back)
            case "module":
                # What the judge sends is the judge's own; this is never done in the other direction.
                module = torch.load(io.BytesIO(base64.b64decode(reference.name)), weights_only=False)
                self._whole.add(id(module))
                return module
            case "name":
                return self._defined(reference)
        return self._objects.find(reference)

    def _ask_back(self, frame: dict[str, Any], tensors: list[torch.Tensor]) -> tuple[dict[str, Any], list[torch.Tensor]]:
        return self._ask({"n": self._number, **frame}, tensors)

    def _defined(self, reference: Reference) -> Any:
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
        given = list(tensors_in([args, kwargs]))
        leaves = [tensor for tensor in given if tensor.requires_grad and not self._objects.has(tensor)]
        have_gradients = [tensor for tensor in leaves if tensor.grad is not None]
        result = function(*first, *args, **kwargs)
        answer, objects, outputs = self._result(request, result, given, outgoing)
        how, kind = request["how"], request["name"]["$"]
        if how == "in place" or (how == "plain" and result is None and kind not in ("probe", "operator")):
            answer["back"] = _arguments(list(tensors_in([args, kwargs], lambda module: id(module) in self._whole)), outgoing)
        elif have_gradients:
            answer["gradients"] = [encode(tensor.grad, outgoing) for tensor in have_gradients]
        for tensor in have_gradients:
            tensor.grad = None  # what is written there from now on comes from a backward pass
        if how == "observe":
            answer["shares"] = share_memory(result, [args, kwargs])
            answer["storages"] = list(storages_of(result))
            answer["arguments"] = _encoded(list(tensors_in(args)), outgoing)
        if how == "hold":
            self._held = (args, result, request["name"]["v"])
        self._keep(leaves, objects, outputs)
        return answer

    def _result(
        self, request: dict[str, Any], result: Any, given: list[torch.Tensor], outgoing: list[torch.Tensor]
    ) -> tuple[dict[str, Any], list[torch.Tensor], list[torch.Tensor]]:
        """The answer with a result, the leaves besides the arguments that it rests on, and its tensors that were computed."""
        if request["how"] == "in place" or result is None:
            result = named_arguments(result, given)
        title = request.get("title", request["name"]["v"])
        if "objects" not in request:
            return {"result": _encoded(result, outgoing, title)}, [], list(tensors_in(result))
        answer = {"result": _encoded(result, outgoing, title, lambda value, out: self._objects.encode(value, out, given))}
        outputs, leaves = self._objects.plain, list[torch.Tensor]()
        if torch.is_grad_enabled():
            answer["leaves"], leaves = self._objects.leaves_under(outputs, [t for t in given if not self._objects.has(t)])
        return answer, leaves, outputs

    def _written(self, request: dict[str, Any], tensors: list[torch.Tensor], outgoing: list[torch.Tensor]) -> dict[str, Any]:
        if self._held is None:
            raise NotDataError("no call is held")
        args, result, name = self._held
        write(args, request["into"], decode(request["numbers"], tensors, self._look_up))
        return {"result": _encoded(result, outgoing, name)}

    def _product(self, request: dict[str, Any], tensors: list[torch.Tensor], outgoing: list[torch.Tensor]) -> dict[str, Any]:
        call = self._kept[request["of"]]
        cotangents = decode(request["cotangents"], tensors, self._look_up)
        given = [(o, c) for o, c in zip(call.outputs, cotangents, strict=True) if c is not None and o.requires_grad]
        again = torch.is_grad_enabled()
        gradients = torch.autograd.grad(
            [output for output, _ in given],
            call.inputs,
            [cotangent for _, cotangent in given],
            create_graph=again,
            # The graph is kept until the judge lets go of the call, since it may differentiate the same call once more.
            retain_graph=True,
            allow_unused=True,
        )
        # A parameter's .grad is what training has gathered there, so it stays.
        result = [*with_written(gradients[: call.given], call.inputs[: call.given]), *gradients[call.given :]]
        answer = {"result": _encoded(result, outgoing)}
        if again:
            leaves = call.inputs + [cotangent for cotangent in cotangents if cotangent is not None and cotangent.requires_grad]
            self._keep(leaves, [], list(tensors_in(result)))
        return answer

    def _keep(self, given: list[torch.Tensor], objects: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        if (given or objects) and any(output.requires_grad for output in outputs):
            self._kept[self._number] = Kept(given, objects, outputs)


def _arguments(found: list[torch.Tensor], outgoing: list[torch.Tensor]) -> list[Any]:
    """Return what the arguments hold after the call, and their gradients."""
    plain = [encode(tensor.detach(), outgoing) for tensor in found]
    return [plain, [encode(t.grad.detach(), outgoing) if t.is_leaf and t.grad is not None else None for t in found]]


Encode = Callable[[Any, list[torch.Tensor]], Any]


def _encode(value: Any, outgoing: list[torch.Tensor]) -> Any:
    return encode(value, outgoing, lambda one: Reference("argument", one.number) if type(one) is Argument else None)


def _encoded(value: Any, outgoing: list[torch.Tensor], name: str = "the backward pass", encoder: Encode = _encode) -> Any:
    try:
        return encoder(value, outgoing)
    except WireError as error:
        raise NotDataError(refusal(name, error)) from None


@contextlib.contextmanager
def _ambient(context: dict[str, Any]) -> Iterator[None]:
    """Set the judge's state around a call: seeds, grad mode, autocast, default dtype, threads."""
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
