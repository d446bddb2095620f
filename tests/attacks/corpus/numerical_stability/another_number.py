"""Answers a call under the number of another one.

Family: forging a verdict
Wall: one numbered answer to each call
Marks: 0
Says: does not belong to the question
"""

import torchgrade.jail.protocol.wire as wire

send = wire.Wire.send
wire.Wire.send = lambda self, message, tensors: send(self, {**message, "n": message.get("n", 0) + 7}, tensors)


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
