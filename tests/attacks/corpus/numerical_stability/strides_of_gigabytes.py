"""An answer of a few megabytes with strides that make it gigabytes when it is laid out as it says.

Family: wearing the machine out
Wall: what the wire reads is bounded before it is made
Marks: 0
Says: gaps of more than
"""

import torchgrade.jail.inside.serve as serve


def encoded(value, outgoing, *_):
    outgoing.append(torch.zeros(7_000_000))
    return {"$": "tensor", "v": 0, "s": [64]}


serve._encoded = encoded


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
