"""torch's dispatch modes see every operation of a call, in the order in which they run."""

import torch

from torchgrade.compat.torch import TorchDispatchMode


class Listed(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


def test_a_mode_sees_each_operation():
    x = torch.ones(3)
    with Listed() as listed:
        (x + 1).exp()
    x.sin()
    assert listed.names == ["add", "exp"]
