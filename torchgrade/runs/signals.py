"""The first Ctrl-C asks for an orderly end, the second one ends at once."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def first_signal(finish: Callable[[], None]) -> Iterator[list[int]]:
    """Within the block the first SIGINT or SIGTERM calls ``finish``; the next one is a :class:`KeyboardInterrupt`.

    Gives the list of the signals that came. Only in a program's main thread, as Python demands.
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
