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
    with student.double.outside() as outside:
        grouped = outside.account()
        before = outside.processor_seconds() + outside.reaped_seconds()
        getattr(student, name)(X)
        used = outside.processor_seconds() + outside.reaped_seconds() - before
    if grouped or name != "in_child_that_nobody_waits_for":
        assert used > 0.08


def test_a_process_that_waits_uses_nothing(student):
    with student.double.outside() as outside:
        outside.account()
        student.double(X)
        time.sleep(0.05)
        before = outside.processor_seconds()
        time.sleep(0.1)
        assert outside.processor_seconds() - before < 0.01


def test_home_and_check_are_members_and_what_a_call_leaves_too(student):
    with student.double.outside() as outside:
        count = len(outside.members())
        assert outside.peer in outside.members()
        assert eventually(lambda: not outside.busy())
        student.leaves(X)
        assert len(outside.members()) == count + 1
        assert eventually(outside.busy)


def test_a_process_that_is_gone_is_the_submissions_failure(track):
    with track.student(NOTEBOOK) as student:
        student.double(X)
        outside = student.double.outside()
    with pytest.raises(Died):
        outside.members()


def test_its_core_is_put_back(student):
    before = os.sched_getaffinity(0)
    with student.double.outside() as outside:
        outside.pin(min(before))
        assert os.sched_getaffinity(outside.peer) == {min(before)}
        assert os.sched_getaffinity(0) == before
    assert os.sched_getaffinity(outside.peer) == before
