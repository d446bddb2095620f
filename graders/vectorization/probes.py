"""What runs beside the student's code. Nothing here is secret, and what it returns is the worker's word."""

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_FACTORIES = (
    torch.arange,
    torch.as_tensor,
    torch.empty,
    torch.eye,
    torch.from_numpy,
    torch.full,
    torch.linspace,
    torch.ones,
    torch.tensor,
    torch.zeros,
)


class _ElsewhereByDefault(TorchFunctionMode):
    """Puts tensors that are made without naming a device on another device than the inputs: a GPU's view of the CPU.

    Single numbers stay: torch lets those be mixed with tensors of any device. Row numbers that are used as an index and
    nowhere else do no harm either, here as on a GPU.
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func not in _FACTORIES or kwargs.get("device") is not None or not result.dim():
            return result
        if args and result is args[0]:  # as_tensor of a tensor makes none
            return result
        return torch.empty_like(result, device="meta")


def mixes_devices(notebook: Any, values: torch.Tensor, indices: torch.Tensor) -> bool:
    """Whether ``batch_gather`` mixes its inputs with, or returns, a tensor that is not on the inputs' device."""
    try:
        with _ElsewhereByDefault():
            result = notebook.batch_gather(values, indices)
    except NotImplementedError:  # copied from the stand-in, as one may from a real device: nothing can be told
        return False
    except RuntimeError as error:
        return "meta" in str(error) and "cpu" in str(error).lower()
    return isinstance(result, torch.Tensor) and result.device != values.device
