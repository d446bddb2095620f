"""Notebook files on disk: opened so that nothing a student left there can mislead us, and written whole or not at all."""

from __future__ import annotations

import dataclasses
import errno
import os
import stat
from pathlib import Path
from typing import Self

import nbformat

from torchgrade.errors import cannot
from torchgrade.files import write_whole
from torchgrade.notebook.errors import NotebookError, one_line

MAX_BYTES = 20_000_000

# A link is refused, a FIFO does not block, and no child process inherits the descriptor.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_KINDS = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a named pipe, no regular file"}


@dataclasses.dataclass(frozen=True, slots=True)
class NotebookFile:
    """A file as it was when it was read: its content, or one line that says why it was refused."""

    name: str
    data: bytes = b""
    refusal: str = ""

    @classmethod
    def read(cls, path: Path, max_bytes: int = MAX_BYTES, *, below: Path | None = None) -> Self:
        """Read the file as :func:`read_bytes` does."""
        try:
            return cls(path.name, read_bytes(path, max_bytes, below=below))
        except NotebookError as error:
            return cls(path.name, refusal=str(error))


def read_bytes(path: Path, max_bytes: int = MAX_BYTES, *, below: Path | None = None) -> bytes:
    """The content of the regular file ``path``, which may have at most ``max_bytes`` bytes.

    No folder between ``below`` and the file may be a link either, since it could lead to another student's submission. Raises
    :class:`NotebookError` for a link, a folder, a pipe, a device, a missing or unreadable file, and for a file that is larger:
    its size is looked at before anything is read.
    """
    name = one_line(path.name)
    for folder in path.parents if below is not None and path.is_relative_to(below) else ():
        if folder == below:
            break
        if folder.is_symlink():
            raise NotebookError(f"the folder {one_line(folder.name)} is a symbolic link; the notebook itself is needed")
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        beside = sorted(p.name for p in path.parent.glob("*.ipynb"))[:3] if path.parent.is_dir() else []
        known = f"; there is {one_line(', '.join(beside))}" if beside else ""
        raise NotebookError(f"{name}: no such file{known}") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotebookError(f"{name} is a symbolic link; the notebook itself is needed") from None
        raise NotebookError(f"{name} cannot be opened: {error.strerror}") from error
    except ValueError:
        raise NotebookError(f"{name} is not a file name") from None
    try:
        return _read(descriptor, name, max_bytes)
    except OSError as error:
        raise NotebookError(f"{name} cannot be read: {error.strerror}") from error
    finally:
        os.close(descriptor)


def _read(descriptor: int, name: str, max_bytes: int) -> bytes:
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        kind = _KINDS.get(stat.S_IFMT(facts.st_mode), "no regular file")
        raise NotebookError(f"{name} is {kind}; a notebook file is needed")
    if facts.st_size > max_bytes:
        raise too_large(name, facts.st_size, max_bytes)
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:  # it grew in between
        raise too_large(name, len(data), max_bytes)
    return data


def too_large(name: str, size: int, limit: int) -> NotebookError:
    """The refusal of a file of ``size`` bytes."""
    sizes = f"{name} has {size / 1e6:.1f} MB; at most {limit / 1e6:g} MB are accepted"
    return NotebookError(f"{sizes}. Clear its outputs and hand it in again")


def write_notebook(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write ``notebook`` to ``path``, whole or not at all; raises :class:`NotebookError` if the disk refuses."""
    text: str = nbformat.writes(notebook)
    with cannot(f"write {path}", NotebookError):
        write_whole(path, text.rstrip("\n") + "\n")
