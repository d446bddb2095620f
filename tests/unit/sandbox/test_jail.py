"""What is said where submissions cannot be jailed."""

import pytest

from torchgrade.sandbox import jail

MOUNTS = """\
22 1 254:0 / / rw - ext4 /dev/root rw
23 22 0:21 / /proc rw - proc proc rw
24 23 0:30 / /proc/sys/fs/binfmt_misc rw - binfmt_misc none rw
"""
NVIDIAS = "41 23 0:55 /proc/driver/nvidia/gpus /proc/driver/nvidia/gpus ro - overlay overlay rw\n"


@pytest.mark.parametrize(
    ("mounts", "said"),
    [(MOUNTS + NVIDIAS, "umount /proc/driver/nvidia/gpus, or start the container with"), (MOUNTS, "ser namespaces")],
    ids=["covered", "free"],
)
def test_what_is_mounted_over_proc_is_named_since_the_kernel_then_allows_no_other(tmp_path, monkeypatch, mounts, said):
    (tmp_path / "bwrap").write_text(
        '#!/bin/sh\necho "bwrap: Can\'t mount proc on /newroot/proc: Operation not permitted" >&2\nexit 1\n'
    )
    (tmp_path / "bwrap").chmod(0o755)
    (tmp_path / "mountinfo").write_text(mounts)
    monkeypatch.setattr(jail, "bubblewrap", lambda: str(tmp_path / "bwrap"))
    monkeypatch.setattr(jail, "_MOUNTS", tmp_path / "mountinfo")
    why = jail.missing()
    assert "Can't mount proc" in why
    assert said in why
