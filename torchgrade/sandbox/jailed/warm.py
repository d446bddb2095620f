"""The warm worker: imports torch once, then forks a session whenever the judge asks. It never runs a student's code.

Started as ``python -m torchgrade.sandbox.jailed.warm FD`` in the jail. Requests are JSON packets on descriptor FD:

    {"do": "start", "limits": {...}, "jailed": true}  + 3 descriptors (keeper, home, output)  →  {"pid": 12}
    {"do": "end", "pid": 12}                                                                  →  {}   once all of it is gone
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
from typing import Any


def main() -> None:
    """Warm up, say so, serve until the judge closes the socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    try:
        _warm_up()
        from torchgrade.sandbox.jailed import isolation  # noqa: PLC0415 - a failure must reach the judge as text

        isolation.become_subreaper()
        isolation.hide_memory()
    except BaseException as error:
        _reply(control, {"error": f"{type(error).__name__}: {error}"[:2000]})
        raise
    _reply(control, {"ready": True})
    while True:
        packet, descriptors, _, _ = socket.recv_fds(control, 65_536, 8)
        if not packet:
            os._exit(0)  # Python's own clearing up after torch takes a while
        request = json.loads(packet)
        if request["do"] == "start":
            _reply(control, _start(request, descriptors, control))
        else:
            _end(request["pid"])
            _reply(control, {})


def _warm_up() -> None:
    """Import what submissions use, and touch what is set up at first use. One thread: a fork copies no others."""
    import torch  # noqa: PLC0415
    import torch.utils.data  # noqa: PLC0415

    from torchgrade.sandbox.jailed import home, serve  # noqa: F401, PLC0415 - forks then have them

    torch.set_num_threads(1)
    serve.rehearse()
    gc.collect()
    gc.freeze()  # the collector of a fork leaves these pages alone, so they stay shared


def _start(request: dict[str, Any], descriptors: list[int], control: socket.socket) -> dict[str, Any]:
    """Fork the session's keeper and return its number here. The process between makes the namespaces it is born into."""
    read, write = os.pipe()
    between = os.fork()
    if between == 0:
        try:
            control.close()
            os.close(read)
            _fork_keeper(request, descriptors, write)
        except BaseException as error:  # noqa: BLE001 - reported to the judge
            os.write(write, json.dumps({"error": str(error)[:1000]}).encode())
        finally:
            os._exit(0)
    os.close(write)
    for descriptor in descriptors:
        os.close(descriptor)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(between, 0)
    reply: dict[str, Any] = json.loads(answer) if answer else {"error": "the session's keeper did not start"}
    return reply


def _fork_keeper(request: dict[str, Any], descriptors: list[int], write: int) -> None:
    from torchgrade.sandbox.jailed import isolation, keeper  # noqa: PLC0415

    if request["jailed"]:
        isolation.new_namespaces()
    pid = os.fork()
    if pid:
        os.write(write, json.dumps({"pid": pid}).encode())
        return
    os.close(write)
    keeper.run(request, descriptors)


def _end(pid: int) -> None:
    """End the keeper, and with it (its namespaces' first process) every process of the session; wait until all are gone."""
    for end in (os.killpg, os.kill):  # an unjailed session is a process group
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    with contextlib.suppress(ChildProcessError):  # orphans of an unjailed session
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _reply(control: socket.socket, message: dict[str, Any]) -> None:
    control.send(json.dumps(message).encode())


if __name__ == "__main__":
    main()
