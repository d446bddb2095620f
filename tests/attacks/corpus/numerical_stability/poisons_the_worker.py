"""Changes torch, the engine and Python for good, in memory and on the disk, so that the next fork would have them.

Family: harming others
Wall: each submission is a fork of a worker that ran none; read-only engine
Marks: 0
Says: DONE []
"""

import sys

import torch
import torchgrade.jail.protocol.values

done = []
for path in (torch.__file__, torchgrade.jail.protocol.values.__file__, sys.executable, "/proc/1/mem", "/usr/bin/env"):
    try:
        open(path, "ab").close()
        done.append(path)
    except OSError:
        pass
torch.softmax = torch.Tensor.softmax = torch.nn.functional.softmax = lambda *_, **__: 0
torchgrade.jail.protocol.values.MAX_DEPTH = 10**9


def softmax(logits, dim=-1):
    raise ValueError(f"DONE {done}")
