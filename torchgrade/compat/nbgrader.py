"""Work that nbgrader repeats for each submission, done once; and the halves of its steps, which it does not offer separately."""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jsonschema.exceptions import best_match
from jsonschema.validators import validator_for
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.nbgraderformat import common
from nbgrader.utils import setenv

OPEN_A_GRADEBOOK = (
    "nbgrader.converters.autograde",
    "nbgrader.converters.generate_assignment",
    "nbgrader.converters.generate_solution",
    "nbgrader.preprocessors.getgrades",
    "nbgrader.preprocessors.latesubmissions",
    "nbgrader.preprocessors.overwritecells",
    "nbgrader.preprocessors.overwritekernelspec",
    "nbgrader.preprocessors.saveautogrades",
    "nbgrader.preprocessors.savecells",
)
"""The modules whose steps open the gradebook by its class's name; no setting can name another class."""


@contextlib.contextmanager
def gradebooks_opened_by(opened: Callable[..., Any]) -> Iterator[None]:
    """Make nbgrader's steps call ``opened`` in place of ``nbgrader.api.Gradebook`` for the length of the block."""
    with contextlib.ExitStack() as back:
        for module in map(importlib.import_module, OPEN_A_GRADEBOOK):
            back.callback(setattr, module, "Gradebook", vars(module)["Gradebook"])
            vars(module)["Gradebook"] = opened
        yield


@contextlib.contextmanager
def schemas_checked_once() -> Iterator[None]:
    """Make nbgrader check the metadata of cells by a schema that is itself checked only once, for the length of the block.

    nbgrader checks the schema again for each cell, which takes a third of the time to enter a submission. Cells are checked as
    before.
    """
    before = common.jsonschema
    common.jsonschema = SimpleNamespace(validate=_validate)
    try:
        yield
    finally:
        common.jsonschema = before


def _validate(instance: Any, schema: Any) -> None:
    """Like :func:`jsonschema.validate`: raises the most telling of the errors, or :class:`jsonschema.SchemaError`."""
    error = best_match(_validator(json.dumps(schema)).iter_errors(instance))
    if error is not None:
        raise error


@functools.cache
def _validator(schema: str) -> Any:
    loaded = json.loads(schema)
    kind = validator_for(loaded)
    kind.check_schema(loaded)
    return kind(loaded)


class AutogradeInHalves(Autograde):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's autograding of one notebook, as two calls."""

    def sanitize_notebook(self, submitted: Path) -> None:
        """Make the autograded copy of what was handed in."""
        self._half(submitted, sanitizing=True)

    def autograde_notebook(self, autograded: Path) -> None:
        """Run and score the autograded copy."""
        with setenv(NBGRADER_EXECUTION="autograde"):
            self._half(autograded, sanitizing=False)

    def _half(self, notebook: Path, *, sanitizing: bool) -> None:
        self._sanitizing = sanitizing
        try:
            self._init_preprocessors()
            super(Autograde, self).convert_single_notebook(str(notebook))
        finally:
            self._sanitizing = True


class FeedbackElsewhere(GenerateFeedback):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's feedback pages, written to a folder of the caller's choice."""

    elsewhere: Path | None = None

    def _format_dest(self, assignment_id: str, student_id: str, escape: bool = False) -> str:
        return str(self.elsewhere or super()._format_dest(assignment_id, student_id, escape))
