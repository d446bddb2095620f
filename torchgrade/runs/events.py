"""The log of runs, for programs: ``results/events.jsonl``, one JSON object a line, appended to.

``run`` (with the number of submissions), ``begun``, ``graded``, ``error`` and ``end``, each with ``time`` (ISO 8601, UTC) and
``process``, the number of the command's process.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path

from torchgrade.files import append_line
from torchgrade.record import RecordError


class EventLog:
    """Appends events; a line is written at once and whole."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, event: str, **facts: object) -> None:
        """Append one event. Raises :class:`RecordError` where the disk refuses."""
        when = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": when, "event": event, "process": os.getpid(), **facts})
        try:
            append_line(self.path, line)
        except OSError as error:
            raise RecordError(f"cannot write to {self.path}: {error.strerror or error}") from error
