"""The first process of a kernel's namespaces: it makes the kernel's folder, forks the kernel, and ends when that ends.

    host → keeper   {"file": "data/a.csv", "mode": 420} + the file's descriptor       one packet a file
                    {"go": {"arguments": [...], "connection": {...}, ...}}            start: {"ready": true} or {"error": ...}
                    {"signal": 2}
    keeper → host   {"ended": -9, "log": ""}                                          when the kernel has ended, and then no more

When this process ends, the operating system ends all others in the namespace, so nothing of a notebook outlives its kernel.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from torchgrade.jail.inside import isolation, system_calls
from torchgrade.jail.inside.data import WORK

SOCKETS = Path("/run/kernel")
"""The place in the jail of the folder for the kernel's sockets."""
FOLDER = Path(WORK)
"""The kernel's working folder in the jail: copies of the files beside the notebook."""
_CHANNELS = 5
_START_SECONDS = 60.0
_DESCRIPTORS = 256
"""A number above every descriptor that the launcher can have open; none of those is for the notebook."""
_CONNECTION = Path("/tmp/kernel.json")  # noqa: S108 - the jail's own
_LOG = Path("/tmp/kernel.log")  # noqa: S108 - the jail's own


def run(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Take the files, start the kernel, and pass signals on until the kernel or the host is gone."""
    control = socket.socket(fileno=descriptors[0])
    for descriptor in descriptors[1:]:
        os.close(descriptor)
    try:
        isolation.private_mounts(request["limits"]["scratch"], {folder: folder for folder in request["keep"]})
        isolation.killed_before_others(500)
        kernel = _start(control, request["limits"])
        isolation.drop_privileges()
        isolation.hide_memory()
        while packet := control.recv(4096):
            # To the kernel and all processes that stayed in its group, as a terminal's Ctrl-C would.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(kernel, json.loads(packet)["signal"])
    except BaseException as error:  # noqa: BLE001 - it is reported to the host
        control.send(json.dumps({"error": str(error)[:1000] or type(error).__name__}).encode())
    finally:
        os._exit(0)


def _start(control: socket.socket, limits: dict[str, Any]) -> int:
    go = _take_files(control)
    _CONNECTION.write_text(json.dumps(go["connection"]), encoding="ascii")
    _mount_sockets(isolation._REMOUNT)  # noqa: SLF001 - private_mounts made it read-only
    log = os.open(_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    kernel = 0

    def reap(_number: int, _frame: object) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0] != 0:
                if ended[0] == kernel:
                    control.send(json.dumps({"ended": os.waitstatus_to_exitcode(ended[1]), "log": _last_line()}).encode())
                    os._exit(0)

    kernel = os.fork()
    if kernel == 0:
        try:
            control.close()
            _become_kernel(go, limits, log)
        finally:
            os._exit(1)
    os.close(log)
    signal.signal(signal.SIGCHLD, reap)
    reap(0, None)
    deadline = time.monotonic() + _START_SECONDS
    while sum(path.is_socket() for path in SOCKETS.iterdir()) < _CHANNELS:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the kernel did not open its sockets within {_START_SECONDS:g} s ({_last_line()})")
        time.sleep(0.005)
    # No cell has been sent yet. From here on the kernel can neither fill that folder nor replace a socket by a link.
    _mount_sockets(isolation._REMOUNT | isolation._READ_ONLY)  # noqa: SLF001
    control.send(json.dumps({"ready": True}).encode())
    return kernel


def _take_files(control: socket.socket) -> dict[str, Any]:
    """Copy the files that the host opened for reading into the kernel's folder, until its last message, which is returned."""
    FOLDER.mkdir()
    while True:
        packet, descriptors, _, _ = socket.recv_fds(control, 65_536, 1)
        if not packet:
            os._exit(0)
        message: dict[str, Any] = json.loads(packet)
        if "go" in message:
            go: dict[str, Any] = message["go"]
            return go
        try:
            _copy(descriptors[0], FOLDER / message["file"], message["mode"])
        except OSError as error:
            what = f"{message['file']} cannot be copied ({error.strerror})"
            raise RuntimeError(f"{what}: all files beside the notebook must fit into c.Limits.scratch_mb") from error


def _copy(descriptor: int, target: Path, mode: int) -> None:
    with os.fdopen(descriptor, "rb") as source:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
    target.chmod(mode)


def _mount_sockets(flags: int) -> None:
    libc, bind = isolation._libc, isolation._BIND  # noqa: SLF001 - the same system call, for one more mount
    flags |= bind | isolation._NO_SUID | isolation._NO_DEVICES  # noqa: SLF001
    isolation._must(libc.mount(None, bytes(SOCKETS), None, flags, None), f"cannot remount {SOCKETS}")  # noqa: SLF001


def _last_line() -> str:
    with contextlib.suppress(OSError):
        text = _LOG.read_bytes()[-2000:].decode("utf-8", "replace").strip()
        return text.splitlines()[-1][:500] if text else ""
    return ""


def _become_kernel(go: dict[str, Any], limits: dict[str, Any], log: int) -> None:
    """Give up all privileges, then do what ``python -m ipykernel_launcher`` does."""
    os.setsid()
    silence = os.open("/dev/null", os.O_RDONLY)
    for descriptor, target in ((silence, 0), (log, 1), (log, 2)):
        os.dup2(descriptor, target)
    os.closerange(3, _DESCRIPTORS)
    os.chdir(FOLDER)
    os.environ.update(go["environment"])
    isolation.killed_before_others()
    isolation.limit_resources({**limits, "address_space": False})
    isolation.drop_privileges()
    system_calls.refuse()
    isolation.show_memory()
    from ipykernel.kernelapp import IPKernelApp  # noqa: PLC0415 - already imported by the launcher
    from tornado.ioloop import IOLoop  # noqa: PLC0415 - likewise

    from torchgrade.compat.ipykernel import prints_over_a_unix_socket  # noqa: PLC0415 - likewise

    prints_over_a_unix_socket()
    sys.argv = ["ipykernel_launcher", "-f", str(_CONNECTION), *go["arguments"]]
    sys.path.insert(0, "")  # modules beside the notebook, as in any kernel
    application: Any = IPKernelApp.instance()
    application.initialize()
    if limits["address_space"]:
        # First in the loop, before any cell: the 600 MB that the kernel's own threads reserve, on paper, must not count as the
        # notebook's.
        IOLoop.current().add_callback(isolation.limit_address_space, limits["memory"])
    application.start()
