"""A submission's printed output: read so that it never blocks, kept up to a limit, and turned into plain text."""

from __future__ import annotations

import os


class Output:
    """The reading end of a submission's standard output and error."""

    def __init__(self, descriptor: int, limit: int) -> None:
        self.descriptor = descriptor
        os.set_blocking(descriptor, False)
        self._limit = limit
        self._kept = bytearray()
        self.size = 0

    def read(self) -> bool:
        """Take what is there; false once the limit is passed. Never waits, not even for the end of the output."""
        for _ in range(16):  # a flood must not keep the judge from looking at its clock
            try:
                chunk = os.read(self.descriptor, 65_536)
            except BlockingIOError:
                break
            if not chunk:
                break
            self.size += len(chunk)
            self._kept += chunk[: max(0, self._limit - len(self._kept))]
        return self.size <= self._limit

    @property
    def text(self) -> str:
        """Return what was printed, up to the limit; bytes that are not UTF-8 are replaced."""
        return self._kept.decode("utf-8", "replace")

    def close(self) -> None:
        """Close the reading end."""
        os.close(self.descriptor)
