"""Control groups: removed with their processes, and those of judges that were killed are removed by the next one."""

import os
import subprocess
import sys

import pytest

from torchgrade.jail.resources import cgroup


def ended_process():
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_the_groups_of_judges_that_were_killed_are_removed_and_no_others(tmp_path):
    gone, alive, other = f"torchgrade-{ended_process()}-0", f"torchgrade-{os.getpid()}-0", "somebody-1-2"
    for name in (gone, alive, other):
        (tmp_path / name).mkdir()
    cgroup._remove_left_over(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([alive, other])


def test_a_group_is_gone_when_it_was_closed():
    group = cgroup.make_group()
    if group is None:
        pytest.skip("this machine lets nobody make control groups")
    folders = [path.parent for path in map(cgroup.Path, group.procs_files)]
    sleeper = subprocess.Popen(
        ["/bin/sh", "-c", 'for f in "$@"; do echo $$ > "$f"; done; exec sleep 60', "sh", *group.procs_files],
        start_new_session=True,
    )
    try:
        while not all(str(sleeper.pid) in path.joinpath("cgroup.procs").read_text().split() for path in folders):
            pass
    finally:
        sleeper.kill()
    group.close()  # while the process may not have been reaped yet
    sleeper.wait()
    assert not any(path.exists() for path in folders)


def test_pages_of_files_are_not_counted_as_memory_in_use(tmp_path):
    (tmp_path / "memory.stat").write_text("cache 900\nrss 70\nrss_huge 64\nshmem 5\nmapped_file 300\ntotal_rss 70\n")
    assert cgroup.ControlGroup({"memory": tmp_path, "pids": tmp_path}).memory() == 75
    (tmp_path / "memory.stat").write_text("anon 70\nfile 900\nkernel 4\nshmem 5\n")
    assert cgroup.ControlGroup({"memory": tmp_path, "pids": tmp_path}).memory() == 79
