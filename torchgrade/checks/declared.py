"""Declarations in a grader: which functions are checks, what each is worth, which others it needs, and how it fails."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from torchgrade.errors import TorchgradeError
from torchgrade.record import Visibility

Test = TypeVar("Test", bound=Callable[..., Any])

KINDS = ("values", "stability", "shapes", "gradients", "dtypes", "inputs", "errors", "memory", "operations", "speed")
"""The kinds of check; students are told how many hidden checks there are of each kind."""


class GraderError(TorchgradeError):
    """A grader is written wrongly. The text is one line for the instructor; no student loses a point because of it."""


class CheckFailed(AssertionError):
    """A check does not hold. The text is written for the student and shows nothing of the grader's source.

    ``hint`` helps with this particular failure and is shown beside the text. ``slip`` is the kind of failure, one of
    :data:`torchgrade.checks.slips.SLIPS`, if one of torchgrade's own assertions raised it.
    """

    def __init__(self, text: str = "", *, hint: str = "", slip: str = "") -> None:
        super().__init__(text)
        self.hint, self.slip = hint, slip


class UndecidedError(Exception):
    """A check cannot be decided on this machine now. It stays ungraded; the text is written for the student."""


@dataclasses.dataclass(frozen=True, slots=True)
class Declaration:
    """The arguments of ``@points``."""

    points: float
    kind: str
    needs: tuple[str, ...]


def points(
    worth: float,
    *,
    kind: str = "values",
    needs: Callable[..., Any] | Sequence[Callable[..., Any]] = (),
) -> Callable[[Test], Test]:
    """Declare that a test function is a check worth ``worth`` points.

    ``kind`` is one of :data:`KINDS`. ``needs`` are checks defined above in the same file: if one of them did not pass, this one
    is skipped, says which one that was, and gives no points. A check of speed, memory, dtype or untouched inputs should need a
    check of the values, or a wrong answer could earn its points. The first line of the docstring is the check's title in the
    feedback. Hints belong to failures: give them to the assertions.
    """

    def declare(test: Test) -> Test:
        name = getattr(test, "__name__", repr(test))
        if not (math.isfinite(worth) and worth >= 0):
            raise GraderError(f"{name}: points must be a finite number of at least 0, not {worth!r}")
        if kind not in KINDS:
            raise GraderError(f"{name}: kind {kind!r} is not one of {', '.join(KINDS)}")
        if not (test.__doc__ or "").strip():
            raise GraderError(f"{name}: a check needs a docstring; its first line is the title that students read")
        needed = (needs,) if callable(needs) else tuple(needs)
        for other in needed:
            if declaration_of(other) is None:
                raise GraderError(f"{name} needs {getattr(other, '__name__', other)!r}, which has no @points")
        names = tuple(other.__name__ for other in needed)
        test.__torchgrade__ = Declaration(float(worth), kind, names)  # type: ignore[attr-defined]
        return test

    return declare


def declaration_of(test: Callable[..., Any]) -> Declaration | None:
    """Return the arguments of a test function's ``@points``, or ``None`` if it has none."""
    found = getattr(test, "__torchgrade__", None)
    return found if isinstance(found, Declaration) else None


def title_of(test: Callable[..., Any]) -> str:
    """The title of a check: its docstring's first line, without the full stop."""
    return (test.__doc__ or "").strip().splitlines()[0].strip().rstrip(".")


@dataclasses.dataclass(frozen=True, slots=True)
class PlannedCheck:
    """A check as its grader declares it, whether it is ever run or not."""

    name: str
    title: str
    exercise: str
    visibility: Visibility
    declaration: Declaration

    @property
    def races(self) -> bool:
        """True if the check times the student's code, for which it needs the machine to itself."""
        return self.declaration.kind == "speed"

    @property
    def home(self) -> tuple[Visibility, str]:
        """The visibility and the exercise of the file that the check is defined in."""
        return self.visibility, self.exercise


def checks_in(module: ModuleType, exercise: str, visibility: Visibility) -> Iterator[tuple[PlannedCheck, FunctionType]]:
    """The checks that a grader's module defines, in the order of its lines, with their test functions.

    Raises :class:`GraderError` for a test function without ``@points``.
    """
    tests = [
        value
        for name, value in vars(module).items()
        if name.startswith("test_") and isinstance(value, FunctionType) and value.__module__ == module.__name__
    ]
    for test in sorted(tests, key=lambda test: inspect.unwrap(test).__code__.co_firstlineno):
        declaration = declaration_of(test)
        if declaration is None:
            raise GraderError(f"{module.__name__.rpartition('.')[2]}.py: {test.__name__} has no @points")
        yield PlannedCheck(test.__name__, title_of(test), exercise, visibility, declaration), test
