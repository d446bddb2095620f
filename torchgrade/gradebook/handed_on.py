"""Facts that our converters hand on to the steps which nbgrader runs, in the resources that go from step to step.

nbgrader's own commands hand nothing on; then each step looks for itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Self

from torchgrade.record import Record

_NAME = "torchgrade"


@dataclasses.dataclass(slots=True)
class HandedOn:
    """Facts about the student whose notebook is being converted."""

    record: Record | None = None
    """Whose marks are entered; without one, :class:`GradeWithTorchgrade` asks for the submission to be graded."""
    executed: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Notebooks that were run already, by name, with their outputs: ``ExecuteInJail`` need not run them."""
    problems: list[str] = dataclasses.field(default_factory=list)
    """Messages of the steps for whoever started the run, one line each."""

    def put_into(self, resources: dict[str, Any]) -> dict[str, Any]:
        """The same resources, with this among them."""
        resources[_NAME] = self
        return resources

    def __deepcopy__(self, _memo: Any) -> Self:
        """Return itself: nbconvert copies all resources for the steps, and the steps' messages must come back."""
        return self


def handed_on(resources: Mapping[str, object]) -> HandedOn:
    """Return the :class:`HandedOn` that a converter put into these resources, or an empty one."""
    found = resources.get(_NAME)
    return found if isinstance(found, HandedOn) else HandedOn()
