"""The limits of one submission: time, memory, files, processes, output."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """The most that one submission may take, in seconds, bytes and numbers."""

    call_seconds: float = 10.0
    cells_seconds: float = 10.0
    memory: int = 1 << 30
    scratch: int = 64 << 20
    processes: int = 64
    open_files: int = 256
    output: int = 256 << 10
    answer: int = 256 << 20
    cpu_seconds: float = 600.0
    gpu_memory: int = 4 << 30
    address_space: bool = True

    def for_session(self) -> dict[str, Any]:
        """Return the limits that a session applies to itself before any cell runs."""
        return {
            "memory": self.memory,
            "scratch": self.scratch,
            "processes": self.processes,
            "open_files": self.open_files,
            "cpu_seconds": self.cpu_seconds,
            "address_space": self.address_space,
            "file_size": max(self.scratch, self.answer),
        }
