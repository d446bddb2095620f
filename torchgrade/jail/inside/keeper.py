"""The first process of a session's namespaces. It never runs a student's code; when it ends, the kernel ends all others.

Between two checks, the judge asks it whether the session is as it was after the cells ran: whether any process is left over, and
whether any file is new, gone or changed. It answers JSON packets:

    {"do": "remember"}  →  {}                                                  what is there now is how it should be
    {"do": "look"}      →  {"processes": 0, "files": false, "notebook": null}    notebook: its exit status, if it ended
"""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path
from typing import Any, NoReturn

from torchgrade.jail.inside import isolation
from torchgrade.jail.inside.data import WORK, places

_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108 - the jail's own
_MOST_FILES = 5_000


def run(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Set the session up, fork the notebook's process, then answer the judge until it closes the socket."""
    control = socket.socket(fileno=descriptors[0])
    try:
        if request["jailed"]:
            keep = {folder: folder for folder in request["keep"]} | places(request["data"])
            isolation.private_mounts(request["limits"]["scratch"], keep)
            Path(WORK).mkdir(exist_ok=True)
            isolation.killed_before_others(500)  # its end is the session's; the warm worker's would be the judge's
        else:
            os.setsid()
        ended: dict[int, int] = {}
        notebook = os.fork()
        if notebook == 0:
            control.close()
            _run_notebook(request, descriptors)
        _watch_children(ended)
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        if request["jailed"]:
            isolation.drop_privileges()
        isolation.hide_memory()
        _serve(control, notebook, ended, set(keep.values()) if request["jailed"] else None)
    except BaseException as error:  # noqa: BLE001 - the judge is told
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"[:1000]}).encode())
    finally:
        os._exit(0)


def _run_notebook(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    from torchgrade.jail.inside import notebook_process  # noqa: PLC0415 - the warm worker has imported it already

    try:
        notebook_process.run(request, notebook_socket=descriptors[1], output=descriptors[2])
    finally:
        os._exit(0)


def _watch_children(ended: dict[int, int]) -> None:
    def reap(_number: int, _frame: object) -> None:
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                ended[pid] = os.waitstatus_to_exitcode(status)
                while len(ended) > 1000:  # noqa: PLR2004 - a fork bomb's orphans
                    ended.pop(next(iter(ended)))
        except ChildProcessError:
            return

    signal.signal(signal.SIGCHLD, reap)
    reap(0, None)


def _serve(control: socket.socket, notebook: int, ended: dict[int, int], keep: set[str] | None) -> None:
    """Answer the judge; ``keep`` are the entries of the scratch folders that nobody can change, ``None`` without a jail."""
    remembered = None
    while packet := control.recv(4096):
        answer: dict[str, Any] = {}
        if json.loads(packet)["do"] == "remember":
            remembered = _files(keep) if keep is not None else None
        else:
            answer = {
                "processes": _others(notebook) if keep is not None else 0,
                "files": keep is not None and remembered != _files(keep),
                "notebook": ended.get(notebook),
            }
        control.send(json.dumps(answer).encode())


def _others(notebook: int) -> int:
    """How many processes there are besides this one and the notebook's."""
    return sum(
        1
        for name in (path.name for path in Path("/proc").iterdir())
        if name.isdigit() and int(name) not in (1, notebook) and _alive(name)
    )


def _alive(name: str) -> bool:
    try:
        stat = Path(f"/proc/{name}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[:1] != ["Z"]


def _files(keep: set[str]) -> list[tuple[Any, ...]]:
    """Every entry of the scratch folders, with size and time of change; for too many, something that never equals itself."""
    found: list[tuple[Any, ...]] = []
    folders = list(_SCRATCH)
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:
            continue
        for entry in entries:
            if len(found) > _MOST_FILES:
                return [(object(),)]
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if entry.path in keep:
                continue
            found.append((entry.path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
    return sorted(found)
