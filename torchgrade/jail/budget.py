"""How long one submission may keep the judge waiting in all."""

from __future__ import annotations

from torchgrade.checks.faults import TimedOut


class TimeBudget:
    """Seconds that are spent while the judge waits; up to ``ours`` of them can be given back, as the judge's own."""

    def __init__(self, seconds: float, *, ours: float = 0.0) -> None:
        self.left = seconds
        self._seconds, self._ours = seconds, ours

    def require(self) -> float:
        """Return the seconds that are left; raise :class:`TimedOut` if there are none."""
        if self.left <= 0:
            raise TimedOut(f"The submission used up its {self._seconds:g} s; this was not run any more.")
        return self.left

    def spend(self, seconds: float) -> None:
        """Take these seconds from what is left."""
        self.left -= seconds

    def give_back(self, seconds: float) -> None:
        """Count seconds that were spent as the judge's own, as far as its share goes."""
        taken = min(seconds, self._ours)
        self.left += taken
        self._ours -= taken
