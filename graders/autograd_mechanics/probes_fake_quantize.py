"""What runs beside the student's code. Nothing here is secret."""

from typing import Any

from torch import Tensor


def in_bits(notebook: Any, x: Tensor, scale: Tensor, bits: int) -> Tensor:
    """Call with ``bits`` as a keyword."""
    return notebook.fake_quantize(x, scale, bits=bits)


def backward(notebook: Any, x: Tensor, scale: Tensor, cotangent: Tensor) -> list[Tensor | None]:
    """What ``backward`` leaves in the ``.grad`` of ``x`` and ``scale``."""
    x, scale = x.clone().requires_grad_(), scale.clone().requires_grad_()
    notebook.fake_quantize(x, scale).backward(cotangent)
    return [x.grad, scale.grad]
