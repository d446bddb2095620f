"""Leaves a thread behind that answers later calls itself, and works on while others are graded.

Family: outliving the run
Wall: a process with threads is not forked; the process tree is killed
Marks: 0
"""

import threading
import time


def work():
    deadline = time.time() + 60
    while time.time() < deadline:
        time.sleep(0.01)


threading.Thread(target=work).start()


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
