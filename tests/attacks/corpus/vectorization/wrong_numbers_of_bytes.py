"""Describes its tensors wrongly: overlapping, out of the message, with negative sizes, with an unknown format.

Family: forging a verdict
Wall: what the wire reads is bounded before it is made
Marks: 0
Says: could not be read
"""

import os

import torchgrade.jail.protocol.wire as wire

headers = [
    b'{"0":{"dtype":"F32","shape":[4],"data_offsets":[0,99999]}}',
    b'{"0":{"dtype":"F32","shape":[-1],"data_offsets":[0,16]}}',
    b'{"0":{"dtype":"PICKLE","shape":[4],"data_offsets":[0,16]}}',
    b'{"7":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}',
    b'{"0":{"dtype":"F32","shape":' + str([1] * 300).encode() + b',"data_offsets":[0,4]}}',
    b"[" * 5000,
]
inner = wire._pack


def pack(tensors):
    header = headers[os.urandom(1)[0] % len(headers)]
    return [len(header).to_bytes(8, "little"), header, b"0" * 16] if tensors else inner(tensors)


wire._pack = pack


# %%
def batch_gather(values, indices):
    return torch.zeros(1)
