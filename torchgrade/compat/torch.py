"""torch's dispatch modes, which count the operations of a call. torch documents them, but in a module with a private name."""

from torch.utils._python_dispatch import TorchDispatchMode

__all__ = ["TorchDispatchMode"]
