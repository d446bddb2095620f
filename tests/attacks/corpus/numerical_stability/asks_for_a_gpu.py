"""Takes GPU memory without end where there is a GPU.

Family: wearing the machine out
Wall: no device of a GPU is in the jail
Marks: 0
Says: Your code raised
"""


def softmax(logits, dim=-1):
    held = [torch.empty(1 << 28, device="cuda") for _ in range(1000)]
    return held[0]
