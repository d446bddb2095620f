"""Writes until nothing fits any more: to /tmp, to shared memory, to files in memory.

Family: wearing the machine out
Wall: bounded /tmp and /dev/shm; largest size of a file
Marks: 0
Says: No space left
"""


def softmax(logits, dim=-1):
    with open("/dev/shm/torchgrade-attack", "wb") as shared, open("/tmp/torchgrade-attack", "wb") as file:
        for _ in range(300):
            file.write(bytes(1_000_000))
            shared.write(bytes(1_000_000))
    return torch.zeros_like(logits)
