"""What runs beside the student's code. Nothing here is secret, and what it returns is the worker's word."""

import warnings
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


def count_waits(notebook: Any, values: torch.Tensor, indices: torch.Tensor) -> tuple[torch.Tensor, int]:
    """What ``batch_gather`` returns, and how often it made the CPU wait for the GPU, as far as PyTorch notices."""
    notebook.batch_gather(values.clone(), indices.clone())  # what is set up once, at first use, may wait
    if values.device.type != "cuda":
        return notebook.batch_gather(values, indices), 0
    torch.cuda.synchronize()
    before = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            result = notebook.batch_gather(values, indices)
        finally:
            torch.cuda.set_sync_debug_mode(before)
    return result, sum("synchronizing CUDA operation" in str(warning.message) for warning in seen)


def gather_many(notebook: Any, seed: int, device: torch.device) -> torch.Tensor:
    """The weighted sum of 64 calls of ``batch_gather``; see :func:`summed`."""
    return summed(notebook.batch_gather, seed, device)


def summed(gather: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], seed: int, device: torch.device) -> torch.Tensor:
    """``sum(31 ** (63 - k) * gather(values, indices_k))`` for 64 shifts of the indices, in int64, which wraps: [128, 4, 8]."""
    drawn = torch.Generator(device).manual_seed(seed)
    values = torch.randint(-(2**62), 2**62, (128, 4096, 8), generator=drawn, device=device)
    indices = torch.randint(0, 4096, (128, 4), generator=drawn, device=device)
    total = torch.zeros(128, 4, 8, dtype=torch.int64, device=device)
    for shift in range(64):
        total = 31 * total + gather(values, (indices + 61 * shift) % 4096)
    return total
