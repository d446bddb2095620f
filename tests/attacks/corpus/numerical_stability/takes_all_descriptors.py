"""Opens files until it may not any more, and keeps them (at most 100,000).

Family: wearing the machine out
Wall: limit on open files
Marks: 0
Says: Too many open files
"""

held = []


def softmax(logits, dim=-1):
    for _ in range(100_000):
        held.append(open("/dev/null"))
    return torch.zeros_like(logits)
