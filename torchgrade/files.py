"""Files that others may read while we write them, or that a power cut may hit: written whole or not at all, or line by line.

    write_whole   a temporary file beside it ──► flushed to the disk ──► renamed: the old text or the new one, never half of it
    append_line   one write at the end, on a line of its own even if the one before was cut off
    locked        one process after the other

If a folder may be written by its group, so may everything that is made in it. That is how several instructors, each with an
account of their own, share ``results/``. Elsewhere the umask decides.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

MARKS = 0o660
"""The mode, before the umask, of files that say who has which mark: only the instructors may read them."""
_GROUP_FILE, _GROUP_FOLDER = 0o060, 0o2070
NO_LOCKS_HERE = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)
"""Errors of a file system that has no locks."""


def write_whole(path: Path, text: str, *, mode: int = 0o666, keep: Callable[[Path], None] = lambda _: None) -> None:
    """Replace what is at ``path`` by ``text``, as UTF-8, in one step.

    ``mode`` is the mode of a new file, before the umask. ``keep(path)`` is called once the new text is on the disk, while the old
    one is still in its place. If ``path`` is a link or a device, the text is written directly to what it stands for. Raises
    ``OSError``; the old file is then still there.
    """
    data = text.encode("utf-8")
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        path.write_bytes(data)
        return
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with os.fdopen(open_shared(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        keep(path)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def append_line(path: Path, line: str) -> None:
    """Write ``line``, which is ASCII, at the end of the file ``path``, which is made if it is missing. Raises ``OSError``."""
    make_folder(path.parent)
    descriptor = open_shared(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, MARKS)
    try:
        size = os.fstat(descriptor).st_size
        was_cut_off = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        data = b"\n" * was_cut_off + line.encode("ascii") + b"\n"
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep out other processes that lock the same ``path``, a file that is made if it is missing, and that stays.

    On a file system without locks nobody is kept out. Raises ``OSError`` if the file cannot be opened.
    """
    from filelock import lock_descriptor  # noqa: PLC0415 - check(), which imports this module, takes no lock

    make_folder(path.parent)
    descriptor = open_shared(path, os.O_RDWR | os.O_CREAT, MARKS)
    try:
        try:
            lock_descriptor(descriptor)
        except OSError as error:
            if error.errno not in NO_LOCKS_HERE:
                raise
        yield
    finally:
        os.close(descriptor)  # gives the lock back


def open_shared(path: Path, flags: int, mode: int) -> int:
    """A descriptor of the file. If the file is made, its group may use it too if it may use the folder. Raises ``OSError``."""
    new = not os.path.lexists(path)
    descriptor = os.open(path, flags | os.O_CLOEXEC, mode)
    if new:
        _let_the_group(path, _GROUP_FILE)
    return descriptor


def make_folder(folder: Path) -> None:
    """Make the folder and those above it, if they are missing; the group may use each of them if it may use the one above.

    Raises ``OSError``, which names ``folder``, if something else is in the way.
    """
    for each in reversed([folder, *folder.parents]):
        if each.exists() and not each.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
        if not each.is_dir():
            each.mkdir(exist_ok=True)
            _let_the_group(each, _GROUP_FOLDER)


@contextlib.contextmanager
def replaced(old: Path, new: Path, aside: Path) -> Iterator[None]:
    """Put the folder ``new`` in the place of ``old``, which is moved to ``aside`` if it is there; all are on one file system.

    If the ``with`` block raises, each goes back to where it was. Raises ``OSError``.
    """
    with contextlib.ExitStack() as back:
        if old.exists():
            old.rename(aside)
            back.callback(aside.rename, old)
        new.rename(old)
        back.callback(old.rename, new)
        _let_the_group(old, _GROUP_FOLDER)
        yield
        back.pop_all()


def _let_the_group(made: Path, bits: int) -> None:
    """Give what was just made these bits, if its folder may be written by its group, but not by everybody."""
    if made.parent.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH) == stat.S_IWGRP:
        with contextlib.suppress(PermissionError):  # another process has just made it, and does this itself
            made.chmod(stat.S_IMODE(made.stat().st_mode) | bits)
