"""Namespaces, mounts, privileges and limits of one session: the system calls, through ctypes.

bubblewrap makes the jail; this makes each submission's own part of it, because a fork of the warm worker cannot go through
bubblewrap again. Linux only. Constants are the kernel's (include/uapi/linux/{sched,mount,capability,prctl}.h).
"""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NEW_MOUNTS, _NEW_IPC, _NEW_PIDS = 0x0002_0000, 0x0800_0000, 0x2000_0000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXECUTION, _REMOUNT, _BIND, _RECURSIVE = 1, 2, 4, 8, 32, 4096, 16384
_OPTIONS = {"nosuid": _NO_SUID, "nodev": _NO_DEVICES, "noexec": _NO_EXECUTION}
_SET_DUMPABLE, _DROP_BOUNDING, _SET_SUBREAPER, _NO_NEW_PRIVILEGES, _AMBIENT, _CLEAR_ALL = 4, 24, 36, 38, 47, 4
_LAST_CAPABILITY = 63
_CAPABILITY_VERSION = 0x2008_0522

_libc = ctypes.CDLL(None, use_errno=True)


def _must(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def become_subreaper() -> None:
    """Make orphans among the descendants become children of this process, which can then wait for them."""
    _must(_libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0), "cannot become subreaper")


def hide_memory() -> None:
    """Keep other processes of the same user from reading this process's memory or descriptors through ``/proc``."""
    _must(_libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0), "cannot become undumpable")


def show_memory() -> None:
    """The reverse, for a student's own process: a spawned DataLoader worker reads its parent's ``/proc`` entries."""
    _must(_libc.prctl(_SET_DUMPABLE, 1, 0, 0, 0), "cannot become dumpable")


def new_namespaces() -> None:
    """Give the next fork its own process numbers, mounts and System V objects."""
    _must(_libc.unshare(_NEW_MOUNTS | _NEW_IPC | _NEW_PIDS), "cannot make namespaces")


def private_mounts(scratch_bytes: int, keep: Mapping[str, str]) -> None:
    """In the first process of the new namespaces, mount its own ``/proc``, ``/tmp`` and ``/dev/shm``, the last of them bounded.

    ``keep`` says which files and folders of the jail below ``/tmp`` are to stay visible, read-only, and where: a Python that is
    installed there, and the assignment's data files.
    """
    flags = _NO_SUID | _NO_DEVICES
    _read_only_but_proc()
    _must(_libc.mount(b"proc", b"/proc", b"proc", flags | _NO_EXECUTION, None), "cannot mount /proc")
    # No further user namespaces: inside one, code would hold capabilities again.
    Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="ascii")
    # If the judge runs as root, so does the student's code as the kernel sees it (less all capabilities), and root may write
    # kernel settings through /proc: these parts are made read-only. (NVIDIA's switch that suspends all GPUs is in /proc/driver.)
    for part in ("sys", "sysrq-trigger", "irq", "bus", "driver", "fs", "acpi", "scsi"):
        if (target := f"/proc/{part}".encode()) and Path(f"/proc/{part}").exists():
            _must(_libc.mount(target, target, None, _BIND, None), f"cannot bind /proc/{part}")
            read_only = _BIND | _REMOUNT | _READ_ONLY | flags | _NO_EXECUTION
            _must(_libc.mount(None, target, None, read_only, None), f"cannot protect /proc/{part}")
    for hidden in ("kcore", "kmsg", "keys", "timer_list", "latency_stats"):
        if Path(f"/proc/{hidden}").exists():
            _must(_libc.mount(b"/dev/null", f"/proc/{hidden}".encode(), None, _BIND, None), f"cannot hide /proc/{hidden}")
    kept = [(target, os.open(source, os.O_PATH), Path(source).is_dir()) for source, target in keep.items()]
    for target in (b"/tmp", b"/dev/shm"):
        options = f"size={scratch_bytes},nr_inodes=16384,mode=1777".encode()
        _must(_libc.mount(b"tmpfs", target, b"tmpfs", flags, options), f"cannot mount {target.decode()}")
    for name, descriptor, is_folder in kept:
        place = Path(name)
        (place if is_folder else place.parent).mkdir(parents=True, exist_ok=True)
        if not is_folder:
            place.touch()
        source = f"/proc/self/fd/{descriptor}".encode()
        # Together with whatever is mounted below it: an empty folder over one that has to be hidden. The source is read-only, and
        # so is this.
        _must(_libc.mount(source, os.fsencode(name), None, _BIND | _RECURSIVE, None), f"cannot keep {name}")
        os.close(descriptor)


def _read_only_but_proc() -> None:
    """Make every mount read-only that is not yet: above all bubblewrap's ``/dev``, which all sessions of a warm worker share.

    A file there would be found by the next submission; and if the judge runs as root, ``chmod`` on a device node that the jail
    has from the machine would change the machine's node. Writing *to* a device still works. Only this session sees the mounts so.
    """
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        target, options = line.split()[4:6]
        names = options.split(",")
        if target.startswith("/proc") or "rw" not in names:
            continue
        path = target.encode("utf-8", "surrogateescape").decode("unicode_escape").encode("latin-1")  # "\\040" is a space
        kept = sum(flag for name, flag in _OPTIONS.items() if name in names)
        _must(_libc.mount(None, path, None, _BIND | _REMOUNT | _READ_ONLY | kept, None), f"cannot protect {target}")


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilityData(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def drop_privileges() -> None:
    """Give up every capability for good, also across ``exec``."""
    _must(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "cannot set no_new_privs")
    for capability in range(_LAST_CAPABILITY + 1):
        if _libc.prctl(_DROP_BOUNDING, capability, 0, 0, 0) != 0:
            break  # the kernel knows no further ones
    _libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    header, none = _CapabilityHeader(_CAPABILITY_VERSION, 0), (_CapabilityData * 2)()
    _must(_libc.capset(ctypes.byref(header), ctypes.byref(none)), "cannot drop capabilities")


def limit_resources(limits: dict[str, Any]) -> None:
    """Set the limits of each process; those of the whole tree are the control group's, if the machine has one."""
    if limits["address_space"]:
        limit_address_space(limits["memory"])
    resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"], limits["processes"]))
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits["open_files"], limits["open_files"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_size"], limits["file_size"]))
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))
    seconds = int(limits["cpu_seconds"])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def limit_address_space(memory: int) -> None:
    """Let this process take ``memory`` more bytes of address space than it has now."""
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))


def killed_before_others(score: int = 1000) -> None:
    """When memory runs out, have the kernel end this process, not the warm worker; of two, the one with the higher score."""
    Path("/proc/self/oom_score_adj").write_text(str(score), encoding="ascii")
