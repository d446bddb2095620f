"""Records on disk: ``results/<student>/<assignment>.json``, each written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from torchgrade.errors import TorchgradeError
from torchgrade.files import MARKS, make_folder, write_whole
from torchgrade.record.model import Record


class RecordError(TorchgradeError):
    """A record could not be read or written. The text is one line, for the instructor."""


def digest(*parts: bytes | str) -> str:
    """SHA-256 over the parts, each with its length, so that no two lists of parts collide."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()


MOST_OLDER = 200
"""The most records of one submission that are kept besides the current one."""


class Results:
    """The folder of records.

    A record is written to a temporary file in the same folder, flushed to the disk and renamed, so that a reader, a
    second run or a power cut sees the old record or the new one and never half of one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, student: str, assignment: str) -> Path:
        """Where the record of this student's submission is."""
        return self.folder / student / f"{assignment}.json"

    def write(self, record: Record) -> Path:
        """Write ``record``; raise :class:`RecordError` if the disk refuses, leaving what was there before.

        The record that it replaces is kept: see :meth:`history`.
        """
        target = self.path(record.student, record.assignment)
        # NaN is not JSON: a check's measurement that is not a number must not make a file that others cannot read.
        text = json.dumps(record.to_json(), indent=1, ensure_ascii=True, allow_nan=False)
        try:
            make_folder(target.parent)
            write_whole(target, text, mode=MARKS, keep=self._keep)
        except OSError as error:
            msg = (
                f"cannot write the record of {record.student}: {error.strerror or error} ({target}). "
                "Free some space or fix the permissions, then run the same command again: nothing graded so far is lost."
            )
            raise RecordError(msg) from error
        return target

    @staticmethod
    def _keep(target: Path) -> None:
        """Give the record at ``target`` a second name in its history, under the next number; of very many, delete the oldest."""
        folder = target.with_suffix(".history")
        older = sorted(folder.glob("*.json")) if folder.is_dir() else []
        number = int(older[-1].stem) if older else 0
        for each in older[: len(older) + 1 - MOST_OLDER]:
            each.unlink(missing_ok=True)
        while target.is_file():
            make_folder(folder)
            number += 1
            try:
                os.link(target, folder / f"{number:04}.json")
            except FileExistsError:  # another run made it at this moment
                continue
            except OSError:  # a file system without hard links
                shutil.copy2(target, folder / f"{number:04}.json")
            return

    def read(self, student: str, assignment: str) -> Record | None:
        """The record, or ``None`` if there is none or this version cannot read it (the submission is then graded again)."""
        return self._read(self.path(student, assignment), student)

    def history(self, student: str, assignment: str) -> list[Record]:
        """The records of this submission that are kept and that this version can read, the current one last."""
        return list(self.newest_first(student, assignment))[::-1]

    def newest_first(self, student: str, assignment: str) -> Iterator[Record]:
        """The same records, the current one first; each is read only when it is asked for."""
        for each in self._files(student, assignment):
            if (record := self._read(each, student)) is not None:
                yield record

    def damaged(self, student: str, assignment: str) -> list[Path]:
        """Those of the files that hold no record that this version can read, oldest first."""
        files = [path for path in self._files(student, assignment) if path.exists()]
        return [path for path in reversed(files) if self._read(path, student) is None]

    def _files(self, student: str, assignment: str) -> list[Path]:
        path = self.path(student, assignment)
        return [path, *sorted(path.with_suffix(".history").glob("*.json"), reverse=True)]

    def _read(self, path: Path, student: str) -> Record | None:
        # A student's kernel imports this module but reads no record, and need not have installed what reads one.
        from torchgrade.record.reading import read_record  # noqa: PLC0415

        try:
            return read_record(json.loads(path.read_bytes()))
        except FileNotFoundError:
            return None
        except OSError as error:
            msg = f"cannot read the record of {student}: {error.strerror or error} ({path})"
            raise RecordError(msg) from error
        except (ValueError, RecursionError):  # not JSON, or not a record
            return None

    def all(self, assignment: str) -> Iterator[Record]:
        """Every readable record of the assignment, by student."""
        students: Iterable[Path] = sorted(self.folder.iterdir()) if self.folder.is_dir() else ()
        for folder in students:
            if folder.is_dir() and (record := self.read(folder.name, assignment)) is not None:
                yield record
