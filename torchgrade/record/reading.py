"""Reads a record back from JSON data, and refuses anything else. msgspec compares it with the types of the record's own fields.

Fields that this version does not know are left aside, and sums are computed again: those in the file decide nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from torchgrade.record.model import SCHEMA, Record


def read_record(data: object) -> Record:
    """The record that ``data`` (from ``json.loads``) describes. Raises ``ValueError``, in one line, if it is not a record."""
    # Another schema may have other fields, so the schema is checked before any of them is looked at.
    schema = data.get("schema") if isinstance(data, Mapping) else None
    if schema != SCHEMA:
        msg = f"not a record of schema {SCHEMA}: its schema is {schema!r}"
        raise ValueError(msg)
    try:
        return msgspec.convert(data, Record)
    except msgspec.ValidationError as error:
        msg = f"not a record of schema {SCHEMA}: {error}"
        raise ValueError(msg) from error
