"""The memory of a submission that may use a GPU, seen from outside; ``nvidia-smi`` is made up, the processes are real."""

import dataclasses
import time
from pathlib import Path

import pytest
from made_gpu import MADE_UP
from small_jail import BOUNDS, cells
from walls import ChangedBubblewrap

from torchgrade.jail import Died, Session, Student, View, WarmWorker
from torchgrade.jail.resources import gpu_memory, memory_watch
from torchgrade.jail.resources.gpu_memory import GpuMemory, command_for
from torchgrade.jail.resources.room import CUDA_PAGES

CODE = """
import os, time
def waits(seconds=1.8): time.sleep(seconds); return 1
def prints(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until: print(".", flush=True); time.sleep(0.02)
    return 1
def eats(megabytes, pause):
    held = []
    for _ in range(megabytes // 10): held.append(b"x" * 10**7); time.sleep(pause)
    time.sleep(1)
    return len(held)
"""
# Each process that has a number of its own in a namespace within the jail's: those of sessions.
SESSIONS = (
    'for p in /proc/[0-9]*; do n=$(grep NSpid $p/status 2>/dev/null) && set -- $n && [ $# -gt 3 ] && echo "${p#/proc/}, %s"; done'
)


@pytest.fixture
def driver(tmp_path, monkeypatch):
    """Makes a nvidia-smi that answers with the output of these shell commands."""

    def tells(commands):
        program = tmp_path / "nvidia-smi"
        program.write_text(f"#!/bin/bash\n{commands}\ntrue\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        monkeypatch.setattr(gpu_memory, "_numbers_are_the_machines", lambda: True)
        monkeypatch.setattr(gpu_memory, "_EVERY_SECONDS", 0.3)

    return tells


@pytest.fixture
def made():
    workers = []

    def make(**options):
        bounds = dataclasses.replace(BOUNDS, call_seconds=60.0, cells_seconds=60.0)  # on a busy machine an answer takes a while
        workers.append(WarmWorker(**({"bounds": bounds} | options), view=View(gpu=MADE_UP)))
        return workers[-1]

    yield make
    for worker in workers:
        worker.close()


def call(worker, name, *arguments):
    with Session(worker, cells(CODE)) as session:
        return getattr(Student(session.exchange, seed=1), name)(*arguments)


@pytest.mark.parametrize(("name", "arguments"), [("waits", (50,)), ("prints", (50,))])
def test_what_holds_more_than_its_share_of_the_gpu_is_ended(driver, made, name, arguments):
    driver(SESSIONS % "6000")
    with pytest.raises(Died, match=r"took \d+000 MB of the GPU's memory: it may use 4096 MB"):
        call(made(), name, *arguments)


def test_a_cell_that_does_is_left_out_and_named(driver, made):
    driver(SESSIONS % "6000")
    with Session(made(), cells("import time; time.sleep(50)", "def f(): return 1")) as session:
        session.load()
        assert [error.index for error in session.cell_errors] == [0]
        assert "of the GPU's memory" in session.cell_errors[0].message
        assert Student(session.exchange, seed=1).f() == 1


@pytest.mark.parametrize(
    "commands",
    [
        SESSIONS % "1000",  # CUDA's own and a little
        'echo "1, 90000"; echo "2, 90000"',  # other people's
        SESSIONS % "[N/A]",  # as in WSL
        SESSIONS % "90000" + "\nexit 9",
        "exec sleep 100",
    ],
)
def test_what_does_not_or_is_not_known_to_is_not(driver, made, commands):
    driver(commands)
    assert call(made(), "waits") == 1


def test_the_question_is_about_this_gpu_and_ends_with_the_worker(driver, made, tmp_path):
    driver(f'echo "$@" >> {tmp_path}/asked; echo $$ > {tmp_path}/pid; exec sleep 100')
    worker = made()
    call(worker, "waits")
    worker.close()
    assert (tmp_path / "asked").read_text() == "--id=0 --query-compute-apps=pid,used_memory --format=csv,noheader,nounits\n"
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()


def test_nobody_is_asked_in_a_container_that_has_process_numbers_of_its_own(driver, monkeypatch):
    driver("true")
    assert command_for(MADE_UP)
    monkeypatch.setattr(gpu_memory, "_numbers_are_the_machines", lambda: False)
    assert command_for(MADE_UP) == []
    assert GpuMemory(MADE_UP).held() == {}


def test_an_answer_is_there_once_it_came_and_is_asked_for_again(driver, tmp_path):
    driver('echo "11, 5"; echo "12, 7"; echo "11, 1"; echo "junk"')
    told = GpuMemory(MADE_UP)
    assert told.held() == {}
    time.sleep(0.4)
    assert told.held() == {11: 6 << 20, 12: 7 << 20}
    driver("true")
    time.sleep(0.4)
    told.held()
    time.sleep(0.4)
    assert told.held() == {}
    told.close()


def test_without_a_group_the_machines_memory_is_looked_at_since_addresses_are_not_limited(driver, made, monkeypatch):
    driver("true")
    monkeypatch.setattr(memory_watch, "CUDA_PAGES", 0)
    bounds = dataclasses.replace(BOUNDS, call_seconds=8.0, memory=150 << 20)
    worker = made(bounds=bounds, wall=ChangedBubblewrap(grouped=False))
    assert call(worker, "eats", 50, 0.02) == 5
    with pytest.raises(Died, match="ran out of memory: it may use 150 MB"):
        call(worker, "eats", 600, 0.02)


def test_with_one_the_group_holds_it(driver, made, monkeypatch):
    driver("true")
    monkeypatch.setattr("torchgrade.jail.resources.room.CUDA_PAGES", 0)
    worker = made()
    assert worker.bounds.address_space is False
    if worker.group is None:
        pytest.fail("this machine makes no control groups, so nothing was tested")
    with pytest.raises(Died, match="ran out of memory"):
        call(worker, "eats", 6000, 0)


def test_each_session_of_a_race_has_room_for_cuda_and_what_was_made_stays(driver, made):
    driver("true")
    worker = made()
    worker.wait_until_ready()
    if worker.group is None:
        pytest.fail("this machine makes no control groups, so nothing was tested")
    given, limit = [], worker.group.limit
    worker.group.limit = lambda *, memory, processes: given.append(memory) or limit(memory=memory, processes=processes)
    with Session(worker, cells(CODE)) as students:
        students.load()
        assert given == []
        for _ in range(2):
            with Session(worker, cells(CODE)) as reference, Session(worker, cells(CODE)) as baseline:
                reference.load()
                baseline.load()
    assert given == [worker._room.least + sessions * CUDA_PAGES for sessions in (2, 3)]
