"""Sends pipes, sockets, endless devices and files of /proc where a piece of memory belongs, many at a time.

Family: wearing the machine out
Wall: descriptors are closed unread; only memory of the size that was said is read
Marks: 0
Says: could not be read
"""

import os
import socket

import torchgrade.jail.protocol.wire as wire


inner = wire.Wire.send


def send(self, message, tensors):
    if "n" not in message:
        return inner(self, message, tensors)
    held = [*os.pipe(), os.open("/dev/zero", os.O_RDONLY), os.open("/proc/self/maps", os.O_RDONLY), os.memfd_create("x")]
    choice = os.urandom(1)[0] % (len(held) + 1)
    chosen = held if choice == len(held) else [held[choice]]
    socket.send_fds(self.sock, [b"M" + (20_000_000).to_bytes(8, "big")], chosen)


wire.Wire.send = send


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
