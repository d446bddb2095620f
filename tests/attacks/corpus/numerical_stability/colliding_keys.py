"""A dict of 100,000 numbers that all have one hash: building it in the judge would take minutes.

Family: wearing the machine out
Wall: what the wire reads is bounded before it is made
Marks: 0
Says: a list of more than
"""

import torchgrade.jail.inside.serve as serve

pairs = [[n * (2**61 - 1), 0] for n in range(100_000)]
serve._encoded = lambda value, outgoing, *_: {"$": "dict", "v": pairs}


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
