"""A clock that does not jump, for pebble, which uses the wall clock to tell whether a task has run too long.

If somebody, or a time server, set the machine's clock forward, every task in flight would be ended and reported as one that
hangs.
"""

from __future__ import annotations

import time
from types import SimpleNamespace

from pebble.pool import process

_STEADY = SimpleNamespace(**{**vars(time), "time": time.monotonic})


def steady_clock() -> None:
    """Make pebble's pools of processes measure by the monotonic clock, from now on in this process."""
    vars(process)["time"] = _STEADY
