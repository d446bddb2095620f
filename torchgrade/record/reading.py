"""Reads a record back from JSON data, and refuses what is none. msgspec compares it with the types of the record's own fields.

Fields that this version does not know are left aside, and sums are made anew: what stands in the file for them decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from torchgrade.record.model import SCHEMA, Record


def read_record(data: object) -> Record:
    """The record that ``data`` describes, as ``json.loads`` gives it. Raises ``ValueError``, in one line, where it is none."""
    # Another schema may have other fields: it is named before any of them is looked at.
    schema = data.get("schema") if isinstance(data, Mapping) else None
    if schema != SCHEMA:
        msg = f"not a record of schema {SCHEMA}: its schema is {schema!r}"
        raise ValueError(msg)
    try:
        return msgspec.convert(data, Record)
    except msgspec.ValidationError as error:
        msg = f"not a record of schema {SCHEMA}: {error}"
        raise ValueError(msg) from error
