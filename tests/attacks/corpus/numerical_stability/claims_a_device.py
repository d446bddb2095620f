"""Marks its result as living on the meta device, on a GPU that is not there, and on devices that no one has heard of.

Family: forging a verdict
Wall: exact-type intake
Marks: 0
Says: a tensor on device
"""

import os

import torchgrade.jail.protocol.values as values

inner = values._encode_tensor
devices = ["meta", "cuda:77", "xla", "privateuseone", "mps"]


def encoded(value, tensors):
    return {**inner(value, tensors), "on": devices[os.urandom(1)[0] % len(devices)]}


values._encode_tensor = encoded


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
