"""Reads whatever it can from every descriptor that it was born with.

Family: reading what is secret
Wall: a session holds its own wire and nothing else
Marks: 0
Says: LOOT ['/dev/null', 'pipe', 'socket']
"""

import os


def softmax(logits, dim=-1):
    kinds = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        kinds.add(target.partition(":")[0])
    kinds -= {k for k in kinds if k.startswith("/proc/")}
    raise ValueError(f"LOOT {sorted(kinds)}")
