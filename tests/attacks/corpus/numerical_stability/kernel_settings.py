"""Writes to the kernel's settings and triggers, mounts, changes its root, and makes namespaces to be root in.

Family: harming others
Wall: no capabilities; read-only /proc; seccomp
Marks: 0
Says: DONE []
"""

import ctypes

done = []
for path in (
    "sys/kernel/core_pattern",
    "sys/kernel/hostname",
    "sysrq-trigger",
    "sys/vm/drop_caches",
    "sys/user/max_user_namespaces",
):
    try:
        open(f"/proc/{path}", "w").close()
        done.append(path)
    except OSError:
        pass
libc = ctypes.CDLL(None)
for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x08000000):
    if libc.unshare(flag) == 0:
        done.append(hex(flag))
    if (pid := libc.syscall(56, flag | 17, 0, 0, 0, 0)) == 0:
        libc._exit(0)
    if pid > 0:
        done.append(f"clone {hex(flag)}")
calls = {"mount": (b"none", b"/tmp", b"tmpfs", 0, 0), "chroot": (b"/tmp",), "sethostname": (b"x", 1), "umount": (b"/tmp",)}
done += [name for name, arguments in calls.items() if getattr(libc, name)(*arguments) == 0]


def softmax(logits, dim=-1):
    raise ValueError(f"DONE {done}")
