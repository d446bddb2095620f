"""Objects of the student's that the judge holds handles of, and tensors that both sides have.

    request  {"objects": {"drop": [7], "twins": [[3, {"data": ...}], [-1, {"data": ..., "wants": true}]]}, ...}
    answer   {"objects": {"new": [[4, {...}]], "twins": [[3, {"grad": ...}]], "gone": [-1]}, ...}

A leaf tensor that is sent from an object (a parameter, a buffer) becomes a twin for as long as something here still holds it; one
that was computed only for the answer is let go with the answer. Numbers of the judge's own tensors are negative. All of this is
within the student's reach: it is their process's word.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from torchgrade.checks.observing import tensors_in, with_tensors
from torchgrade.jail.protocol.crossing import OPERATORS, MethodName
from torchgrade.jail.protocol.twins import Twin, introduced, made
from torchgrade.jail.protocol.values import Reference, WireError, decode, encode, refuse

MOST = 10_000
"""The most objects that the judge may hold handles of, and the most tensors that both sides may have."""
_MOST_NODES = 100_000
_MOST_CLASSES = 20


class GoneError(Exception):
    """The judge asks for an object that this process does not have."""


class Objects:
    """Objects and tensors that are known to both sides, by number."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}  # by id: the objects are held here, so each id belongs to one object
        self._twins: dict[int, Twin] = {}
        self._known: dict[int, int] = {}  # numbers of twins, by id; a twin may be gone, and its id may be another tensor's
        self._fresh: dict[int, dict[str, Any]] = {}
        self._arriving: list[torch.Tensor] = []
        self._last = 0
        self._outgoing: list[torch.Tensor] = []
        self._apart: set[int] = set()
        self.plain: list[torch.Tensor] = []
        """The tensors of the last result that went out as they are, in order: the results of a computation."""

    def hear(self, message: dict[str, Any], tensors: list[torch.Tensor]) -> None:
        """Take over what the judge says along with a request."""
        for number in self._fresh:  # from an answer that could not be sent: the judge has not heard of these
            del self._twins[number]
        self._fresh.clear()
        for number in message["drop"]:
            self._numbers.pop(id(self._objects.pop(number, None)), None)
        for number, news in message["twins"]:
            if (twin := self._twins.get(number)) is not None:
                twin.hear(news, tensors)
            elif number < 0:
                tensor = made(news, tensors)
                self._arriving.append(tensor)
                self._add(number, tensor)

    def _add(self, number: int, tensor: torch.Tensor) -> None:
        if len(self._twins) >= MOST:
            raise WireError(f"more than {MOST} tensors that both sides have")
        self._twins[number] = Twin(tensor, weak=True)
        self._known[id(tensor)] = number

    def find(self, reference: Reference) -> Any:
        """The object, method, operator or tensor that the judge means."""
        if reference.kind == "operator":
            return OPERATORS[reference.name]
        if reference.kind == "twin":
            tensor = None if (twin := self._twins.get(reference.name)) is None else twin.tensor
            if tensor is None:
                raise GoneError
            return tensor
        number, *method = reference.name if reference.kind == "method" else (reference.name,)
        if number not in self._objects:
            raise GoneError
        return getattr(self._objects[number], *method) if method else self._objects[number]

    def encode(self, value: Any, outgoing: list[torch.Tensor], arguments: Iterable[torch.Tensor]) -> Any:
        """A result as data, in which whatever is not data is named; ``arguments`` do not belong to an object."""
        self._outgoing, self.plain = outgoing, []
        self._apart = {id(tensor) for tensor in arguments}
        return encode(value, outgoing, self._name)

    def _name(self, value: Any) -> Reference | None:
        if isinstance(value, torch.Tensor):
            if (number := self._number_of(value)) is not None:
                return Reference("twin", number)
            self.plain.append(value)
            return None
        if type(value) is Argument:
            return Reference("argument", value.number)
        if type(value) is MethodName:
            return Reference("method", value.name[:200])
        if (number := self._numbers.get(id(value))) is None:
            if len(self._objects) >= MOST:
                raise WireError(f"more than {MOST} objects")
            number = self._last = self._last + 1
            self._objects[number], self._numbers[id(value)] = value, number
        kind = type(value)
        classes = [f"{each.__module__}.{each.__qualname__}" for each in kind.__mro__ if each.__module__.startswith("torch.")]
        return Reference("object", [number, kind.__name__[:100], classes[:_MOST_CLASSES], hasattr(kind, "__len__")])

    def _number_of(self, tensor: torch.Tensor) -> int | None:
        """The number of a tensor that is a twin, or is to become one; ``None`` for the result of a computation."""
        if self.has(tensor):
            return self._known[id(tensor)]
        if not tensor.is_leaf or id(tensor) in self._apart or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            return None
        if tensor.layout is not torch.strided:
            return None
        number = self._last = self._last + 1
        self._add(number, tensor)
        self._fresh[number] = introduced(tensor, self._outgoing)
        return number

    def has(self, tensor: torch.Tensor) -> bool:
        """Return whether both sides have this tensor."""
        twin = self._twins.get(self._known.get(id(tensor), 0))
        return twin is not None and twin.tensor is tensor

    def leaves_under(
        self, outputs: Sequence[torch.Tensor], arguments: Iterable[torch.Tensor]
    ) -> tuple[list[int], list[torch.Tensor]]:
        """The leaves, besides the arguments, that the outputs were computed from: an object's parameters. Each becomes a twin."""
        besides = {id(tensor) for tensor in arguments}
        numbers: list[int] = []
        leaves: list[torch.Tensor] = []
        seen: set[Any] = set()
        stack = [output.grad_fn for output in outputs if output.grad_fn is not None]
        while stack and len(seen) < _MOST_NODES:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            leaf = getattr(node, "variable", None)
            if isinstance(leaf, torch.Tensor) and leaf.is_leaf and id(leaf) not in besides:
                besides.add(id(leaf))
                if (number := self._number_of(leaf)) is not None:
                    numbers.append(number)
                    leaves.append(leaf)
            stack += [following for following, _ in node.next_functions if following is not None]
        return numbers, leaves

    def settle(self, outgoing: list[torch.Tensor]) -> dict[str, Any]:
        """Tell the judge, along with the answer, what it has to hear, once nothing of the call itself holds a tensor any more."""
        self._arriving, self._outgoing, self.plain, self._apart = [], [], [], set()
        gone = [number for number, twin in self._twins.items() if twin.tensor is None]
        changed = [[n, news] for n, twin in self._twins.items() if (news := twin.news(outgoing)) is not None]
        for number in gone:
            del self._twins[number]
        if gone:
            self._known = {id(twin.tensor): number for number, twin in self._twins.items()}
        fresh, self._fresh = [[number, news] for number, news in self._fresh.items()], {}
        return {"new": fresh, "twins": changed, "gone": gone}


class Argument:
    """A tensor of the arguments, in a result."""

    def __init__(self, number: int) -> None:
        self.number = number


def named_arguments(result: Any, given: Sequence[torch.Tensor]) -> Any:
    """A result in which each tensor that is an argument says which one it is."""
    numbers = {id(tensor): number for number, tensor in enumerate(given)}
    return with_tensors(result, (Argument(numbers[id(t)]) if id(t) in numbers else t for t in tensors_in(result)))


AskJudge = Callable[[dict[str, Any], list[torch.Tensor]], tuple[dict[str, Any], list[torch.Tensor]]]


class Callback:
    """A function of the grader's: calling it asks the judge, which sends data back, differentiable if its own result was."""

    def __init__(self, number: int, name: str, ask: AskJudge) -> None:
        self._number, self._ask, self.__name__ = number, ask, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it. What it raises is raised here too: the same kind of error, if that is one of Python's own."""
        outgoing: list[torch.Tensor] = []
        leaves = [tensor for tensor in tensors_in([args, kwargs]) if tensor.requires_grad] if torch.is_grad_enabled() else []
        frame = {
            "callback": self._number,
            "args": encode(list(args), outgoing),
            "kwargs": {key: encode(value, outgoing) for key, value in kwargs.items()},
            "grad": torch.is_grad_enabled(),
        }
        answer, tensors = _asked(self._ask, frame, outgoing)
        result = decode(answer["result"], tensors, refuse)
        outputs = list(tensors_in(result))
        wanted = [output.requires_grad for output in outputs]
        for output in outputs:
            output.requires_grad_(False)  # noqa: FBT003 - torch's signature
        if not leaves or not any(wanted):
            return result
        return with_tensors(result, iter(_Answered.apply(self._ask, answer["kept"], outputs, wanted, *leaves)))  # type: ignore[no-untyped-call]


class _Answered(torch.autograd.Function):
    """A call of the grader's function as a node of the graph here."""

    @staticmethod
    def forward(
        ctx: Any, ask: AskJudge, kept: int, outputs: list[torch.Tensor], wanted: list[bool], *_leaves: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        ctx.ask, ctx.kept = ask, kept
        ctx.set_materialize_grads(False)
        results = tuple(output.view_as(output) for output in outputs)
        ctx.mark_non_differentiable(*(r for r, want in zip(results, wanted, strict=True) if not want))
        return results

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[Any, ...]:
        outgoing: list[torch.Tensor] = []
        frame = {"callback_vjp": ctx.kept, "cotangents": [encode(cotangent, outgoing) for cotangent in cotangents]}
        answer, tensors = _asked(ctx.ask, frame, outgoing)
        return None, None, None, None, *decode(answer["result"], tensors, refuse)


def _asked(ask: AskJudge, frame: dict[str, Any], outgoing: list[torch.Tensor]) -> tuple[dict[str, Any], list[torch.Tensor]]:
    answer, tensors = ask(frame, outgoing)
    if "error" in answer:
        kind: Any = getattr(builtins, answer["error"]["kind"], None)
        known = isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, UnicodeError)
        raised: type[Exception] = kind if known else RuntimeError
        raise raised(answer["error"]["text"])
    return answer, tensors
