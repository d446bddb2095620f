"""When a check's picture is shown: below the message of a public check that failed, from what it measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from markupsafe import Markup

from torchgrade.record import Check, Outcome, Visibility

Found = TypeVar("Found")


def figure_of(check: Check, found: Found | None, draw: Callable[[Found], Markup]) -> Markup:
    """Return ``draw(found)`` for a failed public check; empty for any other, and where ``found`` is ``None`` or malformed."""
    if check.outcome is not Outcome.FAILED or check.visibility is not Visibility.PUBLIC or found is None:
        return Markup()
    try:
        return draw(found)
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return Markup()  # made by another version, or by hand
