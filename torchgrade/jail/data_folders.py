"""The data files that are already behind the wall: sent once, however many sessions read them."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, NamedTuple

from torchgrade.checks.faults import SandboxError
from torchgrade.jail.resources.room import Room
from torchgrade.jail.warm_process import WarmProcess

if TYPE_CHECKING:
    from torchgrade.notebook import DataFiles


class _DataFolder(NamedTuple):
    """Where the warm worker has some data files, and how many bytes of its memory they take."""

    path: str
    size: int


class DataFolders:
    """Folders below ``above`` behind the wall, each with one assignment's data files, by the digest of those."""

    def __init__(self, process: WarmProcess, room: Room, above: str) -> None:
        self._process, self._room, self._above = process, room, above
        self._known: dict[str, _DataFolder] = {}
        self._numbers = itertools.count(1)

    @property
    def size(self) -> int:
        """The bytes of memory that all of them take."""
        return sum(folder.size for folder in self._known.values())

    def folder_for(self, data: DataFiles | None, *, instead: bool) -> str | None:
        """Return where the files of ``data`` are, after sending them if necessary; ``None`` if there are none.

        New files replace all others if ``instead`` says that nobody is reading those. Raises :class:`SandboxError`, and
        ``NotebookError`` if a file has changed in the meantime.
        """
        if data is None or not data.files:
            return None
        if (known := self._known.get(data.digest)) is not None:
            return known.path
        memory, head = data.pack()
        path = f"{self._above}/data-{next(self._numbers)}"
        removed = [old.path for old in self._known.values()] if instead else []
        if instead:
            self._known.clear()
        self._known[data.digest] = _DataFolder(path, data.size)
        try:
            self._room.make(1, data=self.size)
            request = {"do": "data", "folder": path, "head": head, "instead": removed}
            answer = self._process.ask("take the data files", request, [memory])
        finally:
            os.close(memory)
        if why := answer.get("error"):
            del self._known[data.digest]
            raise SandboxError(f"the files beside the notebook could not be put into the jail: {why}")
        return path
