"""Makes a child whose parent is not itself but its own parent's, so that it is not among its descendants.

Family: outliving the run
Wall: PID namespace; the process tree is killed
Marks: 0
"""

import ctypes
import os
import time

if ctypes.CDLL(None).syscall(56, 0x8000 | 17, 0, 0, 0, 0) == 0:  # CLONE_PARENT, SIGCHLD
    time.sleep(60)
    os._exit(0)


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
