"""Makes small files until no more can be made (at most 50,000).

Family: wearing the machine out
Wall: bounded /tmp
Marks: 0
Says: Your code
"""

import os


def softmax(logits, dim=-1):
    os.makedirs("/tmp/torchgrade-attack", exist_ok=True)
    for number in range(50_000):
        os.close(os.open(f"/tmp/torchgrade-attack/{number}", os.O_CREAT))
    return torch.zeros_like(logits)
