"""Answers vector-Jacobian products with too few gradients, of other shapes, and with text instead of tensors.

Family: forging a verdict
Wall: exact-type intake
Marks: 10
Says: backward pass did not give
"""

import os

import torchgrade.jail.inside.serve as serve

kinds = [{"result": []}, {"result": ["passed"]}, {"result": None}, {"result": [{"$": "tensor", "v": 0}]}]


def product(server, request, tensors, outgoing):
    outgoing.append(torch.zeros(1))
    return dict(kinds[os.urandom(1)[0] % len(kinds)])


serve.Server._product = product


def softmax(logits, dim=-1):
    return torch.softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
