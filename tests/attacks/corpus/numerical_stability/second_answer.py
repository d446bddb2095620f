"""Sends the answer to the next call together with the answer to this one, so that the next call is never looked at.

Even a right function does not get through with it. The first answer is long, so that the second is there before it has been read.

Family: forging a verdict
Wall: one numbered answer to each call
Marks: 2.5
Says: answered before it was asked
"""

import torchgrade.jail.protocol.wire as wire

send = wire.Wire.send


def twice(self, message, tensors):
    if "n" not in message:
        send(self, message, tensors)
        return
    send(self, {**message, "while you read": "x" * 4_000_000}, tensors)
    send(self, {**message, "n": message["n"] + 1}, tensors)


wire.Wire.send = twice


def softmax(logits, dim=-1):
    return torch.softmax(logits, dim)
