"""An answer of 15 MB of brackets, which would be half a gigabyte of empty lists.

Family: wearing the machine out
Wall: what the wire reads is bounded before it is made
Marks: 0
Says: values
"""

import os

import torchgrade.jail.protocol.wire as wire

text = b'{"n": 1, "result": [' + b"[]," * 5_000_000 + b"[]]}"


inner = wire.Wire.send


def send(self, message, tensors):
    if "n" not in message:
        return inner(self, message, tensors)
    descriptor = os.memfd_create("message")
    body = len(text).to_bytes(4, "big") + text
    os.write(descriptor, body)
    import socket

    socket.send_fds(self.sock, [b"M" + len(body).to_bytes(8, "big")], [descriptor])
    os.close(descriptor)


wire.Wire.send = send


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
