"""What is said where submissions cannot be jailed."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchgrade.jail import SandboxError, troubles
from torchgrade.jail.bubblewrap import Bubblewrap, find_program
from torchgrade.jail.diagnose import doctor

MOUNTS = """\
22 1 254:0 / / rw - ext4 /dev/root rw
23 22 0:21 / /proc rw - proc proc rw
24 23 0:30 / /proc/sys/fs/binfmt_misc rw - binfmt_misc none rw
"""
NVIDIAS = "41 23 0:55 /proc/driver/nvidia/gpus /proc/driver/nvidia/gpus ro - overlay overlay rw\n"


@pytest.mark.parametrize(
    ("mounts", "said"),
    [
        (MOUNTS + NVIDIAS, "umount /proc/driver/nvidia/gpus, or start the container with"),
        (MOUNTS, "the kernel allows no /proc in the jail"),
    ],
    ids=["covered", "free"],
)
def test_what_is_mounted_over_proc_is_named_since_the_kernel_then_allows_no_other(tmp_path, monkeypatch, mounts, said):
    (tmp_path / "bwrap").write_text(
        '#!/bin/sh\necho "bwrap: Can\'t mount proc on /newroot/proc: Operation not permitted" >&2\nexit 1\n'
    )
    (tmp_path / "bwrap").chmod(0o755)
    (tmp_path / "mountinfo").write_text(mounts)
    monkeypatch.setattr(troubles, "MOUNTS", tmp_path / "mountinfo")
    why = Bubblewrap(str(tmp_path / "bwrap")).why_missing()
    assert "Can't mount proc" in why
    assert said in why


PAGE = Path(__file__).parents[3] / "docs" / "troubles.md"


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
            "User names",
        ),
        (
            "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user",
            "User names",
        ),
        ("bwrap: setting up uid map: Permission denied", "User namespaces"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "/proc cannot"),
        ("bwrap: execvp /home/a/.venv/bin/python: No such file or directory", "Python cannot be started"),
        ("/opt/a/bin/python: error while loading shared libraries: libpython3.11.so.1.0: cannot open shared", "Python lacks"),
        ("/a/_bin/bwrap: error while loading shared libraries: libcap.so.2: cannot open shared object file", "bubblewrap lacks"),
        ("bwrap: Can't bind mount /oldroot/data on /newroot/data: Permission denied", "A folder cannot"),
        ("Command '['bwrap']' timed out after 30 seconds", "The jail takes"),
        ("exit status 17", "Something else"),
    ],
)
def test_the_advice_is_for_what_was_said(tmp_path, monkeypatch, said, title):
    (tmp_path / "bwrap").write_text(f'#!/bin/sh\necho "{said}" >&2\nexit 1\n')
    (tmp_path / "bwrap").chmod(0o755)
    (tmp_path / "mountinfo").write_text(MOUNTS)
    monkeypatch.setattr(troubles, "MOUNTS", tmp_path / "mountinfo")
    monkeypatch.setattr(troubles, "_SWITCHES", {})
    with pytest.raises(SandboxError) as told:
        Bubblewrap(str(tmp_path / "bwrap")).require()
    (trouble,) = [each for each in troubles.TROUBLES if each.title.startswith(title) and "{switch}" not in each.advice]
    assert str(told.value) == (
        f"this machine cannot jail submissions ({said}): {trouble.advice.format(python=sys.executable, prefix=sys.base_prefix)}"
    )


def test_a_machine_without_user_namespaces_is_told_which_switch_does_it():
    """In a user namespace of its own, whose switch is its own too."""
    program = "from torchgrade.jail import choose_wall; print(choose_wall().why_missing())"
    script = f'echo 0 > /proc/sys/user/max_user_namespaces; exec "{sys.executable}" -c "{program}"'
    command = [
        find_program(),
        "--dev-bind",
        "/",
        "/",
        "--unshare-user",
        "--uid",
        "0",
        "--cap-add",
        "ALL",
        "--",
        "/bin/sh",
        "-c",
        script,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ})
    assert "as root: sysctl -w user.max_user_namespaces=15000" in done.stdout


def test_the_page_of_troubles_says_what_doctor_says():
    page = " ".join(PAGE.read_text(encoding="utf-8").replace("`", "").split())
    for trouble in troubles.TROUBLES:
        assert f"## {trouble.title} " in page  # a heading is followed by its text
        advice = trouble.advice.format(covers="/proc/…", switch="…", python="Your Python", prefix="its own folder")
        assert advice.lower() in page.lower(), trouble.title
    for keyword in ast.walk(ast.parse(Path(doctor.__file__).read_text(encoding="utf-8"))):
        if isinstance(keyword, ast.keyword) and keyword.arg == "remedy" and isinstance(keyword.value, ast.Constant):
            assert keyword.value.value in page
