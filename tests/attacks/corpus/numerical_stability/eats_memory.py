"""Takes memory until there is none, keeps it, and goes on trying (4 GB at most).

Family: wearing the machine out
Wall: memory limit of the process
Marks: 0
Says: MemoryError
"""

held = []


def softmax(logits, dim=-1):
    for _ in range(400):
        held.append(bytearray(10_000_000))
    return torch.zeros_like(logits)
