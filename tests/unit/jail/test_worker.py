"""The warm worker's start and end, where these meet."""

import os
import signal
import time
from pathlib import Path

import pytest
from small_jail import BOUNDS

from torchgrade.jail import SandboxError, Wall, WarmWorker, choose_wall
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
