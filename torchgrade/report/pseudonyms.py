"""Names that say nothing, and stay: ``student 07`` in every report of a course, whoever joins later.

    students ──► results/pseudonyms.json (who has which number) ──► student: "student 07"

Numbers are drawn, not counted by name or hashed: whoever has the list of the class cannot work them out. The file is for the
instructor alone.
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterable
from pathlib import Path

from torchgrade.files import MARKS, locked, write_whole
from torchgrade.record import RecordError


def pseudonyms(students: Iterable[str], path: Path) -> dict[str, str]:
    """The pseudonym of each student, by number; those without one get the next numbers, in random order, kept in ``path``.

    Raises :class:`RecordError` where the file cannot be read or written.
    """
    students = set(students)
    with _alone(path):
        numbers = _read(path)
        if new := sorted(students - set(numbers)):
            random.SystemRandom().shuffle(new)
            numbers |= {student: number for number, student in enumerate(new, start=max(numbers.values(), default=0) + 1)}
            _write(path, numbers)
    known = sorted(numbers.items(), key=lambda item: item[1])
    return {student: f"student {number:02}" for student, number in known if student in students}


def _alone(path: Path) -> contextlib.ExitStack:
    """Two reports at a time must not draw the same numbers: for the length of the block no other one reads or writes the list."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(path.with_name(f".{path.stem}.lock")))
        except OSError as error:
            raise RecordError(f"cannot lock {path}: {error.strerror or error}") from error
        return stack.pop_all()


def _read(path: Path) -> dict[str, int]:
    try:
        numbers = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RecordError(
            f"cannot read {path}: {error}. It says who has which pseudonym: restore it, or delete it to draw anew"
        ) from error
    if not isinstance(numbers, dict) or not all(isinstance(number, int) for number in numbers.values()):
        raise RecordError(f"{path} should hold a number for each student and does not: restore it, or delete it to draw anew")
    return numbers


def _write(path: Path, numbers: dict[str, int]) -> None:
    try:
        write_whole(path, json.dumps(numbers, indent=1), mode=MARKS)
    except OSError as error:
        raise RecordError(f"cannot write {path}: {error.strerror or error}") from error
