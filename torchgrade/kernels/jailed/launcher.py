"""Imports ipykernel once, then forks a kernel whenever the host asks. It never runs a notebook's code itself.

Started as ``python -m torchgrade.kernels.jailed.launcher FD MODULE...`` in the jail, with the modules to import beforehand. It
answers what the host's side of a warm worker asks, as :mod:`torchgrade.sandbox.jailed.warm` does for submissions:

    {"do": "start", "limits": {...}, "keep": [...]}  + 3 descriptors, the keeper's first  →  {"pid": 12}
    {"do": "end", "pid": 12}                                                             →  {}   once all of it is gone
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import socket
import sys
from typing import Any

from torchgrade.kernels.jailed import keeper
from torchgrade.sandbox.jailed import isolation, warm


def main() -> None:
    """Import, say so, serve until the host closes the socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    # What ipykernel says too, but too late for a matplotlib that is imported here.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    try:
        for module in ("ipykernel.kernelapp", "torchgrade.kernels.jailed.prints", *sys.argv[2:]):
            importlib.import_module(module)
        isolation.become_subreaper()
        isolation.hide_memory()
    except BaseException as error:
        _reply(control, {"error": f"{type(error).__name__}: {error}"[:2000]})
        raise
    gc.collect()
    gc.freeze()  # the collector of a fork leaves these pages alone, so they stay shared
    _reply(control, {"ready": True})
    while True:
        packet, descriptors, _, _ = socket.recv_fds(control, 65_536, 8)
        if not packet:
            os._exit(0)
        request = json.loads(packet)
        if request["do"] == "start":
            _reply(control, _start(request, descriptors, control))
        else:
            warm._end(request["pid"])  # noqa: SLF001 - a kernel's session ends as any other does
            _reply(control, {})


def _start(request: dict[str, Any], descriptors: list[int], control: socket.socket) -> dict[str, Any]:
    """Fork the keeper and return its number here. The process between makes the namespaces it is born into."""
    read, write = os.pipe()
    between = os.fork()
    if between == 0:
        try:
            control.close()
            os.close(read)
            isolation.new_namespaces()
            if pid := os.fork():
                os.write(write, json.dumps({"pid": pid}).encode())
            else:
                os.close(write)
                keeper.run(request, descriptors)
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
    reply: dict[str, Any] = json.loads(answer) if answer else {"error": "the kernel's keeper did not start"}
    return reply


def _reply(control: socket.socket, message: dict[str, Any]) -> None:
    control.send(json.dumps(message).encode())


if __name__ == "__main__":
    main()
