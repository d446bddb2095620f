"""The hostile submission of :mod:`torchgrade.jail.diagnose.attack_check`: its text runs as a notebook's cell, in the jail.

The functions of the first kind answer with what they got, which should be nothing. Those of the second kind take until they are
stopped, and have a bound of their own in case nobody stops them.
"""

# It is written as an attacker would:
# ruff: noqa: ARG001, FURB122, PERF401, PTH101, PTH110, PTH113, PTH116, PTH123, PTH208, S108

import ctypes
import os
import resource
import socket
import time
from typing import Any

_libc = ctypes.CDLL(None, use_errno=True)
_NOTE = "torchgrade-attack"
_FOLDERS = ("/tmp", "/dev/shm", "/dev", "/dev/mqueue", "/", "/run", "/var/tmp", "/usr", "/etc", "/engine", "/proc", "/sys")
_OWN = ("/tmp", "/dev/shm")


def files_read(hints: dict[str, Any]) -> list[Any]:
    """Files of the machine whose paths are known."""
    found = []
    for place in hints["places"]:
        for root in ("", *(f"/proc/{pid}/root" for pid in (1, os.getppid(), hints["judge"]))):
            if os.path.isfile(root + place):
                found.append(root + place)
    return found


def environment_read(hints: dict[str, Any]) -> list[Any]:
    """The planted variable, in any process."""
    found = []
    for pid in [name for name in os.listdir("/proc") if name.isdigit()] + [str(hints["judge"])]:
        try:
            with open(f"/proc/{pid}/environ", errors="replace") as file:
                if hints["token"] in file.read():
                    found.append(f"process {pid}")
        except OSError:
            continue
    return found


def network_reached(hints: dict[str, Any]) -> list[Any]:
    """Network interfaces, and anybody who listens on the machine."""
    found = []
    with open("/proc/net/dev") as file:
        found += [name for line in file.readlines()[2:] if (name := line.split(":")[0].strip()) != "lo"]
    try:
        with socket.create_connection(("127.0.0.1", hints["port"]), timeout=0.5) as connection:
            found.append(connection.recv(100).decode())
    except OSError:
        pass
    return found


def processes_seen(hints: dict[str, Any]) -> list[Any]:
    """Processes that do not belong to this session."""
    own = {1, os.getpid(), os.getppid()}
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in own]


def memory_read(hints: dict[str, Any]) -> list[Any]:
    """Memory and descriptors of the session's keeper and of the judge."""
    found = []
    for pid in (1, hints["judge"]):
        for name in ("mem", "environ", "maps", "fd/3"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    file.read(1)
                found.append(f"/proc/{pid}/{name}")
            except OSError:
                continue
    if _libc.ptrace(16, 1, 0, 0) == 0:
        found.append("ptrace")
    return found


def places_written(hints: dict[str, Any]) -> list[Any]:
    """Folders and device nodes that can be changed."""
    found = []
    for folder in _FOLDERS:
        if folder in _OWN:
            continue
        try:
            with open(f"{folder}/{_NOTE}", "w"):
                found.append(folder)
        except OSError:
            continue
    try:
        os.chmod("/dev/null", os.stat("/dev/null").st_mode & 0o7777)
        found.append("the mode of /dev/null")
    except OSError:
        pass
    return found


def privileges_gained(hints: dict[str, Any]) -> list[Any]:
    """Capabilities, settings, namespaces."""
    found = []
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(("CapEff", "CapBnd", "CapPrm")) and int(line.split()[1], 16):
                found.append(line.strip())
    if os.path.exists("/proc/sys/kernel/core_pattern") and os.access("/proc/sys/kernel/core_pattern", os.W_OK):
        found.append("/proc/sys")
    for name, flag in {"user": 0x10000000, "mount": 0x20000, "network": 0x40000000}.items():
        if _libc.unshare(flag) == 0:
            found.append(f"a new {name} namespace")
    return found


def kernel_doors_open(hints: dict[str, Any]) -> list[Any]:
    """System calls and socket families that no exercise needs."""
    numbers = {"add_key": 248, "bpf": 321, "userfaultfd": 323, "perf_event_open": 298, "io_uring_setup": 425}
    if os.uname().machine == "aarch64":
        numbers = {"add_key": 217, "bpf": 280, "userfaultfd": 282, "perf_event_open": 241, "io_uring_setup": 425}
    found = []
    for name, number in numbers.items():
        ctypes.set_errno(0)
        if _libc.syscall(number, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
            found.append(name)
    for family in (socket.AF_INET, 16, 40):
        try:
            socket.socket(family, socket.SOCK_STREAM if family == 40 else socket.SOCK_DGRAM).close()  # noqa: PLR2004
            found.append(f"sockets of family {int(family)}")
        except OSError:
            continue
    return found


def keeper_harmed(hints: dict[str, Any]) -> list[Any]:
    """Harm done by limits and signals to the first process of the session."""
    found = []
    try:
        resource.prlimit(1, resource.RLIMIT_CORE, (0, 0))
        found.append("its limits")
    except OSError:
        pass
    for pid in (1, hints["judge"]):
        try:
            os.kill(pid, 0 if pid == hints["judge"] else 9)
        except OSError:
            continue
    time.sleep(0.05)
    if not os.path.exists("/proc/1"):
        found.append("its life")
    return found


def leave_notes(hints: dict[str, Any]) -> list[Any]:
    """Leave files, shared memory and a process behind."""
    for folder in _FOLDERS:
        try:
            with open(f"{folder}/{_NOTE}", "w"):
                pass
        except OSError:
            continue
    _libc.shmget(0x7467, 4096, 0o1666)
    if os.fork() == 0:
        os.setsid()
        time.sleep(30)
        os._exit(0)
    return []


def notes_found(hints: dict[str, Any]) -> list[Any]:
    """Return what an earlier session left."""
    found = [folder for folder in _FOLDERS if os.path.exists(f"{folder}/{_NOTE}")]
    if _libc.shmget(0x7467, 4096, 0) != -1:
        found.append("System V memory")
    return found + processes_seen(hints)


def fork_without_end() -> str:
    """Fork, 300 times at most."""
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(3)
            os._exit(0)
    return "300 processes at a time"


def take_memory_alone() -> str:
    """Take up to 1 GB."""
    held = [bytearray(16 << 20) for _ in range(64)]
    return f"{len(held) * 16} MB in one process"


def take_memory_together() -> str:
    """Take 120 MB in each of eight children, where 256 MB are allowed; count those that still have it once all have reported."""
    pids, pipes = [], []
    until, end = os.pipe()
    for _ in range(8):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(end)
            held = bytearray(b"x") * (120 << 20)
            os.write(write, b"%d" % (len(held) > 0))
            os.read(until, 1)
            os._exit(0)
        os.close(write)
        pids.append(pid)
        pipes.append(read)
    for pipe in pipes:
        os.read(pipe, 1)
    # The kernel may end a child that has already reported, for the sake of the next one.
    count = sum(os.waitpid(pid, os.WNOHANG) == (0, 0) for pid in pids)
    return "960 MB in eight processes" if count == len(pids) else "some were ended by the kernel"


def loop_without_end() -> str:
    """Compute for 20 seconds at most."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        pass
    return "20 s"


def fill_the_disk() -> str:
    """Write up to 64 MB."""
    with open(f"/dev/shm/{_NOTE}", "wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    return "64 MB"
