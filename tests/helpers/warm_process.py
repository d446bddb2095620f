"""The process behind :mod:`warm_commands`: it has imported all that commands need, and forks one process for each.

    the tests ──a line, its streams──► this process ──fork──► a command ──fork, before it begins──► its fork server, waiting
        ◄──pid, and how it ended────┘                                                                    └─fork─► judges

A command is what its script would be in a process of its own: it has the script as ``__main__``, the working directory, the
environment, the streams, the handling of signals and the command line (in ``/proc`` too) of one that was executed. The same goes
for the server from which ``multiprocessing`` forks: made here before the command has done anything, it knows nothing of
the command's doings, as an executed one would not; it waits until it is asked for, and ends with the command where it never is.

This process has one thread, and ends with the socket to the tests, and all commands with it.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import ctypes
import fcntl
import functools
import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import random
import selectors
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
import types
from collections.abc import Callable
from multiprocessing import util
from pathlib import Path
from typing import Any, Never

MOST = 1 << 20
"""Bytes of a message; the kernel allows about a fifth of it."""
_SPARE = 200
"""A number that no descriptor of ours reaches."""
_NOT_IMPORTED = (".inside", "__main__", "torchgrade.runs.server", "torchgrade.runs.cluster")
"""What runs in jails, and what does something when it is imported: in a fork server, it looks at whether it is in one."""


class Zygote:
    """Forks commands, and says of each how it ended; its process stays until the tests have heard it, as a child's would."""

    def __init__(self, tests: socket.socket) -> None:
        self._tests = tests
        self._answers: dict[int, socket.socket] = {}  # by the command's pid
        self._ends: dict[int, int] = {}  # descriptors that are ready once a process has ended, likewise
        self._ended: set[int] = set()
        self._selector = selectors.DefaultSelector()
        self._selector.register(tests, selectors.EVENT_READ, self._begin)

    def serve(self) -> None:
        """Until the tests are gone."""
        with contextlib.suppress(EOFError):
            while True:
                for key, _ in self._selector.select():
                    key.data()
        for pid in self._ends:
            os.kill(pid, signal.SIGKILL)

    def _begin(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._tests, MOST, 4)
        if not message:
            raise EOFError
        *streams, answer = descriptors
        pid = os.fork()
        if pid == 0:
            self._close()
            os.close(answer)
            be_the_command(json.loads(message), streams)
        for stream in streams:
            os.close(stream)
        self._answers[pid] = socket.socket(fileno=answer)
        self._ends[pid] = os.pidfd_open(pid)
        self._selector.register(self._ends[pid], selectors.EVENT_READ, lambda: self._say_how_it_ended(pid))
        self._selector.register(self._answers[pid], selectors.EVENT_READ, lambda: self._let_go(pid))
        self._say(pid, pid)

    def _say_how_it_ended(self, pid: int) -> None:
        self._selector.unregister(self._ends[pid])
        os.close(self._ends.pop(pid))
        found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # it stays
        assert found is not None
        if pid in self._answers:
            self._ended.add(pid)
            self._say(pid, found.si_status if found.si_code == os.CLD_EXITED else -found.si_status)
        else:
            os.waitpid(pid, 0)

    def _let_go(self, pid: int) -> None:
        """The tests have heard how it ended, or want to know no longer."""
        self._selector.unregister(self._answers[pid])
        with self._answers.pop(pid):
            if pid in self._ended:
                self._ended.remove(pid)
                os.waitpid(pid, 0)

    def _say(self, pid: int, number: int) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._answers[pid].send(b"%d" % number)

    def _close(self) -> None:
        """In a command: all of this is the other process's."""
        self._selector.close()
        self._tests.close()
        for answer in self._answers.values():
            answer.close()
        for descriptor in self._ends.values():
            os.close(descriptor)


def be_the_command(request: dict[str, Any], streams: list[int]) -> Never:
    """Become the process of this command line."""
    try:
        if request["session"]:
            os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        settle_in(request["directory"], request["environment"])
        script, *arguments = request["line"]
        line = [sys.executable, script, *arguments]
        hold_a_fork_server()
        look_like(line)
        sys.argv, sys.path[0] = [script, *arguments], str(Path(script).parent)
        code = compile(Path(script).read_bytes(), script, "exec", dont_inherit=True)
        run_to_the_end(code, new_main(script))
    except BaseException:  # noqa: BLE001 - it must not come to the loop of the process that it was forked from
        traceback.print_exc()
    finally:
        os._exit(70)


def settle_in(directory: str, environment: dict[str, str]) -> None:
    """Have this working directory and this environment, and nothing that a process has from its beginning of another's."""
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    tempfile.tempdir = None
    multiprocessing.current_process().authkey = os.urandom(32)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random.seed()
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()
    if torch := sys.modules.get("torch"):
        torch.default_generator.seed()


def new_main(script: str | None) -> dict[str, Any]:
    """The namespace of an empty ``__main__``."""
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__builtins__ = builtins  # type: ignore[attr-defined]
    if script:
        module.__file__ = script
    return module.__dict__


def look_like(line: list[str]) -> None:
    """Have this command line, in ``/proc`` too, where this process's own was long enough."""
    sys.orig_argv = line
    start, end = map(int, Path("/proc/self/stat").read_text().rpartition(")")[2].split()[45:47])
    text = b"".join(os.fsencode(word) + b"\0" for word in line)[: end - start - 1]
    ctypes.memmove(start, text.ljust(end - start, b"\0"), end - start)


def run_to_the_end(code: types.CodeType, namespace: dict[str, Any]) -> Never:
    """Run this as Python runs a script, and end as Python ends; but clear nothing up in memory, which takes torch a second."""
    status, interrupted = 0, False
    try:
        exec(code, namespace)
    except SystemExit as error:
        status = status_of(error)
    except BaseException as error:  # noqa: BLE001 - as Python does
        status, interrupted = 1, isinstance(error, KeyboardInterrupt)
        trace = error.__traceback__
        sys.excepthook(type(error), error.with_traceback(trace and trace.tb_next), None)  # but for this function's line
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            status = status or 120
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(status & 0xFF)


def status_of(error: SystemExit) -> int:
    """The exit status that Python gives where this is raised."""
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)  # noqa: T201 - as Python does
    return 1


def hold_a_fork_server() -> None:
    """Fork a process that waits, and have ``multiprocessing`` find it where it would execute a fork server."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        wait_to_be_the_fork_server(theirs)
    theirs.close()
    execute = util.spawnv_passfds

    def spawn(program: bytes, arguments: list[Any], descriptors: list[int]) -> int:
        line = [os.fsdecode(word) for word in arguments]
        if ours.fileno() == -1 or "multiprocessing.forkserver" not in line[-1]:  # a second one is executed
            return execute(program, arguments, descriptors)
        request = {"line": line, "directory": str(Path.cwd()), "environment": dict(os.environ), "descriptors": list(descriptors)}
        with ours:
            socket.send_fds(ours, [json.dumps(request).encode()], descriptors)
        return pid

    util.spawnv_passfds = spawn  # type: ignore[assignment]


def wait_to_be_the_fork_server(command: socket.socket) -> Never:
    """Once the command asks for it, become its fork server; end with the command where it does not."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # or Ctrl-C would end what is not there yet
        message, descriptors, _, _ = socket.recv_fds(command, MOST, 8)
        if not message:
            os._exit(0)
        request = json.loads(message)
        spare = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _SPARE) for descriptor in descriptors]
        for descriptor in (*descriptors, command.detach()):
            os.close(descriptor)
        for descriptor, number in zip(spare, request["descriptors"], strict=True):
            os.dup2(descriptor, number)  # its line names it by this
            os.close(descriptor)
        settle_in(request["directory"], request["environment"])
        look_like(request["line"])
        sys.argv, sys.path[0] = ["-c"], ""
        run_to_the_end(compile(request["line"][-1], "<string>", "exec", dont_inherit=True), new_main(None))
    except BaseException:  # noqa: BLE001 - as above
        traceback.print_exc()
    finally:
        os._exit(70)


@functools.cache
def newest_gradebook() -> str:
    """The revision that nbgrader writes into a new gradebook: it executes ``alembic heads`` for it, seconds each time."""
    config = importlib.import_module("alembic.config").Config()
    config.set_main_option("script_location", importlib.import_module("nbgrader.dbutil").ALEMBIC_DIR)
    head: str = importlib.import_module("alembic.script").ScriptDirectory.from_config(config).get_current_head()
    return head


def look_the_revision_up_once() -> None:
    """Where nbgrader is imported, have it not ask for that anew with each gradebook."""
    api: Any = sys.modules.get("nbgrader.api")
    if api is not None and not hasattr(api.get_alembic_version, "__wrapped__"):
        api.get_alembic_version = functools.update_wrapper(newest_gradebook, api.get_alembic_version)


def start_one_judge() -> None:
    """A command that is not told how many judges to start takes one: another test has the other core."""
    machine: Any = importlib.import_module("torchgrade.cli.shared")
    machine._MOST_WORKERS = 1


def import_all() -> None:
    """What commands import, now or when they need it."""
    path = list(sys.path)
    for name in ("torch.fx.experimental.symbolic_shapes", "nbgrader.apps.nbgraderapp", "alembic.command"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    sys.path[:] = path  # one of nbgrader's imports has a folder more
    torchgrade = importlib.import_module("torchgrade")
    for module in pkgutil.walk_packages(torchgrade.__path__, "torchgrade."):
        if not any(part in module.name for part in _NOT_IMPORTED):
            importlib.import_module(module.name)
    look_the_revision_up_once()
    newest_gradebook()
    start_one_judge()


def main(prepare: Callable[[], None] = import_all) -> None:
    """Serve the socket whose number is this program's argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # that is for the commands
    tests = socket.socket(fileno=int(sys.argv[1]))
    prepare()
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a process with more threads than one cannot be forked"
    gc.collect()
    gc.freeze()  # so that no collection writes to memory that is shared with the commands
    Zygote(tests).serve()


if __name__ == "__main__":
    main()
