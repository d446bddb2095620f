"""Returns more than an answer may have.

Family: wearing the machine out
Wall: largest size of an answer
Marks: 0
Says: too large
"""


def softmax(logits, dim=-1):
    return torch.zeros(12_000_000)
