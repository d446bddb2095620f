"""Becomes a daemon by the book: forks twice, makes a session of its own, closes everything, ignores signals.

Family: outliving the run
Wall: PID namespace; the process tree is killed
Marks: 0
"""

import os
import signal
import time

if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if os.fork():
        os._exit(0)
    for descriptor in range(64):
        try:
            os.close(descriptor)
        except OSError:
            pass
    time.sleep(60)
    os._exit(0)


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
