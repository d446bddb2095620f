"""How much of a GPU's memory each process holds, as ``nvidia-smi`` tells it: seen from outside, whatever the processes say.

    judge ── asks in the background, at most once a second ──► nvidia-smi ──► bytes by process number

The driver uses the machine's own process numbers. In a container with numbers of its own, nobody can tell which process is which,
and nothing is reported here: then the limit is the one that torch's allocator keeps in the submission's own process.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from torchgrade.jail.resources.gpu import Gpu

_EVERY_SECONDS = 1.0
_FIRST_NAMESPACE = 0xEFFF_FFFC  # PROC_PID_INIT_INO, include/linux/proc_ns.h


class GpuMemory:
    """Asks about one GPU."""

    def __init__(self, gpu: Gpu) -> None:
        self._command = command_for(gpu)
        self.is_known = bool(self._command)
        """True if there is a program to ask on this machine."""
        self._asking: subprocess.Popen[str] | None = None
        self._asked = float("-inf")
        self._held: dict[int, int] = {}

    def held(self) -> dict[int, int]:
        """Bytes by process, as of the last answer. Does not wait: a later call sees the answer to what this one asks."""
        if self._asking is not None and self._asking.poll() is not None:
            answer, _ = self._asking.communicate()
            self._held = _read(answer) if self._asking.returncode == 0 else {}
            self._asking = None
        if self._command and self._asking is None and time.monotonic() - self._asked >= _EVERY_SECONDS:
            self._asked = time.monotonic()
            self._asking = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        return self._held

    def close(self) -> None:
        """End a question that is under way."""
        if self._asking is not None:
            with self._asking:  # which closes its output, and waits for it
                self._asking.kill()
            self._asking = None
        self._command = []


def command_for(gpu: Gpu) -> list[str]:
    """The question to ``nvidia-smi``; empty if there is no such program, or if its numbers are not ours."""
    program = shutil.which("nvidia-smi")
    if program is None or not _numbers_are_the_machines():
        return []
    return [program, f"--id={gpu.name}", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]


def _numbers_are_the_machines() -> bool:
    try:
        return Path("/proc/self/ns/pid").stat().st_ino == _FIRST_NAMESPACE
    except OSError:
        return False


def _read(text: str) -> dict[int, int]:
    """``pid, MiB`` lines; what the driver does not tell (``[N/A]``) is left out."""
    held: dict[int, int] = {}
    for line in text.splitlines():
        pid, _, used = (word.strip() for word in line.partition(","))
        if pid.isdigit() and used.isdigit():
            held[int(pid)] = held.get(int(pid), 0) + (int(used) << 20)
    return held
