"""Sends JSON of 100,000 brackets in brackets, past the encoder.

Family: wearing the machine out
Wall: what the wire reads is bounded before it is made
Marks: 0
Says: no JSON
"""

import torchgrade.jail.protocol.wire as wire

text = b'{"n": 1, "result": ' + b"[" * 20_000 + b"]" * 20_000 + b"}"
inner = wire.Wire.send


def send(self, message, tensors):
    if "n" not in message:
        return inner(self, message, tensors)
    self.sock.sendall(b"I" + len(text).to_bytes(4, "big") + text)


wire.Wire.send = send


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
