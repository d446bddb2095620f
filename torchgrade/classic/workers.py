"""Processes that run notebooks: each keeps a jail from one notebook to the next, and ends with the run that made it.

paths of notebooks ──► pebble's pool ──► ExecuteInJail in a worker ──► the same notebooks with outputs, as text
"""

from __future__ import annotations

import os
import shutil
import tempfile
from concurrent.futures import Future
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Self

import nbformat

from torchgrade.classic.fork_server import start_fork_server
from torchgrade.course import Course, find_course
from torchgrade.runs.processes import new_pool, settle

_SPARE_SECONDS = 120.0
_course: Course | None = None


class Workers:
    """So many at a time; a worker that dies or hangs costs the notebooks it had, and is replaced."""

    def __init__(self, course: Course, number: int) -> None:
        self._course = course
        # Where the workers' jails have their sockets, so that those of one that was ended are removed too.
        self._folder = tempfile.mkdtemp(prefix="tg-")
        start_fork_server()
        self._pool = new_pool(number, _start, (course.root, self._folder))

    def run(self, notebooks: list[Path]) -> Future[dict[str, str]]:
        """Run one student's notebooks, one after the other; gives the text of each with its outputs, by name."""
        seconds = len(notebooks) * (self._course.limits.submission_seconds + _SPARE_SECONDS)
        future: Future[dict[str, str]] = self._pool.schedule(_run, args=(notebooks,), timeout=seconds)
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Let them end by themselves where all is done, and end them otherwise."""
        if kind is None:
            self._pool.close()
        else:
            self._pool.stop()
        self._pool.join()
        shutil.rmtree(self._folder, ignore_errors=True)


def _start(root: Path, folder: str) -> None:
    global _course  # noqa: PLW0603 - one course a process
    tempfile.tempdir = folder
    settle()
    from torchgrade.kernels.jail import close_idle_jails  # noqa: PLC0415 - the run itself needs none

    Finalize(None, close_idle_jails, exitpriority=10)  # atexit is for processes that were not forked
    _course = find_course(root)


def _run(notebooks: list[Path]) -> dict[str, str]:
    from torchgrade.classic.execute import ExecuteInJail  # noqa: PLC0415 - slow, and the run itself runs nothing

    assert _course is not None  # noqa: S101 - _start ran first
    os.environ["NBGRADER_EXECUTION"] = "autograde"
    executed = {}
    for path in notebooks:
        notebook = nbformat.read(path, as_version=4)
        step = ExecuteInJail(config=_course.config)
        notebook, _ = step.preprocess(notebook, {"metadata": {"path": str(path.parent)}})
        executed[path.stem] = nbformat.writes(notebook)
    return executed
