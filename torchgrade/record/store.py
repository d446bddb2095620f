"""Records on disk: ``results/<student>/<assignment>.json``, each written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from torchgrade.record.model import Record


class RecordError(Exception):
    """A record could not be read or written. The text is one line, for the instructor."""


def digest(*parts: bytes | str) -> str:
    """SHA-256 over the parts, each with its length, so that no two lists of parts collide."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()


class Results:
    """The folder of records.

    A record is written to a temporary file in the same folder, flushed to the disk and renamed, so that a reader, a
    second run or a power cut sees the old record or the new one and never half of one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, student: str, assignment: str) -> Path:
        """Where the record of this student's submission stands."""
        return self.folder / student / f"{assignment}.json"

    def write(self, record: Record) -> Path:
        """Write ``record``; raise :class:`RecordError` if the disk refuses, leaving what was there before."""
        target = self.path(record.student, record.assignment)
        # NaN is no JSON: a check's measurement that is not a number must not make a file that others cannot read.
        text = json.dumps(record.to_json(), indent=1, ensure_ascii=True, allow_nan=False)
        temporary: str | None = None
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}", suffix=".tmp")
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)  # noqa: PTH105 - the atomic rename is the point
        except OSError as error:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)  # noqa: PTH108
            msg = (
                f"cannot write the record of {record.student}: {error.strerror or error} ({target}). "
                "Free some space or fix the permissions, then run the same command again: nothing graded so far is lost."
            )
            raise RecordError(msg) from error
        return target

    def read(self, student: str, assignment: str) -> Record | None:
        """The record, or ``None`` where there is none, or one that this version cannot read (it is graded again)."""
        try:
            data = json.loads(self.path(student, assignment).read_bytes())
            return Record.from_json(data)
        except FileNotFoundError:
            return None
        except OSError as error:
            msg = f"cannot read the record of {student}: {error.strerror or error} ({self.path(student, assignment)})"
            raise RecordError(msg) from error
        except (ValueError, KeyError, TypeError):
            return None

    def all(self, assignment: str) -> Iterator[Record]:
        """Every readable record of the assignment, by student."""
        students: Iterable[Path] = sorted(self.folder.iterdir()) if self.folder.is_dir() else ()
        for folder in students:
            if folder.is_dir() and (record := self.read(folder.name, assignment)) is not None:
                yield record
