"""A filter of system calls for student code: whatever no exercise needs is refused by the kernel itself (seccomp).

Namespaces, mounts and lost capabilities are the wall. This takes away most of what could be used to look for a hole in it, and
whatever no namespace separates: keys that outlive a submission, sockets to the host of a virtual machine, process 1 of a session.

    the call is of another instruction set        → the process ends
    it is in the table below                      → EPERM (clone3: ENOSYS, so that the C library takes clone)
    it is a socket of another family than local   → EAFNOSUPPORT
    it makes a namespace, or is about process 1   → EPERM
    anything else                                 → goes on

The program is classic BPF (Documentation/userspace-api/seccomp_filter.rst, include/uapi/linux/{bpf_common,seccomp,audit}.h). It
is written here, in a few lines, because the packages that make such programs need a system library.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

# name: (x86_64, aarch64); None if there is no such call. From the kernel's syscall_64.tbl and asm-generic/unistd.h.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    # reading or steering other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    # keys, which belong to a user and outlive a process
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # System V memory outlives the process that fills it, so ending that process frees nothing
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    # large and young parts of the kernel
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "memfd_secret": (447, 447),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    # the machine
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "iopl": (172, None),
    "ioperm": (173, None),
    "vhangup": (153, 58),
    "syslog": (103, 116),
}
_CLONE, _CLONE3, _SOCKET = (56, 220), (435, 435), (41, 198)
_ABOUT_A_PROCESS = {  # the number of the process is the first argument
    "prlimit64": (302, 261),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
}
_NEW_NAMESPACES = 0x7E02_0000  # every CLONE_NEW… flag of clone(2)
_MACHINES = {"x86_64": (0, 0xC000_003E, 317), "aarch64": (1, 0xC000_00B7, 277)}  # column, AUDIT_ARCH_…, seccomp(2)
_X32 = 0x4000_0000  # the bit of x86_64's third set of calls
_SET_FILTER, _ALLOW_SPECULATION = 1, 4  # the latter: mitigations are no slower than without a filter

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data; the low half of an argument
_ALLOW, _KILL, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def is_known_machine() -> bool:
    """Return whether there is a table of system calls for this machine."""
    return platform.machine() in _MACHINES and sys.maxsize > 1 << 32


def program(machine: str) -> bytes:
    """The filter for ``machine`` (``x86_64`` or ``aarch64``)."""
    column, architecture, _ = _MACHINES[machine]
    refused = [number for numbers in _REFUSED.values() if (number := numbers[column]) is not None]
    code = [_load(_ARCHITECTURE), *_unless(_EQUAL, architecture, _KILL), _load(_NUMBER)]
    if machine == "x86_64":
        code += _when(_AT_LEAST, _X32, _ERRNO | errno.ENOSYS)
    code += _when(_EQUAL, _CLONE3[column], _ERRNO | errno.ENOSYS)
    for number in refused:
        code += _when(_EQUAL, number, _ERRNO | errno.EPERM)
    code += _only_for(_SOCKET[column], _unless(_EQUAL, 1, _ERRNO | errno.EAFNOSUPPORT))
    code += _only_for(_CLONE[column], _when(_ANY_BIT, _NEW_NAMESPACES, _ERRNO | errno.EPERM))
    for numbers in _ABOUT_A_PROCESS.values():
        code += _only_for(numbers[column], _when(_EQUAL, 1, _ERRNO | errno.EPERM))
    return b"".join([*code, _step(_RETURN, _ALLOW)])


def _step(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, if_true, if_false, value)


def _load(offset: int) -> bytes:
    return _step(_LOAD, offset)


def _when(test: int, value: int, answer: int) -> list[bytes]:
    return [_step(test, value, 0, 1), _step(_RETURN, answer)]


def _unless(test: int, value: int, answer: int) -> list[bytes]:
    return [_step(test, value, 1, 0), _step(_RETURN, answer)]


def _only_for(number: int, steps: list[bytes]) -> list[bytes]:
    """``steps`` on the first argument of one call, which is allowed unless they refuse it; any other call skips them."""
    inner = [_load(_FIRST_ARGUMENT), *steps, _step(_RETURN, _ALLOW)]
    return [_step(_EQUAL, number, 0, len(inner)), *inner]


_CODE = program(platform.machine()) if is_known_machine() else b""  # made once, in the warm worker


def refuse() -> None:
    """Put the filter on this process and all that it starts, for good. The process must have given up new privileges."""
    if not _CODE:
        return
    filled = _Program(len(_CODE) // 8, _CODE)
    number = _MACHINES[platform.machine()][2]
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, _SET_FILTER, _ALLOW_SPECULATION, ctypes.byref(filled)) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"cannot filter system calls: {os.strerror(error)}")
