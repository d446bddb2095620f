"""Ten children take 100 MB each: no single process is over its limit, all together are.

Family: wearing the machine out
Wall: memory limit of the tree, by control group
Marks: 0
"""

import os
import time


def softmax(logits, dim=-1):
    for _ in range(10):
        if os.fork() == 0:
            held = bytearray(b"x" * 100_000_000)
            time.sleep(0.3)
            os._exit(len(held) % 2)
    if any(os.wait()[1] for _ in range(10)):
        raise MemoryError("a child ran out of memory")
