"""One tensor of a few kilobytes, named ten thousand times with gaps between its numbers: gigabytes once copied.

Family: wearing the machine out
Wall: what the wire reads is bounded before it is made
Marks: 0
Says: could not be read
"""

import torchgrade.jail.inside.serve as serve


def encoded(value, outgoing, *_):
    outgoing.append(torch.zeros(4096))
    return [{"$": "tensor", "v": 0, "s": [64]}] * 10_000


serve._encoded = encoded


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
