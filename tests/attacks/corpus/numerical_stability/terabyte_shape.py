"""Returns a view that claims 4 TB, of one number.

Family: wearing the machine out
Wall: memory limit of the process; sizes are checked before anything is allocated
Marks: 0
Says: Your code
"""


def softmax(logits, dim=-1):
    return torch.zeros(1).expand(1 << 40)
