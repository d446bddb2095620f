"""One run of an assignment at a time; a lock ends with its process, whatever ends that."""

import os
import signal
import subprocess
import sys

import pytest

from torchgrade.record import RecordError
from torchgrade.runs import turn

HOLD = """
import sys, time
from pathlib import Path
from torchgrade.runs.turn import turn
with turn(Path(sys.argv[1]), ["sums"], tell=print):
    print("mine", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that has the turn."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "mine\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_run_says_for_whom_it_waits_and_goes_on_when_that_process_is_killed(holder, tmp_path):
    told = []

    def tell(line):
        told.append(line)
        holder.kill()

    with turn(tmp_path, ["sums"], tell=tell) as ours:
        assert ours
    assert f"sums is being graded by process {holder.pid} on '{os.uname().nodename}' since 20" in told[0]
    assert told[1:] == ["sums: the other run has ended, going on"]


def test_another_assignment_waits_for_nobody(holder, tmp_path):
    with turn(tmp_path, ["products"], tell=pytest.fail) as ours:
        assert ours


def test_a_run_that_shall_end_while_it_waits_has_no_turn_and_keeps_nobody_waiting(holder, tmp_path):
    told = []
    with turn(tmp_path, ["sums", "products"], tell=told.append, stop=lambda: bool(told)) as ours:
        assert not ours
        with turn(tmp_path, ["products"], tell=pytest.fail) as others:
            assert others


def test_a_run_keeps_the_next_one_waiting_until_it_ends(tmp_path):
    with turn(tmp_path, ["sums"], tell=pytest.fail), turn(tmp_path, ["sums"], tell=lambda _: None, stop=lambda: True) as ours:
        assert not ours
    with turn(tmp_path, ["sums"], tell=pytest.fail) as ours:
        assert ours


def test_a_stopped_run_still_has_its_turn(holder, tmp_path):
    holder.send_signal(signal.SIGSTOP)
    with turn(tmp_path, ["sums"], tell=lambda _: None, stop=lambda: True) as ours:
        assert not ours


def test_a_lock_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / ".run-sums.lock").mkdir()
    with (
        pytest.raises(RecordError, match=r"cannot open .*\.run-sums\.lock: Is a directory"),
        turn(tmp_path, ["sums"], tell=print),
    ):
        pass
