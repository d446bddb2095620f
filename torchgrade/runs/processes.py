"""Pools of processes, forked from one that has imported what they need; they end with the run that made them, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import connection

from pebble import ProcessPool

from torchgrade.compat.pebble import steady_clock


def new_pool(workers: int, start: Callable[..., None], arguments: tuple[object, ...]) -> ProcessPool:
    """Pebble's pool of so many processes; each begins with ``start(*arguments)``, which calls :func:`settle`."""
    steady_clock()
    return ProcessPool(
        max_workers=workers,
        context=multiprocessing.get_context("forkserver"),
        initializer=start,
        initargs=arguments,
    )


def settle() -> None:
    """In a new process of a pool: leave Ctrl-C to the run, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_run, daemon=True).start()


def _end_with_the_run() -> None:
    """End this process once the one that asked for it is gone, killed perhaps; a jail ends with the process that has it."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - this is a process of a pool
    connection.wait([parent.sentinel])
    os._exit(1)
