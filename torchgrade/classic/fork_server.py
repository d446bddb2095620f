"""The process that workers are forked from, which imports what they need while the run itself imports what it needs.

Nothing slow is imported here, so that it can be started first of all.
"""

from __future__ import annotations

from torchgrade.compat import forkserver


def start_fork_server() -> None:
    """Start it, unless it runs already."""
    forkserver.start_fork_server(["torchgrade.classic.execute", "torchgrade.runs.pool"])
