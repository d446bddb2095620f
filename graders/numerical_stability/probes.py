"""What runs beside the student's code. Nothing here is secret, and what it returns is the worker's word."""

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_FACTORIES = (torch.empty, torch.zeros, torch.ones, torch.full, torch.rand, torch.randn, torch.tensor, torch.eye)


class _ElsewhereByDefault(TorchFunctionMode):
    """Puts floating tensors that are made without naming a device on another device than the inputs: a GPU's view of the CPU.

    Single numbers stay: torch lets those be mixed with tensors of any device.
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func in _FACTORIES and kwargs.get("device") is None and result.dim() and result.is_floating_point():
            return torch.empty_like(result, device="meta")
        return result


def mixes_devices(notebook: Any, name: str, *inputs: torch.Tensor) -> bool:
    """Whether a function of the notebook mixes its inputs with, or returns, a tensor that is not on the inputs' device."""
    try:
        with _ElsewhereByDefault():
            result = getattr(notebook, name)(*inputs)
    except NotImplementedError:  # copied from the stand-in, as one may from a real device: nothing can be told
        return False
    except RuntimeError as error:
        return "meta" in str(error) and "cpu" in str(error)
    return isinstance(result, torch.Tensor) and result.device != inputs[0].device
