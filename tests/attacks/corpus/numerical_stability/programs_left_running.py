"""Starts other programs: a shell in the background, a Python that is detached.

Family: outliving the run
Wall: PID namespace; the process tree is killed
Marks: 0
"""

import subprocess
import sys


def softmax(logits, dim=-1):
    for line in (["/bin/sh", "-c", "sleep 60 & exec sleep 61"], [sys.executable, "-c", "import time; time.sleep(60)"]):
        subprocess.Popen(line, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return torch.zeros_like(logits)
