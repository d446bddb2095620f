"""``student`` for the public checks: the names of the student's namespace, called in this very process.

It behaves as the judge's proxy does: where the judge would have sent a copy of a tensor, a call gets its own copy, and what the
student's code raises becomes a :class:`~torchgrade.checks.faults.StudentFault`. The student's objects have handles only for that:
their tensors are the real ones.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from torchgrade.checks.calls import note_call
from torchgrade.checks.faults import BadAnswer, NotDefined
from torchgrade.checks.observing import (
    Held,
    Observation,
    count_operations,
    share_memory,
    storages_of,
    tensors_in,
    with_tensors,
    write,
)
from torchgrade.jail.protocol.crossing import OPERATORS, MethodName, arguments_sent, probe_named, require_probe
from torchgrade.jail.protocol.remote_objects import Handle, Of, of
from torchgrade.jail.protocol.values import Reference, WireError, encode, refusal
from torchgrade.student.cells import OwnCode


class StandIn:
    """The names of a namespace. Looking one up never fails; calling it does, if it is not there."""

    def __init__(self, namespace: Mapping[str, Any], own: OwnCode) -> None:
        self._namespace, self._own = namespace, own
        self.objects: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()
        """The handles, by the id of the student's object, which the handle keeps alive: one handle per object."""
        self.gives_objects = False
        """True once an object was asked for, as with the judge."""

    def __getattr__(self, name: str) -> StandInFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        return StandInFunction(self, name)

    def run(self, probe: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call ``probe`` with the student's namespace as an object, and then the arguments."""
        require_probe("run", probe)
        return StandInFunction(self, probe.__name__, probe)(*args, **kwargs)

    def probe(self, probe: Callable[..., Any]) -> StandInFunction:
        """A function from beside the public checks, for use where a function of the student's is expected."""
        require_probe("probe", probe)
        return StandInFunction(self, probe.__name__, probe)

    @contextlib.contextmanager
    def limit(self, *, seconds: float) -> Iterator[None]:
        """Do nothing: here the student's code may take any time."""
        _ = seconds
        yield

    def function(self, callee: StandInFunction | Handle) -> StandInFunction:
        """An object, or a method of one, as a function, for callers that need one, such as :func:`assert_inputs_untouched`."""
        what: Any = callee
        return StandInFunction(self, of(what).name, real=of(what).value) if type(what) is Handle else what

    def given(self, value: Any) -> Any:
        """A result as a check gets it if there are objects: data as it is, objects as handles."""
        if _is_data(value):
            return value
        if isinstance(value, list | tuple):
            return type(value)(self.given(item) for item in value)
        if isinstance(value, dict):
            return {key: self.given(item) for key, item in value.items()}
        if (handle := self.objects.get(id(value))) is None:
            handle = self.objects[id(value)] = Handle(OfLocal(self, value))
        return handle

    @contextlib.contextmanager
    def _faults(self, name: str) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt:
            raise
        except NotDefined:  # a probe asked for it
            raise
        except BaseException as error:  # noqa: BLE001 - exit() in a student's function is theirs too
            raise self._own.fault(error, name) from None

    def _look_up(self, name: str) -> Callable[..., Any]:
        if name not in self._namespace:
            raise NotDefined(f"{name} is not defined yet: run the cell above first.")
        value = self._namespace[name]
        if not callable(value):
            raise NotDefined(f"{name} is a value of type {type(value).__name__}; expected a function of that name.")
        function: Callable[..., Any] = value
        return function


class StandInFunction:
    """A function of the student's, a ``probe`` of the grader's, or ``real``: an object of the student's, or a method of one."""

    def __init__(
        self, student: StandIn, name: str, probe: Callable[..., Any] | None = None, *, real: Callable[..., Any] | None = None
    ) -> None:
        self._student, self.__name__, self._probe, self._real = student, name, probe, real

    def __repr__(self) -> str:
        return f"<student.{self.__name__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the student's function. Raises a :class:`StudentFault` if it fails."""
        if self._probe is None and self.__name__.endswith("_"):
            return self.in_place(*args, **kwargs)
        result, copies, named = self._call(args, kwargs)
        if result is None and self._probe is None:
            _write_back(copies, named, args, kwargs)
        return result

    def in_place(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, and write into the arguments what the function wrote into its copies of them."""
        result, copies, named = self._call(args, kwargs)
        ours = _write_back(copies, named, args, kwargs)
        return with_tensors(result, (ours.get(id(tensor), tensor) for tensor in tensors_in(result))) if ours else result

    def observe(self, *args: Any, **kwargs: Any) -> Observation:
        """Call it, and return what became of the arguments."""
        result, args, kwargs = self._call(args, kwargs)
        return Observation(result, args, share_memory(result, [args, kwargs]), storages_of(result))

    def hold(self, *args: Any, **kwargs: Any) -> Held:
        """Call it, and keep arguments and result, so that the arguments can be written to later."""
        result, args, kwargs = self._call(args, kwargs)

        def written(index: int, numbers: Tensor) -> list[Tensor]:
            # The judge has copies of what came back; here it is the memory itself, so it is restored afterwards.
            before = list(tensors_in(args))[index].detach().clone()
            write(args, index, numbers)
            now = [tensor.detach().clone() for tensor in tensors_in(result)]
            write(args, index, before)
            return now

        return Held(result, written)

    def count_operations(self, *args: Any, **kwargs: Any) -> int:
        """Return how many tensor operations the call takes."""
        function, args, kwargs = self._prepared(args, kwargs)
        with self._student._faults(self.__name__):  # noqa: SLF001
            return count_operations(function, *args, **kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        function, args, kwargs = self._prepared(args, kwargs)
        with self._student._faults(self.__name__):  # noqa: SLF001
            result = function(*args, **kwargs)
        student = self._student
        if result is None:
            _require_data(self.__name__, function, result)
        student.gives_objects = student.gives_objects or isinstance(function, type)
        if student.gives_objects or _says_so(function, result):
            return student.given(result), args, kwargs
        _require_data(self.__name__, function, result)
        if self._probe is None:
            note_call(result, self.__name__, args, kwargs)
        return result, args, kwargs

    def _prepared(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        """Return the function to call, and copies of its arguments. Refuses arguments that could not be sent to a jail."""
        function = self._probe or self._real or self._student._look_up(self.__name__)  # noqa: SLF001 - two halves of one thing
        arguments_sent(f"student.{self.__name__}", args, kwargs, [], _reference)
        args, kwargs = _own_copies((args, kwargs))
        if self._probe is not None:
            args = (Namespace(self._student._namespace), *args)  # noqa: SLF001
        return function, args, kwargs


class OfLocal(Of):
    """An object of the student's, in this process. What it raises is the student's failure; all else is as without a handle."""

    def __init__(self, student: StandIn, value: Any) -> None:
        super().__init__(type(value).__name__, type(value), has_length=hasattr(type(value), "__len__"))
        self.student, self.value = student, value

    def operate(self, operator: str, *arguments: Any) -> Any:
        """Apply one of Python's operators; ``arguments`` are a handle and more."""
        name = f"{self.name}.{arguments[1]}" if operator == "getattr" else f"{operator} of {self.name}"
        real = [_own_copies(argument) for argument in arguments]
        with self.student._faults(name):  # noqa: SLF001
            found = OPERATORS[operator](*real)
        return found if isinstance(found, MethodName) else self.student.given(found)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call it."""
        return StandInFunction(self.student, self.name, real=self.value)(*args, **kwargs)

    def method(self, handle: Handle, name: str) -> StandInFunction:
        """Return a method of it."""
        _ = handle  # this one holds it as well
        return StandInFunction(self.student, f"{self.name}.{name}", real=getattr(self.value, name))


def _is_data(value: Any) -> bool:
    try:
        encode(value, [])
    except WireError:
        return isinstance(value, Tensor)
    return True


def _says_so(function: Callable[..., Any], result: Any) -> bool:
    """Return whether a function's annotation says that its result is an object of the class that it really is."""
    said = str(getattr(function, "__annotations__", {}).get("return", "")).rstrip("'>").rpartition(".")[2]
    return bool(said) and any(said == each.__name__ for each in type(result).__mro__) and not _is_data(result)


def _write_back(
    copies: tuple[Any, ...], named: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[int, Tensor]:
    """Write into a call's arguments what their copies now contain; return each argument by the id of its copy."""
    ours: dict[int, Tensor] = {}
    for theirs, tensor in zip(tensors_in([copies, named]), tensors_in([args, kwargs]), strict=True):
        if theirs is not tensor:
            ours[id(theirs)] = tensor
            if theirs.shape != tensor.shape or theirs.dtype != tensor.dtype:
                raise BadAnswer("An argument was turned into one of another shape or dtype.")
            if not torch.equal(theirs, tensor):
                with torch.no_grad():
                    tensor.copy_(theirs)
    return ours


class Namespace:
    """The student's namespace as an object, for probes."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self.__dict__ = dict(namespace)

    def __getattr__(self, name: str) -> Any:
        raise NotDefined(f"{name} is not defined yet: run the cell above first.")


def _reference(value: Any) -> Reference | None:
    """How a value that is not data crosses; with the judge, functions of the grader are called back."""
    if type(value) in (StandInFunction, Handle):
        return Reference("name", "")
    return probe_named(value) or (Reference("callback", "") if callable(value) and not isinstance(value, type | Tensor) else None)


def _require_data(name: str, function: Callable[..., Any], result: Any) -> None:
    """Raise for a result that would be refused when the work is graded."""
    annotations = getattr(function, "__annotations__", {})
    if result is None and annotations.get("return", None) not in (None, "None"):
        raise BadAnswer(f"{name} returned None: is a return missing?")
    try:
        encode(result, [])
    except WireError as error:
        raise BadAnswer(refusal(name, error)) from None


def _own_copies(value: Any) -> Any:
    """``value`` as a student's function gets it: tensors are copied, and functions of the student's stand for themselves.

    A function that changes its argument must not change what the check compares with. A tensor that requires a gradient
    stays the same tensor, or the gradient would not reach it; torch itself refuses to change such a leaf in place.
    """
    if type(value) is StandInFunction:
        return value._probe or value._real or value._student._look_up(value.__name__)  # noqa: SLF001
    if type(value) is Handle:
        return of(value).value
    if isinstance(value, Tensor):
        return value if value.requires_grad else _copy(value)
    if type(value) in (list, tuple):
        return type(value)(_own_copies(item) for item in value)
    if type(value) is dict:
        return {key: _own_copies(item) for key, item in value.items()}
    return value


def _copy(tensor: Tensor) -> Tensor:
    """A copy with the same strides: some answers are right only for contiguous input, which ``clone`` would give them."""
    if type(tensor) is not Tensor or tensor.layout is not torch.strided or tensor.is_conj() or tensor.is_neg():
        return tensor.clone()
    if tensor.device.type == "meta" or not tensor.numel():
        return tensor.clone()
    storage = tensor.untyped_storage().clone()
    empty = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return empty.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())
