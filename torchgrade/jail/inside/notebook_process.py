"""Runs a notebook's cells, then forks once for every check that the judge asks for.

From the first cell on, what it says on its socket is a student's word: the judge uses it for messages, never for marks.

    judge → here   the program, once                      here → judge   {"cell": 3} before each cell, {"loaded": {...}} after all
    judge → here   b"check" + the descriptor of a wire    a fork of this process serves that wire
    here → judge   {"failed": why}, and nothing else, if it could not be made into a session
    judge → here   b"status"                              here → judge   how the last fork ended
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from torchgrade.jail.inside import isolation, system_calls
from torchgrade.jail.inside.program import Program, silence_check
from torchgrade.jail.inside.serve import serve
from torchgrade.jail.protocol.wire import Wire

MOST_BYTES = 1 << 30


def run(request: dict[str, Any], *, notebook_socket: int, output: int) -> None:
    """Give up all privileges, take the program from the judge, run it, and answer until the judge is gone."""
    sock = socket.socket(fileno=notebook_socket)
    wire = Wire(sock)
    problem = _become_harmless(request, output)
    message, _ = wire.receive(at_most=MOST_BYTES)
    if problem:
        wire.send({"failed": problem}, [])
        return
    program = Program(message, Path(request["folder"], "submission"))
    sys.path.append(request["work"])  # modules beside the notebook, as in any kernel
    silence_check()
    started = time.perf_counter()
    errors = program.run(before=lambda number: wire.send({"cell": number}, []))
    _flush()
    loaded = {"errors": errors, "seconds": time.perf_counter() - started, "forkable": _forkable()}
    wire.send({"loaded": loaded}, [])
    _fork_checks(wire, program)


def _become_harmless(request: dict[str, Any], output: int) -> str:
    """Give up all privileges and set the limits; return why that could not be done, or an empty string."""
    try:
        _give_up_all(request, output)
    except Exception as error:  # noqa: BLE001 - nothing of the submission has run: whatever it is, the judge is to know
        return f"{type(error).__name__}: {error}"[:1000]
    return ""


def _give_up_all(request: dict[str, Any], output: int) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    silence = os.open("/dev/null", os.O_RDONLY)
    os.dup2(silence, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(silence)
    os.close(output)
    if not request["jailed"]:
        isolation.show_memory()  # in a process whose memory is hidden, only root may set what is set here
        _copy_data(request["data"], Path(request["work"]))
    os.chdir(request["work"])
    isolation.killed_before_others()
    isolation.limit_resources(request["limits"])
    if request["jailed"]:
        isolation.drop_privileges()
        system_calls.refuse()
        isolation.show_memory()


def _copy_data(data: str | None, work: Path) -> None:
    """Without a jail: make a copy, so that no submission can change what the next one reads."""
    if data is None:
        work.mkdir()
    else:
        shutil.copytree(data, work)


def _forkable() -> bool:
    """Return whether a fork would work: threads do not survive one, and neither does a CUDA that has been set up.

    CUDA may be set up before torch calls it initialised, for example by asking for the number of devices. An open device node
    shows it.
    """
    return len(list(Path("/proc/self/task").iterdir())) == 1 and not any(map(_is_gpu, Path("/proc/self/fd").iterdir()))


def _is_gpu(descriptor: Path) -> bool:
    with contextlib.suppress(OSError):  # the descriptor of the listing itself
        return str(descriptor.readlink()).startswith(("/dev/nvidia", "/dev/dxg"))
    return False


def _fork_checks(wire: Wire, program: Program) -> None:
    sock = wire.sock
    child = 0
    while True:
        packet, descriptors, _, _ = socket.recv_fds(sock, 64, 1)
        if packet == b"check":
            child = os.fork()
            if child == 0:
                sock.close()
                _serve_and_end(descriptors[0], program)
            os.close(descriptors[0])
        elif packet == b"only":  # this process cannot be forked: it serves one check itself
            sock.close()
            _serve_and_end(descriptors[0], program)
        elif packet == b"status":
            wire.send({"status": _how_it_ended(child)}, [])
        else:
            return


def _serve_and_end(descriptor: int, program: Program) -> None:
    try:
        serve(Wire(socket.socket(fileno=descriptor)), program)
    finally:
        _flush()
        os._exit(0)


def _how_it_ended(child: int) -> int | None:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except ChildProcessError:
        return None


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the student's own stream object
            stream.flush()
