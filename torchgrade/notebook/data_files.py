"""The data files of an assignment: the files that lie beside its notebook and are released with it, for its code to open.

    assignments/<a>/numbers.csv, images/1.png ──► listed, digested ──► packed into memory ──► unpacked in the jail, read-only

They are the course's own, never what a student handed in. They are the files that nbgrader copies into a release.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from torchgrade.errors import cannot
from torchgrade.notebook.errors import NotebookError, one_line

_CHUNK = 1 << 20
_NOTEBOOKS = "*.ipynb"

Stamp = tuple[tuple[str, int, int, int, int], ...]
_digests: dict[Path, tuple[Stamp, str]] = {}
"""The digest of each folder's files as they were last seen, so that files that did not change need not be read again."""


@dataclasses.dataclass(frozen=True, slots=True)
class DataFiles:
    """The files of one assignment: their paths below ``folder`` (separated by ``/``), their sizes, and a digest of all that."""

    folder: Path = Path()
    files: tuple[tuple[str, int], ...] = ()
    digest: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(size for _, size in self.files)

    def pack(self) -> tuple[int, int]:
        """Return a descriptor of memory with names and sizes as JSON, followed by the contents; and the length of the JSON.

        Raises :class:`NotebookError` if a file is no longer what it was.
        """
        head = json.dumps(self.files).encode()
        descriptor = os.memfd_create("data-files")
        try:
            with os.fdopen(descriptor, "wb", closefd=False) as memory:
                memory.write(head)
                digest = _read_all(self.folder, self.files, memory.write)
        except BaseException:
            os.close(descriptor)
            raise
        if digest != self.digest:
            os.close(descriptor)
            raise NotebookError(f"the files in {self.folder} changed while they were read; run the same command again")
        return descriptor, len(head)


def read_data_files(folder: Path, *, ignored: Iterable[str], most_bytes: int) -> DataFiles:
    """The files in an assignment's ``folder`` and its subfolders, except notebooks and names that nbgrader ignores.

    Raises :class:`NotebookError` for a link, a pipe or a device among them, and for more than ``most_bytes`` in all.
    """
    found = sorted(_walk(folder, "", (*ignored, _NOTEBOOKS)))
    files = tuple((name, status.st_size) for name, status in found)
    if (size := sum(size for _, size in files)) > most_bytes:
        raise NotebookError(
            f"the files beside the notebook in {folder} have {size / 1e6:.1f} MB; at most {most_bytes / 1e6:g} MB are given to "
            "submissions. Take out what their code does not need, or raise c.Limits.data_mb"
        )
    if not files:
        return DataFiles()
    stamp = tuple((name, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for name, s in found)
    known = _digests.get(folder)
    if known is None or known[0] != stamp:
        known = _digests[folder] = stamp, _read_all(folder, files, lambda _: None)
    return DataFiles(folder, files, known[1])


def _walk(folder: Path, above: str, ignored: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
    with cannot(f"read {folder / above}", NotebookError):
        entries = [*os.scandir(folder / above)]
    for entry in entries:
        if any(fnmatch.fnmatchcase(entry.name, pattern) for pattern in ignored):
            continue
        name = f"{above}/{entry.name}" if above else entry.name
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(folder, name, ignored)
        elif stat.S_ISREG(status.st_mode):
            yield name, status
        else:
            kind = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "no regular file"
            raise NotebookError(
                f"{one_line(str(folder / name))} is {kind}, which cannot be given to submissions: put the file itself there, or "
                "take it out, or name it in c.CourseDirectory.ignore"
            )


def _read_all(folder: Path, files: Iterable[tuple[str, int]], take: Callable[[bytes], object]) -> str:
    """Pass all contents on, piece by piece, and return the digest of names and contents."""
    total = hashlib.sha256()
    for name, size in files:
        total.update(f"{name!a} {size}\n".encode())
        with cannot(f"read {folder / name}", NotebookError), open(folder / name, "rb", opener=_as_it_is) as file:
            left = size
            while left and (piece := file.read(min(_CHUNK, left))):
                total.update(piece)
                take(piece)
                left -= len(piece)
        if left:
            raise NotebookError(f"{folder / name} changed while it was read; run the same command again")
    return total.hexdigest()


def _as_it_is(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
