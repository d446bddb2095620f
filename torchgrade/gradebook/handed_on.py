"""Facts that a converter of ours knows already, for the steps that nbgrader runs: in the resources that go from step to step.

nbgrader's own commands hand nothing on; then each step finds out for itself.
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
    """By notebook: its cells with their outputs, so that ``ExecuteInJail`` need not run it."""
    problems: list[str] = dataclasses.field(default_factory=list)
    """Messages of the steps for whoever started the run, one line each."""

    def put_into(self, resources: dict[str, Any]) -> dict[str, Any]:
        """The same resources, with this among them."""
        resources[_NAME] = self
        return resources

    def __deepcopy__(self, _memo: Any) -> Self:
        """The same one: nbconvert copies all resources for the steps, and what steps say must come back."""
        return self


def handed_on(resources: Mapping[str, object]) -> HandedOn:
    """Return what a converter put into these resources; an empty one where there is none."""
    found = resources.get(_NAME)
    return found if isinstance(found, HandedOn) else HandedOn()
