"""The process that workers are forked from, which imports what they need while the run itself imports what it needs.

Nothing slow is imported here, so that it can be started first of all.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing import forkserver


def start_fork_server() -> None:
    """Start it, unless it runs already."""
    multiprocessing.set_forkserver_preload(["torchgrade.classic.execute", "torchgrade.runs.processes"])
    forkserver.ensure_running()
