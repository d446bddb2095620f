"""Handles: objects of a student's class as a grader sees them. The object itself stays in the student's process.

    layer = student.Linear(3, 4)      a handle
    layer(x), layer.train()           calls, differentiable; a method that returns the object gives the same handle again
    layer.weight                      a tensor of the judge's own, which both sides have: a twin
    layer.weight.copy_(w)             written into the student's with the next request; what a call changes there is written back
    for name, p in layer.named_parameters(), len(dataset), dataset[3], repr(layer), copy.deepcopy(layer), layer.bias = None

What a handle tells is the word of the student's process, just like the result of a function. ``isinstance(layer,
torch.nn.Module)`` cannot be checked in any other way, so a check that asks for it says so in the record.
"""

from __future__ import annotations

import abc
import functools
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import torch

from torchgrade.checks.faults import BadAnswer, Raised
from torchgrade.checks.notes import rests_on_word
from torchgrade.jail.protocol.crossing import MethodName
from torchgrade.jail.protocol.twins import Twin, introduced, made
from torchgrade.jail.protocol.values import MAX_ITEMS, Reference, WireError

if TYPE_CHECKING:
    from torchgrade.jail.protocol.remote_student import Student

MOST = 10_000
"""The most handles, and the most tensors that both sides have, at a time."""


class MissingAttribute(Raised, AttributeError):
    """An object has no attribute of this name: the student's failure, and what ``hasattr`` and ``getattr`` expect."""


class MissingLength(Raised, TypeError):
    """An object has no length: the student's failure, and what ``list`` expects."""


class Handle:
    """An object of the student's. Attributes, calls and operators reach it; anything else is an error that says what to do."""

    __slots__ = ("__of", "__weakref__")

    def __init__(self, of: Of) -> None:
        object.__setattr__(self, "_Handle__of", of)

    @property
    def _torchgrade_type(self) -> str:
        name: str = self.__of.name
        return name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        of = self.__of
        if (method := of.methods.get(name)) is None:
            try:
                found = of.operate("getattr", self, name)
            except Raised as fault:
                if fault.kind == "AttributeError":
                    raise MissingAttribute(fault.kind, fault.text, fault.lines, probe=fault.probe) from None
                raise
            if not isinstance(found, MethodName):
                return found
            method = of.methods[name] = found  # what is in the class stays there, so the next call is one message
        return of.method(self, method.name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__of.operate("setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        self.__of.operate("delattr", self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object."""
        return self.__of.call(args, kwargs)

    def __len__(self) -> int:
        if not self.__of.has_length:  # list() asks every iterator
            raise MissingLength("TypeError", f"object of type '{self.__of.name}' has no len()")
        length = self.__of.operate("len", self)
        if type(length) is not int or not 0 <= length < 2**63:
            raise BadAnswer(f"len() of {self.__of.article} is no length.")
        return length

    def __bool__(self) -> bool:
        return self.__of.operate("bool", self) is True

    def __contains__(self, item: Any) -> bool:
        return self.__of.operate("contains", self, item) is True

    def __getitem__(self, key: Any) -> Any:
        return self.__of.operate("getitem", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.__of.operate("setitem", self, key, value)

    def __iter__(self) -> Iterator[Any]:
        of = self.__of
        iterator = of.operate("iter", self)
        for _ in range(MAX_ITEMS):
            found = of.operate("next", iterator)
            if type(found) is not tuple or len(found) != 2:  # noqa: PLR2004 - whether there is one, and which
                raise BadAnswer(f"{of.article} could not be iterated.")
            if found[0] is not True:
                return
            yield found[1]
        raise BadAnswer(f"{of.article} gave more than {MAX_ITEMS} items.")

    def __repr__(self) -> str:
        return str(self.__of.operate("repr", self))

    def __deepcopy__(self, _memo: object) -> Any:
        return self.__of.operate("deepcopy", self)

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        raise TypeError(f"{self.__of.article} stays in the student's process: use it in a function of probes.py, or deepcopy it")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        kind: type = self.__of.kind
        if kind is not Handle:
            rests_on_word()
        return kind


class Of(abc.ABC):
    """The object behind a handle: its name and class, and the way to reach it."""

    def __init__(self, name: str, kind: type, *, has_length: bool) -> None:
        self.name, self.kind, self.has_length = name, kind, has_length
        self.methods: dict[str, MethodName] = {}

    @property
    def article(self) -> str:
        """The object as a sentence names it."""
        return f"The {self.name} object"

    @abc.abstractmethod
    def operate(self, operator: str, *arguments: Any) -> Any:
        """Have one of Python's operators applied where the object is."""

    @abc.abstractmethod
    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the object."""

    @abc.abstractmethod
    def method(self, handle: Handle, name: str) -> Callable[..., Any]:
        """Return a method of the object."""


class OfRemote(Of):
    """An object in the student's process."""

    def __init__(self, student: Student, number: int, name: str, kind: type, *, has_length: bool) -> None:
        super().__init__(name, kind, has_length=has_length)
        self.student, self.number = student, number

    def operate(self, operator: str, *arguments: Any) -> Any:
        """Have one of Python's operators applied over there."""
        return self.student._call(Reference("operator", operator), arguments, {}, "plain")  # noqa: SLF001

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call it over there."""
        return self.student._call(Reference("object", self.number), args, kwargs, "plain")  # noqa: SLF001

    def method(self, handle: Handle, name: str) -> Method:
        """Return a method, to be called over there."""
        return Method(handle, Reference("method", [self.number, name]))


def of(handle: Handle) -> Any:
    """The object behind a handle, as an :class:`Of`; the attributes that a handle shows are all the object's."""
    found: Of = object.__getattribute__(handle, "_Handle__of")
    return found


class Method:
    """A method of an object of the student's."""

    def __init__(self, handle: Handle, reference: Reference) -> None:
        self.handle, self.reference = handle, reference
        self.__name__ = reference.name[1]

    def __repr__(self) -> str:
        return f"<{of(self.handle).name}.{self.__name__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it over there."""
        return of(self.handle).student._call(self.reference, args, kwargs, "plain")  # noqa: SLF001


class Known:
    """Objects and tensors that both sides know by number: handles as long as the grader has them, twins as the student does."""

    def __init__(self, student: Student) -> None:
        self._student = weakref.ref(student)
        self.in_use = False
        """True once an object was asked for: until then, calls of plain functions send and receive nothing about objects."""
        self._handles: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()
        self._twins: dict[int, Twin] = {}
        self._numbers: dict[int, int] = {}  # by id: twins are held here, so each id belongs to one tensor
        self._dropped: list[int] = []
        self._fresh: list[Any] = []
        self._own = 0

    def number_of(self, tensor: torch.Tensor) -> int | None:
        """The number of a tensor that both sides have."""
        return self._numbers.get(id(tensor))

    def what(self, number: int) -> OfRemote | None:
        """The facts about an object that a grader still has a handle of."""
        return None if (handle := self._handles.get(number)) is None else of(handle)

    def adopt(self, tensor: torch.Tensor, tensors: list[torch.Tensor]) -> int:
        """Have the student's process keep a twin of one of the judge's tensors, and return its number."""
        self._own -= 1
        self._fresh.append([self._own, introduced(tensor, tensors)])
        self._add(self._own, tensor)
        return self._own

    def _add(self, number: int, tensor: torch.Tensor) -> None:
        self._twins[number] = Twin(tensor, weak=False)
        self._numbers[id(tensor)] = number

    def told(self, tensors: list[torch.Tensor]) -> dict[str, Any]:
        """Give what the other side has to hear along with a request."""
        fresh, self._fresh = self._fresh, []
        new = {number for number, _ in fresh}
        twins = [[n, news] for n, t in self._twins.items() if n not in new and (news := t.news(tensors)) is not None]
        dropped, self._dropped = self._dropped, []
        return {"drop": dropped, "twins": fresh + twins}

    def hear(self, message: Any, tensors: list[torch.Tensor]) -> list[int]:
        """Take over what came with an answer; return the numbers of twins that are to be forgotten once the result is read.

        Raises :class:`WireError` for anything impossible.
        """
        if not isinstance(message, dict) or not all(isinstance(message.get(key), list) for key in ("new", "twins", "gone")):
            raise WireError("a malformed account of objects")
        for number, news in _pairs(message["new"]):
            if number <= 0 or number in self._twins or len(self._twins) >= MOST:
                raise WireError("a tensor of an object that cannot be")
            self._add(number, made(news, tensors))
        for number, news in _pairs(message["twins"]):
            if number not in self._twins:
                raise WireError("news of a tensor that is not known")
            self._twins[number].hear(news, tensors, form=number < 0)
        return [number for number in message["gone"] if type(number) is int]

    def forget(self, numbers: list[int]) -> None:
        """Let go of twins whose counterparts are gone."""
        for number in numbers:
            if (twin := self._twins.pop(number, None)) is not None:
                self._numbers.pop(id(twin.tensor), None)

    def twins(self, numbers: Any) -> list[torch.Tensor]:
        """The tensors with these numbers. Raises :class:`WireError` for a number that is not known, or that occurs twice."""
        found = [] if not isinstance(numbers, list) else [self._twins.get(n) for n in numbers if type(n) is int]
        known = [tensor for twin in found if twin is not None and (tensor := twin.tensor) is not None]
        if not isinstance(numbers, list) or len(known) != len(numbers) or len(set(numbers)) != len(numbers):
            raise WireError("a tensor of an object that is not known")
        return known

    def look_up(self, reference: Reference) -> Any:
        """A handle, a twin or the name of a method, as an answer names it. Raises :class:`WireError`."""
        if reference.kind == "twin":
            return self.twins([reference.name])[0]
        if reference.kind == "method":
            if type(reference.name) is not str:
                raise WireError("a malformed method")
            return MethodName(reference.name)
        if reference.kind != "object":
            raise WireError(f"a {reference.kind}, which only the judge may send")
        number, name, classes, has_length = _description(reference.name)
        if (handle := self._handles.get(number)) is not None:
            return handle
        if len(self._handles) >= MOST:
            raise WireError(f"more than {MOST} objects")
        if number in self._dropped:  # another handle of it was let go, and the other side has not heard of that yet
            self._dropped.remove(number)
        student = self._student()
        assert student is not None  # noqa: S101 - it is the one that asks
        kind = next((found for each in classes if (found := _public_classes().get(each)) is not None), Handle)
        of_it = OfRemote(student, number, name if name.isidentifier() else "unnamed", kind, has_length=has_length)
        handle = self._handles[number] = Handle(of_it)
        weakref.finalize(handle, self._dropped_one, number)
        return handle

    def _dropped_one(self, number: int) -> None:
        self._dropped.append(number)


def _pairs(entries: list[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    for entry in entries:
        if not isinstance(entry, list) or len(entry) != 2 or type(entry[0]) is not int or not isinstance(entry[1], dict):  # noqa: PLR2004
            raise WireError("a malformed account of a tensor")
        yield entry[0], entry[1]


def _description(name: Any) -> tuple[int, str, list[str], bool]:
    if not isinstance(name, list) or len(name) != 4:  # noqa: PLR2004 - number, name, classes, whether it has a length
        raise WireError("a malformed object")
    number, kind, classes, has_length = name
    if type(number) is not int or not 0 < number < 2**62 or type(kind) is not str or not isinstance(classes, list):
        raise WireError("a malformed object")
    return number, kind[:100], [each for each in classes[:20] if type(each) is str], has_length is True


@functools.cache
def _public_classes() -> dict[str, type]:
    """PyTorch's classes that a grader may use with isinstance, by their full names."""
    places = (torch.nn, torch.optim, torch.optim.lr_scheduler, torch.utils.data, torch.autograd, torch.amp, torch.distributions)
    found = [each for place in places for each in vars(place).values() if isinstance(each, type)]
    return {f"{each.__module__}.{each.__qualname__}": each for each in found}
