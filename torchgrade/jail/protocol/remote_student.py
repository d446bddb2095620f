"""``student``: what the notebook defines, as a grader sees it.

    student.softmax(x)  ──►  arguments and the judge's ambient state  ──►  exchange  ──►  the jail (or a fake)
                        ◄──  the judge's own tensors, built from bytes  ◄──

A result is differentiable if the worker's was: its backward pass is another exchange, with the judge's cotangents. Under
``create_graph`` that one is kept as well, so ``gradcheck`` and ``gradgradcheck`` work as on any function.
"""

from __future__ import annotations

import contextlib
import random
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import torch

from torchgrade.checks.calls import note_call
from torchgrade.checks.declared import GraderError
from torchgrade.checks.faults import BadAnswer, NotDefined, SandboxError, StudentFault, with_article
from torchgrade.checks.observing import Held, Observation, tensors_in
from torchgrade.jail.protocol.crossing import arguments_sent, probe_named, require_probe
from torchgrade.jail.protocol.return_types import declared_by, fits, misfit, named_in_stub
from torchgrade.jail.protocol.values import Reference, WireError, decode, encode, names_cuda
from torchgrade.jail.resources.cuda import context_is_lost

if TYPE_CHECKING:
    from torchgrade.jail.resources.process_tree import ProcessTree


class Exchange(Protocol):
    """The seam: one request and its tensors go in, one answer and its tensors come out, or a :class:`StudentFault`."""

    def __call__(
        self, request: dict[str, Any], tensors: list[torch.Tensor], seconds: float | None = None
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Exchange one request for its answer."""
        ...


class Student:
    """The names of a notebook.

    ``returns`` maps a function's name to the annotation of what it returns, ``makes`` the name of a class, or of a function that
    gives an object of one, to the type of what comes of a call, where that can never leave the student's process.
    """

    def __init__(
        self,
        exchange: Exchange,
        *,
        seed: int,
        returns: Mapping[str, str] | None = None,
        makes: Mapping[str, str] | None = None,
        process_tree: Callable[[], ProcessTree] | None = None,
    ) -> None:
        self._exchange = exchange
        self._process_tree = process_tree
        self._random = random.Random(seed)  # noqa: S311 - secret from the student because the seed is
        self._returns, self._makes = dict(returns or {}), dict(makes or {})
        self._declared: dict[str, Any] = {}  # what each probe that was used says it returns
        self._number = 0
        self._free: list[int] = []
        self._seconds: float | None = None

    def __getattr__(self, name: str) -> StudentFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        return StudentFunction(self, Reference("name", name))

    def run(self, probe: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run a function of ``probes.py`` beside the student's code; its first parameter is the notebook's namespace.

        Public checks have such functions in their own file.
        """
        reference = require_probe("run", probe)
        self._declared[reference.name] = declared_by(probe)
        return self._call(reference, args, kwargs, "plain")

    def probe(self, probe: Callable[..., Any]) -> StudentFunction:
        """A function of ``probes.py``, for what takes a function of the student's: ``race(student.probe(probes.read), ...)``."""
        reference = require_probe("probe", probe)
        self._declared[reference.name] = declared_by(probe)
        return StudentFunction(self, reference)

    @contextlib.contextmanager
    def limit(self, *, seconds: float) -> Iterator[None]:
        """Give the calls inside ``seconds`` each, instead of the course's ``call_seconds``."""
        before, self._seconds = self._seconds, seconds
        try:
            yield
        finally:
            self._seconds = before

    def _call(self, function: Reference, args: tuple[Any, ...], kwargs: dict[str, Any], how: str) -> Any:
        if function.kind == "name" and (made := self._makes.get(function.name)) is not None:
            raise GraderError(
                f"student.{function.name} gives a {made}, an object that stays in the student's process: call and use it in a "
                "function of probes.py, which student.run runs there"
            )
        tensors: list[torch.Tensor] = []
        name = f"student.{function.name}" if function.kind == "name" else function.name
        positional, named = arguments_sent(name, args, kwargs, tensors, _resolve)
        request = {
            "do": "call",
            "name": {"$": function.kind, "v": function.name},
            "args": positional,
            "kwargs": named,
            "how": how,
        }
        number, answer, data = self._ask(request, tensors)
        leaves = [tensor for tensor in tensors_in([list(args), kwargs]) if tensor.requires_grad]
        result = self._decode(answer["result"], data)
        if how == "count":
            if type(result) is not int:
                raise BadAnswer("The answer is no count.")
            return result
        self._check_type(function, result)
        self._check_place(function, result, request)
        result = self._attach(number, leaves, result)
        if function.kind == "name":
            note_call(result, function.name, args, kwargs)
        if how == "plain":
            return result
        if how == "hold":
            return Held(result, lambda index, numbers: self._written(function, index, numbers, result))
        arguments = self._decode(answer.get("arguments"), data)
        if not isinstance(arguments, list):
            raise BadAnswer("The answer tells nothing of the arguments.")
        self._check_place(function, arguments, request, what="turned an argument into")
        storages, count = answer.get("storages"), len(list(tensors_in(result)))
        if not isinstance(storages, list) or [type(number) for number in storages] != [int] * count:
            raise BadAnswer("The answer does not tell where the result lies.")
        return Observation(result, tuple(arguments), bool(answer.get("shares")), tuple(storages))

    def _written(self, function: Reference, index: int, numbers: torch.Tensor, result: Any) -> list[torch.Tensor]:
        """The tensors in the result of the call that is held, after ``numbers`` were written into one of its arguments."""
        tensors: list[torch.Tensor] = []
        request = {"do": "write", "into": index, "numbers": encode(numbers, tensors)}
        _, answer, data = self._ask(request, tensors)
        now = self._decode(answer["result"], data)
        self._check_type(function, now)
        self._check_place(function, now, request)
        found = list(tensors_in(now))
        if len(found) != len(list(tensors_in(result))):
            raise BadAnswer(f"{function.name} returned something that is another thing after a write into its argument.")
        return found

    def _ask(self, request: dict[str, Any], tensors: list[torch.Tensor]) -> tuple[int, dict[str, Any], list[torch.Tensor]]:
        self._number += 1
        free, self._free = self._free, []
        # A process may have answered another check before: what it kept for that one's gradients goes with the first request.
        request |= {"n": self._number, "context": self._context(request), "free": "all" if self._number == 1 else free}
        return self._number, *self._exchange(request, tensors, self._seconds)

    def _context(self, request: dict[str, Any]) -> dict[str, Any]:
        context: dict[str, Any] = {
            "seed": self._random.getrandbits(63),
            "grad": torch.is_grad_enabled(),
            "threads": torch.get_num_threads(),
        }
        if (dtype := torch.get_default_dtype()) is not torch.float32:
            context["dtype"] = str(dtype).removeprefix("torch.")
        autocast = {
            device: str(torch.get_autocast_dtype(device)).removeprefix("torch.")
            for device in ("cpu", "cuda")
            if torch.is_autocast_enabled(device)
        }
        if autocast:
            context["autocast"] = autocast
        if "cuda" in autocast or names_cuda(request):
            context["cuda"] = True
        return context

    def _decode(self, data: Any, tensors: list[torch.Tensor]) -> Any:
        try:
            return decode(data, tensors, _refuse)
        except WireError as error:
            raise BadAnswer(f"The answer could not be read: {error}.") from None
        except torch.OutOfMemoryError as error:
            raise SandboxError("the judge found no room on the GPU for the answer; others may use it. Run it again") from error
        except Exception as error:
            if context_is_lost():
                raise SandboxError("the judge's own work on the GPU failed before this; run it again") from error
            # Whatever these bytes did to the decoder, they are the submission's.
            raise BadAnswer(f"The answer could not be read ({type(error).__name__}).") from None

    def _check_type(self, function: Reference, result: Any) -> None:
        name = function.name
        for tensor in tensors_in(result):
            if tensor.dtype in _ODD:
                raise BadAnswer(f"{name} returned a tensor of dtype {str(tensor.dtype).removeprefix('torch.')}.")
        if function.kind == "probe":
            if not fits(result, self._declared.get(name, Any)):
                raise BadAnswer(f"{name}, which runs beside your code, gave something that it never gives.")
            return
        annotation = self._returns.get(name)
        if annotation is not None and (came := misfit(result, named_in_stub(annotation))) is not None:
            raise BadAnswer(f"{name} returned {came}; expected {with_article(annotation)}.")

    def _check_place(self, function: Reference, values: Any, request: dict[str, Any], *, what: str = "returned") -> None:
        """Raise unless tensors are on the CPU where the call has nothing to do with a GPU: comparing across devices raises."""
        if request["context"].get("cuda"):
            return
        for tensor in tensors_in(values):
            if tensor.device.type != "cpu":
                raise BadAnswer(f"{function.name} {what} a tensor on {tensor.device}; its inputs are on the CPU.")

    def _attach(self, number: int, leaves: list[torch.Tensor], result: Any) -> Any:
        """Make the result depend on the leaves, as far as the worker's did."""
        outputs = list(tensors_in(result))
        differentiable = [output.requires_grad for output in outputs]
        for output in outputs:
            output.requires_grad_(False)  # noqa: FBT003 - torch's signature
        if not (leaves and any(differentiable) and torch.is_grad_enabled()):
            return result
        call = _Kept(self, number, differentiable)
        return _replace(result, iter(_Call.apply(call, outputs, *leaves)))  # type: ignore[no-untyped-call]

    def _product(self, number: int, cotangents: tuple[torch.Tensor | None, ...], count: int) -> tuple[int, list[Any]]:
        tensors: list[torch.Tensor] = []
        request = {"do": "vjp", "of": number, "cotangents": [encode(cotangent, tensors) for cotangent in cotangents]}
        product, answer, data = self._ask(request, tensors)
        gradients = self._decode(answer["result"], data)
        is_list = isinstance(gradients, list) and len(gradients) == count
        if not is_list or not all(isinstance(gradient, torch.Tensor | None) for gradient in gradients):
            raise BadAnswer("The backward pass gave something else than one gradient for each input.")
        return product, gradients


class StudentFunction:
    """A function that the notebook defines; calling it runs it in the jail."""

    def __init__(self, student: Student, reference: Reference) -> None:
        self._student, self._reference = student, reference

    @property
    def __name__(self) -> str:
        return self._reference.name

    def __getattr__(self, name: str) -> Any:
        # Only for what is not defined here. Who asks politely (hasattr, copy, pytest) is answered as by any object.
        raise AttributeError(
            f"student.{self._reference.name} has no {name} here, it can only be called; use {self._reference.name}.{name} in a "
            "function of probes.py, which student.run runs beside the student's code"
        )

    def __repr__(self) -> str:
        return f"<student.{self._reference.name}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the student's function. Raises a :class:`StudentFault` where it fails."""
        return self._student._call(self._reference, args, kwargs, "plain")  # noqa: SLF001 - two halves of one thing

    def observe(self, *args: Any, **kwargs: Any) -> Observation:
        """Call it, and tell what became of the arguments. This is the worker's word."""
        observation: Observation = self._student._call(self._reference, args, kwargs, "observe")  # noqa: SLF001
        return observation

    def hold(self, *args: Any, **kwargs: Any) -> Held:
        """Call it, and keep arguments and result over there until the next call that is held, to write into the former."""
        held: Held = self._student._call(self._reference, args, kwargs, "hold")  # noqa: SLF001
        return held

    def process_tree(self) -> ProcessTree | None:
        """The processes that run it, as the judge sees them; ``None`` where there are none (a fake worker)."""
        return None if self._student._process_tree is None else self._student._process_tree()  # noqa: SLF001

    def wake(self) -> None:
        """Have its process answer once, so that it is known, without running anything of the student's."""
        with contextlib.suppress(NotDefined):
            StudentFunction(self._student, Reference("name", ""))()

    def of(self, other: Student) -> StudentFunction:
        """The same function, or the same probe, of another notebook."""
        return StudentFunction(other, self._reference)

    def count_operations(self, *args: Any, **kwargs: Any) -> int:
        """How many tensor operations the call takes. This is the worker's word."""
        count: int = self._student._call(self._reference, args, kwargs, "count")  # noqa: SLF001
        return count


class _Kept:
    """A call that the worker keeps for its backward pass, until nothing here refers to it."""

    def __init__(self, student: Student, number: int, differentiable: list[bool]) -> None:
        self.student, self.number, self.differentiable = student, number, differentiable
        weakref.finalize(self, student._free.append, number)  # noqa: SLF001


class _Call(torch.autograd.Function):
    """A remote call as a node of the judge's graph."""

    @staticmethod
    def forward(ctx: Any, call: _Kept, outputs: list[torch.Tensor], *leaves: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.call = call
        ctx.save_for_backward(*leaves)
        ctx.set_materialize_grads(False)
        results = tuple(output.view_as(output) for output in outputs)
        ctx.mark_non_differentiable(*(r for r, wanted in zip(results, call.differentiable, strict=True) if not wanted))
        return results

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[Any, ...]:
        call, leaves = ctx.call, ctx.saved_tensors
        number, gradients = call.student._product(call.number, cotangents, len(leaves))  # noqa: SLF001
        _fit(gradients, leaves)
        if torch.is_grad_enabled():
            gradients = _attach_product(call.student, number, gradients, leaves, cotangents)
        return None, None, *gradients


def _attach_product(
    student: Student,
    number: int,
    gradients: list[torch.Tensor | None],
    leaves: tuple[torch.Tensor, ...],
    cotangents: tuple[torch.Tensor | None, ...],
) -> list[torch.Tensor | None]:
    """The product is a function of the leaves and of those cotangents that need a gradient, in this order."""
    given = [gradient for gradient in gradients if gradient is not None]
    inputs = [*leaves, *(c for c in cotangents if c is not None and c.requires_grad)]
    attached = iter(student._attach(number, inputs, given))  # noqa: SLF001
    return [None if gradient is None else next(attached) for gradient in gradients]


def _fit(gradients: list[torch.Tensor | None], leaves: tuple[torch.Tensor, ...]) -> None:
    for gradient, leaf in zip(gradients, leaves, strict=True):
        if gradient is None:
            continue
        if (gradient.shape, gradient.dtype, gradient.device) != (leaf.shape, leaf.dtype, leaf.device):
            raise BadAnswer("The backward pass gave a gradient of another shape, dtype or device than its input.")


def _replace(value: Any, tensors: Iterator[torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return next(tensors)
    if isinstance(value, list | tuple):
        return type(value)(_replace(item, tensors) for item in value)
    if isinstance(value, dict):
        return {key: _replace(item, tensors) for key, item in value.items()}
    return value


def _resolve(value: Any) -> Reference | None:
    if isinstance(value, StudentFunction):
        return value._reference  # noqa: SLF001
    return probe_named(value)


def _refuse(reference: Reference) -> Any:
    raise WireError(f"a {reference.kind}, which only the judge may send")


# Formats for storage: arithmetic and comparisons raise for them, in a grader as anywhere.
_ODD = frozenset({torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2})


__all__ = ["Exchange", "Student", "StudentFault", "StudentFunction"]
