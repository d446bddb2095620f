"""nbgrader checks the metadata of each cell against a schema, and the schema itself each time; here the schema is checked once.

That was a third of what entering a submission took. What is checked of the cells stays the same.
"""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from jsonschema.exceptions import best_match
from jsonschema.validators import validator_for
from nbgrader.nbgraderformat import common


@contextlib.contextmanager
def schemas_checked_once() -> Iterator[None]:
    """For the length of the block."""
    before = common.jsonschema
    common.jsonschema = SimpleNamespace(validate=_validate)
    try:
        yield
    finally:
        common.jsonschema = before


def _validate(instance: Any, schema: Any) -> None:
    """As :func:`jsonschema.validate`: raises the most telling of the errors, or :class:`jsonschema.SchemaError`."""
    error = best_match(_validator(json.dumps(schema)).iter_errors(instance))
    if error is not None:
        raise error


@functools.cache
def _validator(schema: str) -> Any:
    loaded = json.loads(schema)
    kind = validator_for(loaded)
    kind.check_schema(loaded)
    return kind(loaded)
