"""A warm process's loop: it has imported what takes long, and forks a keeper whenever the host asks. It runs no code handed in.

Requests are JSON packets on its descriptor:

    {"do": "import", "modules": ["torch._dynamo"]}                                              →  {}   in each later fork
    {"do": "start", "limits": {...}, "jailed": true, ...}  + 3 descriptors, the keeper's first  →  {"pid": 12}
    {"do": "end", "pid": 12}                                                                   →  {}   once all of it is gone
    {"do": "data", "folder": "/tmp/data-1", "head": 24, "instead": []}  + 1 descriptor         →  {}   once the files lie there
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
from collections.abc import Callable
from typing import Any, NoReturn

from torchgrade.jail.inside import isolation
from torchgrade.jail.inside.data import unpack

Keeper = Callable[[dict[str, Any], list[int]], NoReturn]


def serve(descriptor: int, warm_up: Callable[[], Keeper]) -> NoReturn:
    """Warm up, report that, and fork and end keepers until the host closes the socket."""
    control = socket.socket(fileno=descriptor)
    try:
        keeper = warm_up()
        isolation.become_subreaper()
        isolation.hide_memory()
    except BaseException as error:
        _reply(control, {"error": f"{type(error).__name__}: {error}"[:2000]})
        raise
    _share_pages()
    _reply(control, {"ready": True})
    while True:
        packet, descriptors, _, _ = socket.recv_fds(control, 65_536, 8)
        if not packet:
            os._exit(0)  # Python's own clearing up after torch takes a while
        request = json.loads(packet)
        if request["do"] == "start":
            _reply(control, _start(request, descriptors, control, keeper))
        elif request["do"] == "import":
            for module in request["modules"]:
                importlib.import_module(module)
            _share_pages()
            _reply(control, {})
        elif request["do"] == "data":
            _reply(control, _unpack(request, descriptors[0]))
        else:
            _end(request["pid"])
            _reply(control, {})


def _share_pages() -> None:
    gc.collect()
    gc.freeze()  # the collector of a fork leaves these pages alone, so they stay shared


def _start(request: dict[str, Any], descriptors: list[int], control: socket.socket, keeper: Keeper) -> dict[str, Any]:
    """Fork the keeper and return its number here. The process in between makes the namespaces that it is born into."""
    read, write = os.pipe()
    between = os.fork()
    if between == 0:
        try:
            control.close()
            os.close(read)
            if request["jailed"]:
                isolation.new_namespaces()
            if pid := os.fork():
                os.write(write, json.dumps({"pid": pid}).encode())
            else:
                os.close(write)
                keeper(request, descriptors)
        except BaseException as error:  # noqa: BLE001 - reported to the host
            os.write(write, json.dumps({"error": str(error)[:1000]}).encode())
        finally:
            os._exit(0)
    os.close(write)
    for descriptor in descriptors:
        os.close(descriptor)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(between, 0)
    reply: dict[str, Any] = json.loads(answer) if answer else {"error": "the keeper of the session did not start"}
    return reply


def _unpack(request: dict[str, Any], descriptor: int) -> dict[str, Any]:
    try:
        unpack(request["folder"], request["head"], descriptor, request["instead"])
    except OSError as error:
        return {"error": f"{type(error).__name__}: {error}"[:1000]}
    return {}


def _end(pid: int) -> None:
    """End the keeper and, with it (as the first process of its namespaces), all of the session; wait until all are gone."""
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
