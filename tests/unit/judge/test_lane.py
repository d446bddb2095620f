"""The quiet lane, across real processes."""

import contextlib
import os
import subprocess
import sys
import time

import pytest

from torchgrade.checks.declared import GraderError, UndecidedError
from torchgrade.judge.race.lane import core_to_race_on, lock_file, quiet_lane

HOLD = """
import sys, time
from pathlib import Path
from torchgrade.judge.race.lane import quiet_lane
with quiet_lane(folder=Path(sys.argv[1])):
    print("ready", flush=True)
    time.sleep(60)
"""


@contextlib.contextmanager
def held(folder):
    with subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout.readline() == b"ready\n"
            yield other
        finally:
            other.kill()


def test_a_wait_that_runs_out_leaves_the_check_open(tmp_path):
    with held(tmp_path), pytest.raises(UndecidedError, match="will be run again"), quiet_lane(patience=0.1, folder=tmp_path):
        pass


def test_the_kernel_frees_the_lane_of_a_process_that_was_killed(tmp_path):
    with held(tmp_path) as other:
        other.kill()
        other.wait()
        with quiet_lane(patience=5.0, folder=tmp_path):
            pass


def test_the_lane_is_free_again_after_a_race_that_raised(tmp_path):
    with pytest.raises(ZeroDivisionError), quiet_lane(folder=tmp_path):
        raise ZeroDivisionError
    with quiet_lane(patience=0.0, folder=tmp_path):
        pass


def test_it_says_how_long_it_waited(tmp_path):
    with quiet_lane(folder=tmp_path) as waited:
        assert 0 <= waited < 60


def test_devices_have_lanes_of_their_own(tmp_path):
    with quiet_lane(folder=tmp_path), quiet_lane("cuda:0", patience=0.0, folder=tmp_path):
        assert lock_file("cuda:0", tmp_path) != lock_file("cuda:1", tmp_path)


def test_a_lane_of_two_in_one_process_is_still_one(tmp_path):
    with quiet_lane(folder=tmp_path), pytest.raises(UndecidedError), quiet_lane(patience=0.0, folder=tmp_path):
        pass


def test_the_lock_is_for_its_owner_alone(tmp_path):
    with quiet_lane(folder=tmp_path):
        status = lock_file(folder=tmp_path).stat()
    assert (status.st_mode & 0o777, status.st_uid) == (0o600, os.getuid())


@pytest.mark.parametrize("kind", ["link", "open to others", "pipe", "folder"])
def test_a_file_that_someone_else_could_have_laid_there_is_not_opened(tmp_path, kind):
    path = lock_file(folder=tmp_path)
    if kind == "link":
        (tmp_path / "elsewhere").touch(0o600)
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "open to others":
        path.touch()
        path.chmod(0o666)
    elif kind == "pipe":
        os.mkfifo(path, 0o600)
    else:
        path.mkdir()
    started = time.monotonic()
    with pytest.raises(GraderError, match="remove it"), quiet_lane(folder=tmp_path):
        pass
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(("cores", "core"), [({0}, None), ({0, 1}, None), ({0, 1, 2}, None), ({0, 2, 5, 7}, 7)])
def test_a_core_of_its_own_where_there_are_enough(monkeypatch, cores, core):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cores)
    assert core_to_race_on() == core
