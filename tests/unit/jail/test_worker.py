"""The warm worker's start and end, where these meet."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_jail import BOUNDS, cells

from torchgrade.jail import SandboxError, Session, Student, Wall, WarmWorker, choose_wall
from torchgrade.jail.loading import Cells
from torchgrade.jail.wall import Walled, launch


def is_there(pid):
    """Whether a process runs; one that only waits to be asked how it ended does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class HalfMadeWall(Wall):
    """As bubblewrap is at one moment: forked already, and bound to nobody's life yet. Writes the fork's number to a file."""

    name = "half made"

    def __init__(self, number):
        self.number = number

    def why_missing(self):
        return None

    def start(self, arguments, *, view, output, pass_fds):
        script = f"sleep 60 & echo $! > {self.number}.new; mv {self.number}.new {self.number}; wait"
        return Walled(launch(["/bin/sh", "-c", script], output=output, pass_fds=pass_fds))


def test_what_makes_a_jail_ends_with_a_worker_that_is_closed_at_once(tmp_path):
    number = tmp_path / "number"
    warm = WarmWorker(BOUNDS, wall=HalfMadeWall(number))
    while not number.exists():
        time.sleep(0.005)
    pid = int(number.read_text())
    assert is_there(pid)
    warm.close()
    deadline = time.monotonic() + 5
    while is_there(pid) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert not is_there(pid)


def test_one_that_answers_too_late_is_ended_since_that_answer_would_be_taken_for_the_next():
    warm = WarmWorker(BOUNDS, wall=choose_wall(jail=False))
    try:
        session = warm.start_session()
        warm._process._control.settimeout(0.3)
        os.kill(warm.pid, signal.SIGSTOP)
        with pytest.raises(SandboxError, match="did not answer when asked to end a session"):
            warm.end_session(session)
        assert not warm.is_alive
        os.close(session.output)
        os.kill(session.pid, signal.SIGKILL)  # without a jail nobody else does
    finally:
        warm.close()


# The name in two parts, since the name itself is one of the words.
IMPORTED = "import sys, torch\ndef imported(): return 'torch._dy' + 'namo' in sys.modules\n"
LAYER = "layer = torch.nn.Linear(2, 2)\n"
COMPILER = [
    LAYER + "torch.optim.SGD(layer.parameters(), lr=0.1)",
    LAYER + "from torch.optim import *\nAdam(layer.parameters())",
    "torch.func.grad(torch.sum)(torch.ones(2))",
    "from torch import func\nfunc.jacrev(torch.sin)(torch.ones(2))",
    "from torch.func import *\nhessian(torch.sum)(torch.ones(2))",
    "from torch import nn, func\nfunc.grad(torch.sum)(torch.ones(2))",
    "from torch.utils import checkpoint as c\nc.checkpoint(torch.sin, torch.ones(2, requires_grad=True), use_reentrant=False)",
]


# A fork for each program of its arguments, of a process that has imported torch as a warm worker has.
EACH_BY_ITSELF = f"""
{IMPORTED}
import os, torch.utils.checkpoint
for number, source in enumerate(sys.argv[1:]):
    assert not imported()
    if not (child := os.fork()):
        exec(source)
        os._exit(0 if imported() else 1)
    if os.waitpid(child, 0)[1] == 0:
        print(number)
"""


def test_what_torch_imports_its_compiler_for_at_its_first_use():
    command = [sys.executable, "-W", "ignore", "-c", EACH_BY_ITSELF, *COMPILER, "torch.ones(2).sum()"]
    done = subprocess.run(command, check=True, timeout=120, capture_output=True, text=True)
    assert [int(number) for number in done.stdout.split()] == list(range(len(COMPILER)))


@pytest.mark.parametrize("source", COMPILER)
def test_words_tell_what_needs_the_compiler(source):
    assert Cells(cells(source), {}).modules == ["torch._dynamo"]
    assert Cells(cells("def f(x): return x"), {"probes": source}).modules == ["torch._dynamo"]


def test_a_parameter_called_func_and_something_exported_are_no_such_words():
    source = 'def apply(func, x):\n    """See :func:`other`."""\n    return func(x).exported()'
    assert Cells(cells(source), {"probes": source}).modules == []


def test_a_notebook_with_an_optimizer_finds_torchs_compiler_imported_and_others_do_not_wait_for_it():
    worker = WarmWorker(BOUNDS)
    try:
        for source, expected in ((IMPORTED, False), (IMPORTED + "# torch.optim", True)):
            with Session(worker, cells(source)) as session:
                session.load()
                session.begin_check()
                assert Student(session.exchange, seed=1).imported() is expected
                session.end_check()
    finally:
        worker.close()
