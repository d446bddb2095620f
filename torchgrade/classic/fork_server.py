"""The process that workers are forked from. It imports what they need while the run itself imports what the run needs.

Nothing slow is imported here, so that it can be started before anything else.
"""

from __future__ import annotations

from torchgrade.compat import forkserver


def start_fork_server() -> None:
    """Start the fork server, unless it is already running."""
    forkserver.start_fork_server(["torchgrade.classic.execute", "torchgrade.runs.pool"])
