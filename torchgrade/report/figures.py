"""When a check's picture is shown: below the message of a public check that failed, from what it measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from torchgrade.record import Check, Outcome, Visibility


def figure_of(check: Check, name: str, draw: Callable[[Mapping[str, Any]], Markup]) -> Markup:
    """What ``draw`` makes of the measurement ``name`` of a failed public check; empty for any other."""
    found = check.measurements.get(name)
    if check.outcome is not Outcome.FAILED or check.visibility is not Visibility.PUBLIC or not isinstance(found, Mapping):
        return Markup()
    try:
        return draw(found)
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return Markup()  # made by another version, or by hand
