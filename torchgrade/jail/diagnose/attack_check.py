"""The attacks on this machine's own jail in a short form: what ``torchgrade doctor --attack`` runs.

    plant secrets outside ──► a submission that looks for them, takes too much, stays behind ──► what of it got through

Everything is bounded, so that the machine survives even if a wall does not hold. Each line says which wall was tried, and what
the result means for a grading run on this machine.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import secrets
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from torchgrade.checks.faults import SandboxError, StudentFault
from torchgrade.jail.bounds import Bounds
from torchgrade.jail.wall import View, Wall
from torchgrade.jail.wall_choice import choose_wall


@dataclasses.dataclass(frozen=True, slots=True)
class Tried:
    """One attack: whether the wall held, which wall that is, and what was seen."""

    name: str
    held: bool
    wall: str
    detail: str = ""


def attack(hide: Path | None = None, *, wall: Wall | None = None) -> list[Tried]:
    """Attack a jail like that of a grading run, or ``wall``; ``hide`` is the course's folder. Takes about 10 s.

    If no jail can be made at all, the result is one line that says so.
    """
    from torchgrade.jail.worker import WarmWorker  # noqa: PLC0415 - imports torch

    wall = wall or choose_wall()
    bounds = Bounds(call_seconds=10.0, memory=256 << 20, scratch=16 << 20, processes=32, output=64 << 10)
    token = secrets.token_hex(16)
    with _planted(token, hide) as (hints, _):
        try:
            worker = WarmWorker(bounds, wall=wall, view=View(hide=(hide,) if hide is not None else ()))
            worker.wait_until_ready()
        except SandboxError as error:
            return [Tried("a jail", held=False, wall=wall.name, detail=str(error))]
        try:
            return _run(worker, hints, token)
        finally:
            worker.close()


def _run(worker: Any, hints: dict[str, Any], token: str) -> list[Tried]:
    tried = [_try_escape(worker, name, wall, hints, token) for name, wall in _ESCAPES.items()]
    tried += [_try_exhaustion(worker, name, wall, sign) for name, (wall, sign) in _EXHAUSTIONS.items()]
    _ask(worker, "leave_notes", hints)
    tried.append(_try_escape(worker, "notes_found", "mounts and IPC of each session's own", hints, token))
    return tried


def _ask(worker: Any, name: str, hints: dict[str, Any] | None = None, seconds: float = 10.0) -> Any:
    """Return what a function of the hostile submission answers, in a session of its own."""
    from torchgrade.jail.protocol.remote_student import Student  # noqa: PLC0415 - imports torch
    from torchgrade.jail.session import Session  # noqa: PLC0415

    source = Path(__file__).with_name("attack_probes.py").read_text(encoding="utf-8")
    with Session(worker, [{"number": 1, "grade_id": None, "source": source, "python": source}]) as session:
        student = Student(session.exchange, seed=0)
        with student.limit(seconds=seconds):
            return getattr(student, name)(*([] if hints is None else [hints]))


def _try_escape(worker: Any, name: str, wall: str, hints: dict[str, Any], token: str) -> Tried:
    """Make an attack that answers with a list of what it got; the list should be empty."""
    try:
        found = _ask(worker, name, hints)
    except (StudentFault, SandboxError) as error:
        return Tried(_title(name), held=isinstance(error, StudentFault), wall=wall, detail=str(error)[:200])
    detail = ", ".join(map(str, found))[:200].replace(token, "the planted secret")
    return Tried(_title(name), held=not found, wall=wall, detail=detail)


def _try_exhaustion(worker: Any, name: str, wall: str, sign: str) -> Tried:
    """Make an attack that takes without end; it must be ended in the way that this wall has."""
    try:
        said = str(_ask(worker, name, seconds=1.0 if name == "loop_without_end" else 10.0))
    except (StudentFault, SandboxError) as error:
        said = str(error)
    return Tried(_title(name), held=re.search(sign, said) is not None, wall=wall, detail=said[:200])


def _title(name: str) -> str:
    return name.replace("_", " ")


@contextlib.contextmanager
def _planted(token: str, hide: Path | None) -> Iterator[tuple[dict[str, Any], Path]]:
    """Plant secrets on this machine: in a file, in the environment, behind a port and an abstract socket."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        file = Path(folder, "secret")
        file.write_text(token, encoding="ascii")
        threading.Thread(target=_tell, args=(listener, token), daemon=True).start()
        os.environ["TORCHGRADE_PLANTED"] = token
        folders = [Path.home(), *([hide] if hide is not None else [])]
        places = [str(file), *(str(path) for folder in folders for path in sorted(folder.glob("*"))[:50] if path.is_file())]
        try:
            yield {"places": places, "port": listener.getsockname()[1], "judge": os.getpid(), "token": token}, file
        finally:
            del os.environ["TORCHGRADE_PLANTED"]


def _tell(listener: socket.socket, token: str) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(token.encode())


_ESCAPES = {
    "files_read": "the file system of the jail",
    "environment_read": "a cleared environment",
    "network_reached": "network namespace, seccomp",
    "processes_seen": "PID namespace",
    "memory_read": "undumpable processes, seccomp",
    "places_written": "read-only mounts",
    "privileges_gained": "no capabilities, no user namespaces, seccomp",
    "kernel_doors_open": "seccomp",
    "keeper_harmed": "seccomp, PID namespace",
}
_EXHAUSTIONS = {
    "fork_without_end": ("limit on processes, for the tree", "Resource temporarily unavailable"),
    "take_memory_alone": ("memory limit of a process", "MemoryError"),
    "take_memory_together": ("memory limit of the tree, by control group", "ended by the kernel|out of memory|SIGKILL"),
    "loop_without_end": ("deadlines on the judge's clock", "did not answer"),
    "fill_the_disk": ("bounded /tmp and /dev/shm", "No space left"),
}
