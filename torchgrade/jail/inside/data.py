"""The assignment's data files inside the jail: written once by the warm worker, then bound, read-only, into each session.

    memory that the judge packed ──► unpack ──► a folder that no session can see ──► each session's own folder, entry by entry

Whatever is bound can be neither changed nor removed nor put aside, whatever else the student's code may do there.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

WORK = "/tmp/notebook"  # noqa: S108 - the jail's own
"""Where a session's code runs, in the jail: its own folder, with the data files in it."""
_CHUNK = 1 << 20


def unpack(folder: str, head: int, descriptor: int, instead: list[str]) -> None:
    """Write the files that the descriptor's memory holds (``head`` bytes of names and sizes, then contents) to a new folder.

    The folders in ``instead`` are removed first. Raises ``OSError`` if there is no room.
    """
    for old in instead:
        shutil.rmtree(old, ignore_errors=True)
    with os.fdopen(descriptor, "rb") as memory:
        memory.seek(0)
        for name, size in json.loads(memory.read(head)):
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                left = size
                while left and (piece := memory.read(min(_CHUNK, left))):
                    file.write(piece)
                    left -= len(piece)
            path.chmod(0o444)


def places(folder: str | None) -> dict[str, str]:
    """Return the paths to bind, by source, so that what is in ``folder`` is in :data:`WORK`; subfolders are bound as a whole."""
    return {} if folder is None else {str(path): f"{WORK}/{path.name}" for path in Path(folder).iterdir()}
