"""Python's fork server, which a Ctrl-C in a terminal reaches too: during its imports, that would end it with a traceback."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Sequence
from multiprocessing import forkserver, synchronize
from types import TracebackType


def start_fork_server(preload: Sequence[str]) -> None:
    """Start it with these modules imported, unless it already runs; it and its forks leave Ctrl-C to this process."""
    multiprocessing.set_forkserver_preload([__name__, *preload])
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set what a signal does
        forkserver.ensure_running()
        return
    # A signal that is ignored stays ignored in a program that is started.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, before)


def _leave_out_lost_runs(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    """Print why a process could not be started, unless the run that asked for it has ended, and its locks with it."""
    last = where
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if kind is FileNotFoundError and last is not None and last.tb_frame.f_code.co_filename == synchronize.__file__:
        return
    sys.__excepthook__(kind, error, where)


if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):
    sys.excepthook = _leave_out_lost_runs
