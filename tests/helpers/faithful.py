"""What a test puts in the place of a function takes only calls that the function itself would take."""

import functools
import inspect
from typing import Any

import pytest


class FaithfulMonkeyPatch(pytest.MonkeyPatch):
    """As pytest's, but a fake of a function takes no call that the function would not take."""

    def setattr(self, target: Any, name: Any, *more: Any, **options: Any) -> None:
        old = getattr(target, name, None) if more and not isinstance(target, str) else None
        if inspect.isfunction(old) and inspect.isfunction(more[0]):
            more = (_as_strict_as(old, more[0]),)
        super().setattr(target, name, *more, **options)


def _as_strict_as(real: Any, fake: Any) -> Any:
    signature = inspect.signature(real)

    @functools.wraps(fake)
    def strict(*arguments: Any, **named: Any) -> Any:
        try:
            signature.bind(*arguments, **named)
        except TypeError as error:
            raise AssertionError(f"the real {real.__qualname__}{signature} would refuse this call: {error}") from None
        return fake(*arguments, **named)

    return strict
