"""``student``: what the notebook defines, as a grader sees it.

    student.softmax(x)  ──►  arguments and the judge's ambient state  ──►  exchange  ──►  the jail (or a fake)
                        ◄──  the judge's own tensors, built from bytes  ◄──

A result is differentiable if the worker's was: its backward pass is another exchange, with the judge's cotangents. Under
``create_graph`` that exchange is kept as well, so ``gradcheck`` and ``gradgradcheck`` work as they do on any function.

An object of a class comes back as a handle (:mod:`torchgrade.jail.protocol.remote_objects`). A function of the grader's among the
arguments stays here and is called back (:mod:`torchgrade.jail.protocol.callbacks`).
"""

from __future__ import annotations

import contextlib
import functools
import random
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import torch

from torchgrade.checks.calls import note_call
from torchgrade.checks.declared import GraderError
from torchgrade.checks.faults import BadAnswer, NotDefined, SandboxError, StudentFault, with_article
from torchgrade.checks.generators import gone_on
from torchgrade.checks.observing import Held, Observation, tensors_in, with_tensors
from torchgrade.jail.protocol.callbacks import Callbacks, crosses_whole, module_sent
from torchgrade.jail.protocol.crossing import arguments_sent, probe_named, require_probe
from torchgrade.jail.protocol.remote_objects import Handle, Known, Method, of
from torchgrade.jail.protocol.return_types import declared_by, fits, misfit, named_in_stub
from torchgrade.jail.protocol.values import Reference, WireError, alike, decode, encode, names_cuda, refuse
from torchgrade.jail.resources.cuda import context_is_lost

if TYPE_CHECKING:
    from torchgrade.jail.resources.process_tree import ProcessTree


class Exchange(Protocol):
    """The seam: one request and its tensors go in, one answer and its tensors come out, or a :class:`StudentFault`."""

    def __call__(
        self,
        request: dict[str, Any],
        tensors: list[torch.Tensor],
        seconds: float | None = None,
        answering: Answering | None = None,
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Exchange one request for its answer; ``answering`` answers what is asked in between, with functions of the grader's."""
        ...


Answering = Callable[[dict[str, Any], list[torch.Tensor]], tuple[dict[str, Any], list[torch.Tensor]]]


class Student:
    """The names of a notebook.

    ``returns`` maps a function's name to the annotation of what it returns. ``makes`` maps the name of a class, or of a function
    that returns an object of one, to the type of what a call gives, if that can never leave the student's process.
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
        self._declared: dict[str, Any] = {}  # what each probe that was used declares to return
        self._number = 0
        self._free: list[int] = []
        self._seconds: float | None = None
        self._known, self._callbacks = Known(self), Callbacks(self._decode)
        self._seeded = torch.initial_seed()

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
        """A function of ``probes.py``, for what takes a student's function: ``race(student.probe(probes.read), ...)``."""
        reference = require_probe("probe", probe)
        self._declared[reference.name] = declared_by(probe)
        return StudentFunction(self, reference)

    @contextlib.contextmanager
    def limit(self, *, seconds: float) -> Iterator[None]:
        """Give each of the calls inside this block ``seconds``, instead of the course's ``call_seconds``."""
        before, self._seconds = self._seconds, seconds
        try:
            yield
        finally:
            self._seconds = before

    def function(self, callee: StudentFunction | Handle | Method) -> StudentFunction:
        """An object, or a method of one, as a function, for anything that takes one, as :func:`assert_inputs_untouched` does."""
        what: Any = callee  # isinstance would ask the object what it is
        if type(what) is Handle:
            return StudentFunction(self, Reference("object", of(what).number), what)
        return StudentFunction(self, what.reference, what.handle) if type(what) is Method else what

    def _call(self, function: Reference, args: tuple[Any, ...], kwargs: dict[str, Any], how: str) -> Any:
        title = self._title(function, args)
        if how == "plain" and self._works_in_place(function, title):
            how = "in place"
        request, tensors = self._request(function, title, args, kwargs, how)
        number, answer, data, gone = self._ask(request, tensors)
        if "draws" in request and "draws" in answer:
            self._draw_on(self._decode(answer["draws"], data))
        given = list(tensors_in([args, kwargs])) if how == "in place" else []
        result = self._decode(answer["result"], data, functools.partial(self._found, given))
        if how == "count":
            if type(result) is not int:
                raise BadAnswer("The answer is not a number of operations.")
            return result
        self._check_type(function, title, result)
        self._check_place(title, result, request)
        leaves = [t for t in tensors_in([args, kwargs]) if t.requires_grad and self._known.number_of(t) is None]
        # No other call may change what the judge compares with: if a function returns something, only its result is taken.
        if how == "in place" or (how == "plain" and result is None and "back" in answer):
            self._come_back(title, [args, kwargs], self._decode(answer.get("back"), data))
        elif "gradients" in answer:
            self._take_gradients(title, leaves, self._decode(answer["gradients"], data))
        if self._known.in_use:
            leaves += self._reading(self._known.twins, answer.get("leaves", []))
        result = self._attach(number, leaves, result)
        self._known.forget(gone)
        if function.kind in ("name", "object", "method"):
            note_call(result, title, args, kwargs)
        if how == "hold":
            return Held(result, lambda index, numbers: self._written(function, index, numbers, result))
        return self._observation(title, result, answer, data, request) if how == "observe" else result

    def _request(
        self, function: Reference, title: str, args: tuple[Any, ...], kwargs: dict[str, Any], how: str
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        known, tensors = self._known, list[torch.Tensor]()
        # A name is a class if its stub says so, or if it is written like one.
        makes = function.kind == "name" and (function.name in self._makes or function.name[:1].isupper())
        known.in_use = known.in_use or makes
        resolve = functools.partial(self._resolve, tensors, makes or function.kind == "operator") if known.in_use else self._named
        name = f"student.{title}" if function.kind == "name" else title
        positional, named = arguments_sent(name, args, kwargs, tensors, resolve)
        callee = {"$": function.kind, "v": function.name}
        draws = {}
        if torch.initial_seed() != self._seeded:  # the grader has called manual_seed: what it draws after that, both sides draw
            draws["draws"] = encode(torch.get_rng_state(), tensors)
        request = {"do": "call", "name": callee, "args": positional, "kwargs": named, "how": how}
        return request | draws | ({"title": title} if known.in_use else {}), tensors

    def _draw_on(self, state: Any) -> None:
        """Go on drawing where the student's code stopped, as in one process; not if that code has seeded the generator itself."""
        if isinstance(state, torch.Tensor) and gone_on(torch.get_rng_state(), state):
            torch.set_rng_state(state)

    def _observation(
        self, title: str, result: Any, answer: dict[str, Any], data: list[torch.Tensor], request: dict[str, Any]
    ) -> Observation:
        arguments = self._decode(answer.get("arguments"), data)
        if not isinstance(arguments, list):
            raise BadAnswer("The answer tells nothing of the arguments.")
        self._check_place(title, arguments, request, what="turned an argument into")
        storages, count = answer.get("storages"), len(list(tensors_in(result)))
        if not isinstance(storages, list) or [type(number) for number in storages] != [int] * count:
            raise BadAnswer("The answer does not tell where the result lies.")
        return Observation(result, tuple(arguments), bool(answer.get("shares")), tuple(storages))

    def _title(self, function: Reference, args: tuple[Any, ...]) -> str:
        """The function as messages name it: ``softmax``, ``Linear``, ``MyAdam.step``."""
        if function.kind in ("name", "probe"):
            return str(function.name)
        if function.kind == "operator":
            kind = of(args[0]).name
            return f"{kind}.{args[1]}" if function.name in ("getattr", "setattr", "delattr") else f"{function.name} of {kind}"
        number, *method = function.name if function.kind == "method" else (function.name,)
        return ".".join([known.name if (known := self._known.what(number)) is not None else "an object", *method])

    def _works_in_place(self, function: Reference, title: str) -> bool:
        """Return whether writing into its arguments is a function's purpose: by its name, or by its stub, which returns None."""
        name = title.rpartition(".")[2]
        return function.kind in ("name", "object", "method") and (
            self._returns.get(title) == "None" or (name.endswith("_") and not name.startswith("_"))
        )

    def _named(self, value: Any) -> Reference | None:
        """How a value that is not data crosses, as long as there are no objects."""
        if isinstance(value, torch.Tensor):
            return None
        if isinstance(value, StudentFunction):
            return value._reference  # noqa: SLF001
        if (probe := probe_named(value)) is not None:
            return probe
        if isinstance(value, torch.nn.Module) and crosses_whole(value):
            return module_sent(value)
        return self._callbacks.named(value) if callable(value) and not isinstance(value, type) else None

    def _resolve(self, tensors: list[torch.Tensor], keeps: bool, value: Any) -> Reference | None:
        """How a value crosses if there are objects; ``keeps``: whether the called function may keep its arguments."""
        kind = type(value)
        if kind is Handle:
            return Reference("object", of(value).number)
        if kind is Method:
            return Reference("method", value.reference.name)
        if issubclass(kind, torch.Tensor):
            if (number := self._known.number_of(value)) is not None:
                return Reference("twin", number)
            # What an object is made of (an optimizer's parameters) stays one thing on both sides; a function gets a copy.
            is_kept = value.is_leaf and ((keeps and value.requires_grad) or type(value) is torch.nn.Parameter)
            return Reference("twin", self._known.adopt(value, tensors)) if is_kept else None
        return self._named(value)

    def _found(self, given: list[torch.Tensor], reference: Reference) -> Any:
        """Return what an answer names: an argument of the call, a handle, a twin."""
        if reference.kind == "argument":
            if type(reference.name) is not int or not 0 <= reference.name < len(given):
                raise WireError("an argument that was not sent")
            return given[reference.name]
        return self._known.look_up(reference) if self._known.in_use else refuse(reference)

    def _come_back(self, title: str, arguments: Any, told: Any) -> None:
        """Write into the judge's tensors what the function has written into its own."""
        ours = list(tensors_in(arguments, whole=crosses_whole))
        parts = told if isinstance(told, list) and len(told) == 2 else [None, None]  # noqa: PLR2004 - numbers, gradients
        for part in parts:
            if not isinstance(part, list) or len(part) != len(ours):
                raise BadAnswer("The answer does not tell what became of the arguments.")
        for tensor, numbers, gradient in zip(ours, *parts, strict=True):
            if self._known.number_of(tensor) is not None:
                continue  # told already
            if not (isinstance(numbers, torch.Tensor) and alike(numbers, tensor)):
                raise BadAnswer(f"{title} turned an argument into one of another shape, dtype or device.")
            if not torch.equal(numbers.detach(), tensor.detach()):
                with torch.no_grad():
                    tensor.copy_(numbers)
            if tensor.is_leaf:
                _set_gradient(title, tensor, gradient)

    def _take_gradients(self, title: str, leaves: list[torch.Tensor], gradients: Any) -> None:
        """Take over the ``.grad`` of the arguments that had one before the call."""
        had = [leaf for leaf in leaves if leaf.is_leaf and leaf.grad is not None]
        if not isinstance(gradients, list) or len(gradients) != len(had):
            raise BadAnswer("The answer does not tell what became of the gradients.")
        for leaf, gradient in zip(had, gradients, strict=True):
            _set_gradient(title, leaf, gradient)

    def _written(self, function: Reference, index: int, numbers: torch.Tensor, result: Any) -> list[torch.Tensor]:
        """The tensors in the result of the call that is held, after ``numbers`` were written into one of its arguments."""
        tensors: list[torch.Tensor] = []
        request = {"do": "write", "into": index, "numbers": encode(numbers, tensors)}
        _, answer, data, _ = self._ask(request, tensors)
        now = self._decode(answer["result"], data)
        self._check_type(function, function.name, now)
        self._check_place(function.name, now, request)
        found = list(tensors_in(now))
        if len(found) != len(list(tensors_in(result))):
            raise BadAnswer(f"{function.name} returned something that is another thing after a write into its argument.")
        return found

    def _ask(
        self, request: dict[str, Any], tensors: list[torch.Tensor]
    ) -> tuple[int, dict[str, Any], list[torch.Tensor], list[int]]:
        """The request's number, the answer and its tensors, and the twins that are to be forgotten once the answer is read."""
        self._callbacks.require_none_running()
        self._number += 1
        free, self._free = self._free, []
        # A process may have answered another check before: what it kept for gradients then is let go of with the first request.
        request |= {"n": self._number, "context": self._context(request), "free": "all" if self._number == 1 else free}
        number = self._number
        if self._known.in_use:
            request["objects"] = self._known.told(tensors)
        answering = (self._callbacks.answer,) if self._callbacks.in_use else ()
        answer, data = self._exchange(request, tensors, self._seconds, *answering)
        gone = self._reading(self._known.hear, answer.get("objects"), data) if self._known.in_use else []
        return number, answer, data, gone

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

    def _decode(self, data: Any, tensors: list[torch.Tensor], look_up: Callable[[Reference], Any] = refuse) -> Any:
        return self._reading(decode, data, tensors, look_up)

    def _reading(self, read: Callable[..., Any], *arguments: Any) -> Any:
        """Return what ``read`` makes of something in an answer. Raises :class:`BadAnswer` if that is not possible."""
        try:
            return read(*arguments)
        except WireError as error:
            raise BadAnswer(f"The answer could not be read: {error}.") from None
        except torch.OutOfMemoryError as error:
            raise SandboxError("the judge found no room on the GPU for the answer; others may use it. Run it again") from error
        except Exception as error:
            if context_is_lost():
                raise SandboxError("the judge's own work on the GPU failed before this; run it again") from error
            # Whatever these bytes did to the decoder, that is the submission's failure.
            raise BadAnswer(f"The answer could not be read ({type(error).__name__}).") from None

    def _check_type(self, function: Reference, name: str, result: Any) -> None:
        for tensor in tensors_in(result):
            if tensor.dtype in _ODD:
                raise BadAnswer(f"{name} returned a tensor of dtype {str(tensor.dtype).removeprefix('torch.')}.")
        if function.kind == "probe":
            if not fits(result, self._declared.get(name, Any)):
                raise BadAnswer(f"{name}, which runs beside your code, returned something of a type that it never returns.")
            return
        if function.kind in ("name", "method") and (made := self._makes.get(name)) is not None:
            if type(result) is not Handle:
                raise BadAnswer(f"{name} returned {with_article(type(result).__name__)}; expected {with_article(made)}.")
            return
        annotation = self._returns.get(name, self._returns.get(f"{name}.forward") if function.kind == "object" else None)
        if type(result) is Handle:
            if annotation is not None and named_in_stub(annotation) is not Any:
                raise BadAnswer(f"{name} returned {with_article(of(result).name)}; expected {with_article(annotation)}.")
            return
        if annotation is not None and (came := misfit(result, named_in_stub(annotation))) is not None:
            raise BadAnswer(f"{name} returned {came}; expected {with_article(annotation)}.")

    def _check_place(self, title: str, values: Any, request: dict[str, Any], *, what: str = "returned") -> None:
        """Raise unless the tensors are on the CPU if the call has nothing to do with a GPU: comparing across devices raises."""
        if request["context"].get("cuda"):
            return
        for tensor in tensors_in(values):
            if tensor.device.type != "cpu" and not (tensor.device.type == "meta" and self._known.number_of(tensor) is not None):
                raise BadAnswer(f"{title} {what} a tensor on {tensor.device}; its inputs are on the CPU.")

    def _attach(self, number: int, leaves: list[torch.Tensor], result: Any) -> Any:
        """Make the result depend on the leaves, as far as the worker's did."""
        outputs = [tensor for tensor in tensors_in(result) if self._known.number_of(tensor) is None]
        differentiable = [output.requires_grad for output in outputs]
        for output in outputs:
            output.requires_grad_(False)  # noqa: FBT003 - torch's signature
        if not (leaves and any(differentiable) and torch.is_grad_enabled()):
            return result
        call = _Kept(self, number, differentiable)
        attached = iter(_Call.apply(call, outputs, *leaves))  # type: ignore[no-untyped-call]
        return with_tensors(
            result, (next(attached) if self._known.number_of(tensor) is None else tensor for tensor in tensors_in(result))
        )

    def _product(self, number: int, cotangents: tuple[torch.Tensor | None, ...], count: int) -> tuple[int, list[Any]]:
        tensors: list[torch.Tensor] = []
        request = {"do": "vjp", "of": number, "cotangents": [encode(cotangent, tensors) for cotangent in cotangents]}
        product, answer, data, gone = self._ask(request, tensors)
        self._known.forget(gone)
        gradients = self._decode(answer["result"], data)
        is_list = isinstance(gradients, list) and len(gradients) == count
        if not is_list or not all(isinstance(gradient, torch.Tensor | None) for gradient in gradients):
            raise BadAnswer("The backward pass did not give exactly one gradient for each input.")
        return product, gradients


class StudentFunction:
    """A function that the notebook defines, or an object or method of the student's; calling it runs it in the jail."""

    def __init__(self, student: Student, reference: Reference, handle: Handle | None = None) -> None:
        self._student, self._reference, self._handle = student, reference, handle

    @property
    def __name__(self) -> str:
        return self._student._title(self._reference, ())  # noqa: SLF001 - two halves of one thing

    def __getattr__(self, name: str) -> Any:
        # Only for what is not defined here. Anything that asks politely (hasattr, copy, pytest) is answered as by any object.
        raise AttributeError(
            f"student.{self._reference.name} has no {name} here, it can only be called; use {self._reference.name}.{name} in a "
            "function of probes.py, which student.run runs beside the student's code"
        )

    def __repr__(self) -> str:
        return f"<student.{self._reference.name}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the student's function. Raises a :class:`StudentFault` if it fails."""
        return self._student._call(self._reference, args, kwargs, "plain")  # noqa: SLF001 - two halves of one thing

    def in_place(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, and write into the arguments here what it has written into its own there."""
        return self._student._call(self._reference, args, kwargs, "in place")  # noqa: SLF001

    def observe(self, *args: Any, **kwargs: Any) -> Observation:
        """Call it, and tell what became of the arguments. This is the worker's word."""
        observation: Observation = self._student._call(self._reference, args, kwargs, "observe")  # noqa: SLF001
        return observation

    def hold(self, *args: Any, **kwargs: Any) -> Held:
        """Call it, and keep arguments and result over there until the next held call; the arguments can be written into."""
        held: Held = self._student._call(self._reference, args, kwargs, "hold")  # noqa: SLF001
        return held

    def process_tree(self) -> ProcessTree | None:
        """The processes that run it, as the judge sees them; ``None`` if there are none (a fake worker)."""
        return None if self._student._process_tree is None else self._student._process_tree()  # noqa: SLF001

    def wake(self) -> None:
        """Have its process answer once, so that the process is known, without running anything of the student's."""
        with contextlib.suppress(NotDefined):
            StudentFunction(self._student, Reference("name", ""))()

    def of(self, other: Student) -> StudentFunction:
        """The same function, or the same probe, of another notebook."""
        if self._handle is not None:
            raise GraderError(f"{self.__name__} belongs to one process: race a function, or a probe that makes the object")
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
    """The product as a function of the leaves and of those cotangents that need a gradient, in this order."""
    given = [gradient for gradient in gradients if gradient is not None]
    inputs = [*leaves, *(c for c in cotangents if c is not None and c.requires_grad)]
    attached = iter(student._attach(number, inputs, given))  # noqa: SLF001
    return [None if gradient is None else next(attached) for gradient in gradients]


def _fit(gradients: list[torch.Tensor | None], leaves: tuple[torch.Tensor, ...]) -> None:
    for gradient, leaf in zip(gradients, leaves, strict=True):
        if gradient is None:
            continue
        if not alike(gradient, leaf):
            raise BadAnswer("The backward pass gave a gradient of another shape, dtype or device than its input.")


def _set_gradient(title: str, leaf: torch.Tensor, gradient: Any) -> None:
    if gradient is not None and not (isinstance(gradient, torch.Tensor) and alike(gradient, leaf)):
        raise BadAnswer(f"{title} turned a gradient into one of another shape, dtype or device than its tensor.")
    if gradient is None or leaf.grad is None:
        leaf.grad = gradient
    elif not torch.equal(gradient, leaf.grad):
        leaf.grad.copy_(gradient)


# Formats for storage: arithmetic and comparisons raise for them, in a grader as anywhere else.
_ODD = frozenset({torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2})


__all__ = ["Exchange", "Student", "StudentFault", "StudentFunction"]
