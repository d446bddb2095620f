"""One run of an assignment at a time, whoever starts it: the next run says what it is waiting for, and then goes on.

    command ──► results/.run-<assignment>.lock: a lock of the kernel, which ends with its process
                            └── and in the file, for those that wait: process, machine, since when

nbgrader's own autograde does not wait: it grades one submission after the other, and writes each record and each mark whole.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import platform
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType

from filelock import lock_descriptor

from torchgrade.errors import cannot
from torchgrade.files import MARKS, NO_LOCKS_HERE, make_folder, open_shared
from torchgrade.record import RecordError

LOOK_SECONDS = 0.2
"""How soon a waiting run sees that its turn has come, or that it should end, in seconds."""


@contextlib.contextmanager
def turn(
    results: Path, assignments: Iterable[str], *, tell: Callable[[str], None], stop: Callable[[], bool] = lambda: False
) -> Iterator[bool]:
    """Wait until no other run of these assignments is left, and keep others waiting for the length of the block.

    ``tell`` gets a line that says what we wait for, and one when the wait is over. Gives ``False`` if ``stop()`` became true
    before our turn; then the block must do nothing. Raises :class:`RecordError` if the file of a lock cannot be opened.
    """
    with contextlib.ExitStack() as ours:
        # Always in the same order, so that two runs of the same assignments never wait for each other.
        for assignment in sorted(set(assignments)):
            if not _taken(ours, results / f".run-{assignment}.lock", assignment, tell, stop):
                ours.close()
                yield False
                return
        yield True


def _taken(
    ours: contextlib.ExitStack, path: Path, assignment: str, tell: Callable[[str], None], stop: Callable[[], bool]
) -> bool:
    with cannot(f"open {path}", RecordError, then="Nothing was graded."):
        make_folder(path.parent)
        descriptor = open_shared(path, os.O_RDWR | os.O_CREAT, MARKS)
    ours.callback(os.close, descriptor)  # gives the lock back, as the end of this process would
    waited = False
    while not _lock(descriptor, path, tell):
        if stop():
            return False
        if not waited:
            tell(f"{assignment} is being graded by {_holder(path)}; waiting for it (Ctrl-C ends the waiting)")
            waited = True
        time.sleep(LOOK_SECONDS)
    if waited:
        tell(f"{assignment}: the other run has ended, going on")
    _sign(descriptor)
    return True


def _lock(descriptor: int, path: Path, tell: Callable[[str], None]) -> bool:
    try:
        return lock_descriptor(descriptor, blocking=False)
    except OSError as error:
        if error.errno not in NO_LOCKS_HERE:
            raise RecordError(f"cannot lock {path}: {error.strerror or error}. Nothing was graded.") from error
        tell(f"{path.parent} cannot keep two runs apart ({error.strerror}): start one at a time")
    return True


def _sign(descriptor: int) -> None:
    """Write who we are, for runs that wait. The lock holds without it, too, for example on a full disk."""
    since = dt.datetime.now().astimezone().isoformat(timespec="seconds")
    text = json.dumps({"process": os.getpid(), "host": platform.node(), "since": since})
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode("ascii"), 0)


def _holder(path: Path) -> str:
    try:
        facts = json.loads(path.read_bytes())
        since = dt.datetime.fromisoformat(facts["since"])
        return f"process {int(facts['process'])} on {str(facts['host'])[:80]!r} since {since:%Y-%m-%d %H:%M:%S}"
    except (OSError, ValueError, KeyError, TypeError):  # it has the lock, but has not written who it is yet
        return "another run"


# ---- Ctrl-C: the first asks for an orderly end, the second ends at once


@contextlib.contextmanager
def first_signal(finish: Callable[[], None]) -> Iterator[list[int]]:
    """Within the block the first SIGINT or SIGTERM calls ``finish``; the next one is a :class:`KeyboardInterrupt`.

    Gives the list of the signals that came. It works only in a program's main thread, as Python requires.
    """
    came: list[int] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt
        finish()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
