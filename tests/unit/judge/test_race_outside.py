"""What the judge sees of a session's processes from outside, in a real jail."""

import os
import time

import pytest
import torch

from torchgrade.jail import Died
from torchgrade.jail.resources import process_tree as module

BURN = "import time\ndef burn(seconds):\n    until = time.process_time() + seconds\n    while time.process_time() < until: pass\n"
NOTEBOOK = (
    BURN
    + """
import os, signal, threading
def double(x):
    return 2 * x
def in_child(x):
    pid = os.fork()
    if pid == 0:
        burn(0.1)
        os._exit(0)
    os.waitpid(pid, 0)
    return x
def in_child_that_nobody_waits_for(x):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    ours, theirs = os.pipe()
    if os.fork() == 0:
        burn(0.1)
        os._exit(0)
    os.close(theirs)
    os.read(ours, 1)
    return x
def in_thread(x):
    thread = threading.Thread(target=burn, args=(0.1,))
    thread.start()
    thread.join()
    return x
def leaves(x):
    if os.fork() == 0:
        while True: pass
    return x
"""
)
X = torch.ones(2)


def eventually(holds):
    """Whether it holds within ten seconds: a process on a full machine may take its time."""
    until = time.monotonic() + 10
    while not holds() and time.monotonic() < until:
        time.sleep(0.01)
    return holds()


@pytest.fixture(params=["as this machine allows", "/proc"])
def student(request, track, monkeypatch):
    if request.param == "/proc":
        monkeypatch.setattr(module, "processor_account", lambda _: None)
    with track.student(NOTEBOOK) as student:
        student.double(X)
        yield student


@pytest.mark.parametrize("name", ["in_child", "in_child_that_nobody_waits_for", "in_thread"])
def test_the_time_of_the_whole_tree_is_counted(student, name):
    with student.double.process_tree() as processes:
        grouped = processes.account()
        before = processes.processor_seconds() + processes.reaped_seconds()
        getattr(student, name)(X)
        used = processes.processor_seconds() + processes.reaped_seconds() - before
    if grouped or name != "in_child_that_nobody_waits_for":
        assert used > 0.08


def test_a_process_that_waits_uses_nothing(student):
    with student.double.process_tree() as processes:
        processes.account()
        student.double(X)
        time.sleep(0.05)
        before = processes.processor_seconds()
        time.sleep(0.1)
        assert processes.processor_seconds() - before < 0.01


def test_home_and_check_are_members_and_what_a_call_leaves_too(student):
    with student.double.process_tree() as processes:
        count = len(processes.members())
        assert processes.peer in processes.members()
        assert eventually(lambda: not processes.busy())
        student.leaves(X)
        assert len(processes.members()) == count + 1
        assert eventually(processes.busy)


def test_a_process_that_is_gone_is_the_submissions_failure(track):
    with track.student(NOTEBOOK) as student:
        student.double(X)
        processes = student.double.process_tree()
    with pytest.raises(Died):
        processes.members()


def test_its_core_is_put_back(student):
    before = os.sched_getaffinity(0)
    with student.double.process_tree() as processes:
        processes.pin(min(before))
        assert os.sched_getaffinity(processes.peer) == {min(before)}
        assert os.sched_getaffinity(0) == before
    assert os.sched_getaffinity(processes.peer) == before
