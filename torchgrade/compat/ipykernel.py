"""The output of a kernel's forked processes, without the network.

ipykernel makes its forks (those of multiprocessing, for example) send what they print to a TCP port of the kernel. The jail's
filter of system calls does not allow such sockets, and libzmq ends a process that asks for one. A Unix socket does the same job.
"""

from __future__ import annotations

import os
from typing import Any

import zmq
from ipykernel.iostream import IOPubThread
from zmq.eventloop.zmqstream import ZMQStream

_ADDRESS = "ipc:///tmp/kernel-prints"


def prints_over_a_unix_socket() -> None:
    """Make ipykernel's output thread listen, and its forks connect, on a Unix socket in the jail's own ``/tmp``."""
    IOPubThread._setup_pipe_in = _listen  # type: ignore[method-assign]  # noqa: SLF001
    IOPubThread._setup_pipe_out = _connect  # type: ignore[method-assign]  # noqa: SLF001


def _listen(self: Any) -> None:
    self._pipe_uuid = os.urandom(16)
    pipe = self.socket.context.socket(zmq.PULL)
    pipe.linger = 0
    pipe.bind(_ADDRESS)
    self._pipe_in = ZMQStream(pipe, self.io_loop)
    self._pipe_in.on_recv(self._handle_pipe_msg)


def _connect(_self: Any) -> tuple[Any, Any]:
    context: Any = zmq.Context()  # not the one from before the fork
    pipe = context.socket(zmq.PUSH)
    pipe.linger = 3000
    pipe.connect(_ADDRESS)
    return context, pipe
