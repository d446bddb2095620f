"""Starts threads until it is told to stop (at most 2,000), when its cell runs and at every call.

Family: wearing the machine out
Wall: limits on processes and threads
Marks: 0
Says: can't start new thread
"""

import threading
import time


def softmax(logits, dim=-1):
    for _ in range(2000):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
    return torch.zeros_like(logits)
