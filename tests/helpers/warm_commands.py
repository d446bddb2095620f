"""Commands as processes of their own that need not import anything: forks of one process that has done so for all of them.

    a test ──► run, started, torchgrade ──► warm_process.py, one for each process of pytest ──fork──► the command
                        └──where only a process from nothing will do──► the command, executed

``torchgrade`` and ``nbgrader`` spend a second or two on imports before they do anything, their judges as much again, and tests
run hundreds of them. What a test can see of a command is the same either way: ``tests/unit/test_warm_commands.py`` compares
them, and ``tests/end_to_end/test_commands.py`` starts each of torchgrade's from nothing once. With ``TORCHGRADE_COLD=1`` in the
environment all of them start so.

A command is executed where it has other words before it, or where the environment has something that the interpreter or a
library reads before a command begins: a path of modules, a number of threads, a language.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

TOOLS = Path(sys.executable).parent
_WARM = {str(TOOLS / name) for name in ("torchgrade", "nbgrader")}
_PROGRAM = Path(__file__).with_name("warm_process.py")
# What is read when an interpreter starts or a library is loaded, by its first letters.
_READ_EARLY = ("PYTHON", "LC_", "LANG", "LD_", "OMP_", "MKL_", "OPENBLAS_", "GOMP_", "KMP_", "TORCH_", "PYTORCH_", "MALLOC_")
# What torchgrade sets for itself once it has looked for a GPU: the tests' own process has it after such a test.
_SET_BY_OURSELVES = "PYTORCH_NVML_BASED_CUDA_CHECK"
# Room for the command line of a command in place of this process's own.
_ROOM = 4000
_COLD = "TORCHGRADE_COLD"

Line = Sequence[str | os.PathLike[str]]


def environment(**more: str) -> dict[str, str]:
    """The environment of this process, with the commands found first, and more."""
    return {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", **more}


def torchgrade(
    folder: Path, *arguments: str, before: Sequence[str] = (), cold: bool = False, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a command of torchgrade's in this folder, with these words ``before`` it and more in its environment."""
    return run([*before, TOOLS / "torchgrade", *arguments], cwd=folder, env=environment(**more), timeout=300, cold=cold)


def run(
    line: Line,
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    input: str | None = None,  # noqa: A002 - as subprocess has it
    timeout: float | None = None,
    cold: bool = False,
) -> subprocess.CompletedProcess[str]:
    """As :func:`subprocess.run` with its output as text; ``cold`` has the command executed."""
    stdin = None if input is None else subprocess.PIPE
    pipe = subprocess.PIPE
    with started(line, cwd=cwd, env=env, cold=cold, stdin=stdin, stdout=pipe, stderr=pipe) as process:
        try:
            out, err = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def started(
    line: Line,
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    cold: bool = False,
    start_new_session: bool = False,
    **streams: Any,
) -> subprocess.Popen[str]:
    """As :class:`subprocess.Popen` with its streams as text."""
    words, chosen = [os.fspath(word) for word in line], dict(os.environ if env is None else env)
    if cold or not may_be_warm(words, chosen):
        # A shell without job control has its background commands ignore Ctrl-C, and so would everything that the tests start.
        heed = _heed_ctrl_c if signal.getsignal(signal.SIGINT) == signal.SIG_IGN else None
        streams["preexec_fn"] = heed
        return subprocess.Popen[str](words, cwd=cwd, env=chosen, start_new_session=start_new_session, text=True, **streams)
    return Running(words, cwd, chosen, start_new_session=start_new_session, **streams)


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def may_be_warm(line: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether a fork of a process that has imported everything is what this command would be."""
    if sys.platform != "linux" or line[0] not in _WARM or env.get(_COLD) or os.environ.get(_COLD):
        return False
    return early(env) == _zygote.early


def early(env: Mapping[str, str]) -> dict[str, str]:
    """What of an environment is read before a command begins."""
    return {name: value for name, value in env.items() if name.startswith(_READ_EARLY) and name != _SET_BY_OURSELVES}


class Running(subprocess.Popen[str]):
    """A command that was forked by the warm process, which waits for it in our stead and says how it ended."""

    def __init__(self, line: list[str], cwd: Path, env: dict[str, str], *, start_new_session: bool, **streams: Any) -> None:
        self._request = {"line": line, "directory": os.fspath(cwd), "environment": env, "session": start_new_session}
        self._answers: socket.socket | None = None
        super().__init__(line, text=True, **streams)

    def _execute_child(self, *arguments: Any) -> None:
        """In the place of Popen's, which is called with the ends of the pipes that it has made."""
        ends = arguments[10:16]
        stdin, stdout, stderr = (own if end == -1 else end for own, end in enumerate((ends[0], ends[3], ends[5])))
        self._answers, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                _zygote.ask(self._request, [stdin, stdout, stderr, theirs.fileno()])
            self._child_created = True
            self.pid = _zygote.hear(self._answers)
        finally:
            self._close_pipe_fds(*ends)  # type: ignore[attr-defined]

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and self._answers is not None and _is_ready(self._answers):
            self._hear_the_end()
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        if self.returncode is None and self._answers is not None:
            if not _is_ready(self._answers, timeout):
                assert timeout is not None
                raise subprocess.TimeoutExpired(self.args, timeout)
            self._hear_the_end()
        return self.returncode

    def _hear_the_end(self) -> None:
        assert self._answers is not None
        answers, self._answers = self._answers, None
        with answers:
            self.returncode = _zygote.hear(answers)
            answers.shutdown(socket.SHUT_WR)  # heard
            answers.recv(1)  # the end: the process is no longer there, as after any wait


def _is_ready(answers: socket.socket, timeout: float | None = 0) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(answers, selectors.EVENT_READ)
        return bool(selector.select(timeout))


class _Zygote:
    """The warm process, which is started with the first command."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)  # no test has changed it yet
        self.early = early(self._environment)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: dict[str, Any], descriptors: list[int]) -> None:
        """Have it fork a command with these streams, and a socket for its answers."""
        with self._lock:
            if self._process is None:
                self._start()
        # While the process still imports, this waits for no more than a buffer.
        socket.send_fds(self._requests, [json.dumps(request).encode()], descriptors)

    def hear(self, answers: socket.socket) -> int:
        """A number that it says of a command."""
        if not (said := answers.recv(100)):
            self._errors.seek(0)
            raise RuntimeError(f"the process that forks commands has ended:\n{self._errors.read().decode()}")
        return int(said)

    def _start(self) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process runs
        with theirs:
            line = [sys.executable, str(_PROGRAM), str(theirs.fileno()), " " * _ROOM]
            # A library of numpy's starts its threads when it is loaded, and nothing with threads can be forked.
            env = {**self._environment, "OPENBLAS_NUM_THREADS": "1"}
            null = subprocess.DEVNULL
            self._process = subprocess.Popen(
                line, cwd="/", env=env, stdin=null, stdout=null, stderr=self._errors, pass_fds=[theirs.fileno()]
            )
        atexit.register(self.stop)

    def stop(self) -> None:
        """End it, and what still runs of its commands."""
        if self._process is not None:
            self._requests.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(10)
            self._errors.close()
            self._process = None


_zygote = _Zygote()
