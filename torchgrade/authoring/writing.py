"""Several files are written as one: all of them, or none."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from torchgrade.course import CourseError


def write_all(new: Mapping[Path, str], changed: Mapping[Path, bytes] | None = None) -> None:
    """Make the files ``new``, which must not be there, and give those in ``changed`` their new content.

    Where one cannot be written, what was made before is taken away again, folders included, and :class:`CourseError` says
    which. Files that change come last, each replaced in one step, so that a reader finds the old or the new one.
    """
    made: list[Path] = []
    aside: list[tuple[Path, Path]] = []
    path = Path()
    try:
        for path, content in (changed or {}).items():
            aside.append((_beside(path, content, made), path))
        for path, text in new.items():
            _make_folder(path.parent, made)
            with path.open("x", encoding="utf-8") as file:
                made.append(path)
                file.write(text)
        for temporary, path in aside:
            temporary.replace(path)
    except BaseException as error:
        _take_away(made)
        if isinstance(error, OSError):
            raise CourseError(f"cannot write {path}: {error.strerror or error}. Nothing was changed.") from error
        raise


def _beside(path: Path, content: bytes, made: list[Path]) -> Path:
    """A file with the new content and the old one's permissions, next to the old one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("xb") as file:
        made.append(temporary)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    shutil.copymode(path, temporary)
    return temporary


def _make_folder(folder: Path, made: list[Path]) -> None:
    for each in reversed([folder, *folder.parents]):
        if not each.exists():
            each.mkdir()
            made.append(each)


def _take_away(made: list[Path]) -> None:
    for path in reversed(made):
        with contextlib.suppress(OSError):
            path.rmdir() if path.is_dir() else path.unlink()
