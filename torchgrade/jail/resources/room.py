"""How much memory and how many processes a warm worker and its sessions have together in their control group."""

from __future__ import annotations

from torchgrade.jail.bounds import Bounds
from torchgrade.jail.resources.cgroup import ControlGroup

CUDA_PAGES = 2 << 30
"""Bytes that CUDA and its libraries keep for themselves in a process's own memory: a generous estimate."""
_COPIED_PAGES = 256 << 20
_PROCESSES = 8
"""How many processes of the group are not a submission's: the warm worker, keepers, and what joins the group before them."""


class Room:
    """The limits of a control group, raised as sessions and data files need it; does nothing if there is no ``group``.

    Room that was made stays: a race's sessions live as long as the judge does, and a limit cannot be put below what is used.
    """

    def __init__(self, group: ControlGroup | None, bounds: Bounds, *, cuda: bool) -> None:
        self._group, self._bounds, self._cuda = group, bounds, cuda
        self.least = 0
        """Bytes for the warm worker and one session, before CUDA and data files."""
        self._given = 0

    def measure(self) -> None:
        """Find out how much the warm worker takes, now that everything is imported, and limit the group for the first time.

        Besides that, there is room for those of its pages that keeper, notebook process and check each copy as they touch them.
        So a submission that takes too much is stopped by its own process's limit first, with an error that it can read.
        """
        if self._group is not None:
            self.least = self._group.memory() + self._bounds.memory + 2 * self._bounds.scratch + _COPIED_PAGES
            self.make(1)

    def widen(self, taken: int) -> None:
        """Add ``taken`` bytes: what the warm worker has imported since it was measured."""
        if self._group is not None:
            self.least += max(0, taken)

    def make(self, sessions: int, *, data: int = 0) -> None:
        """Make room for this many sessions at a time and ``data`` bytes of files. With a GPU, each has its own pages of CUDA."""
        needed = self.least + data + (CUDA_PAGES * sessions if self._cuda else 0)
        if self._group is not None and needed > self._given:
            self._given = needed
            self._group.limit(memory=needed, processes=self._bounds.processes + _PROCESSES)
