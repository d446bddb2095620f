"""How long what failed through our own fault is left alone: so that a bug costs little, and a busy moment is soon over.

A minute after the first failure, twice as long after each further one, two hours at most; not at all once something has
changed on which it rests.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from torchgrade.course import Submission

FIRST, MOST = dt.timedelta(minutes=1), dt.timedelta(hours=2)
ENOUGH = 8
"""After so many failures in a row it waits :data:`MOST`; more of them need not be counted."""


def rests(failures: Sequence[dt.datetime], at: dt.datetime) -> bool:
    """Return whether what failed at these times in a row, oldest first, is left alone still; not if the clock was set back."""
    if not failures:
        return False
    pause: dt.timedelta = min(FIRST * 2 ** min(len(failures) - 1, ENOUGH), MOST)
    return failures[-1] <= at < failures[-1] + pause


class Patience:
    """The failures in this process that have left no trace elsewhere, with what they rested on."""

    def __init__(self) -> None:
        self._failed: dict[Submission, tuple[object, list[dt.datetime]]] = {}

    def failed(self, submission: Submission, basis: object, at: dt.datetime) -> None:
        """Note a failure, of which ``basis`` says what it rested on."""
        known, times = self._failed.get(submission, (basis, []))
        self._failed[submission] = basis, [*(times if known == basis else ()), at]

    def waits(self, submission: Submission, basis: Callable[[Submission], object], at: dt.datetime) -> bool:
        """Return whether it failed, as it is now, so lately that it is left alone; ``basis`` is asked only then."""
        if submission not in self._failed:
            return False
        known, times = self._failed[submission]
        return rests(times, at) and known == basis(submission)
