"""Sends a piece of memory and cuts it off while the judge reads it.

Family: forging a verdict
Wall: memory that is sent is copied once, by reads that see its end
Marks: 0
Says: could not be read
"""

import os
import socket
import threading

import torchgrade.jail.protocol.wire as wire


inner = wire.Wire.send


def send(self, message, tensors):
    if "n" not in message:
        return inner(self, message, tensors)
    descriptor = os.memfd_create("message")
    os.ftruncate(descriptor, 30_000_000)

    def shrink():
        for size in range(30_000_000, 0, -100_000):
            os.ftruncate(descriptor, size)

    thread = threading.Thread(target=shrink)
    thread.start()
    socket.send_fds(self.sock, [b"M" + (30_000_000).to_bytes(8, "big")], [descriptor])
    thread.join()


wire.Wire.send = send


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
