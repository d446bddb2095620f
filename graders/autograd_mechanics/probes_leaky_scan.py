"""What runs beside the student's code. Nothing here is secret."""

import contextlib
import warnings
from typing import Any

import torch
from torch import Tensor


def within(notebook: Any, decay: Tensor, *signals: Tensor) -> Tensor:
    """The result up to the end of each signal, one signal below the other. What stands after the ends is looked at elsewhere."""
    lengths = [len(x) for x in signals]
    y = notebook.leaky_scan(list(signals), decay)
    return torch.cat([row[:n] for row, n in zip(y, lengths, strict=True)])


def backward_in_anomaly_mode(notebook: Any, decay: Tensor, cotangent: Tensor, *signals: Tensor) -> list[Tensor | None]:
    """Gradients of ``decay`` and the signals, as ``backward`` leaves them in ``.grad``, in anomaly mode."""
    leaves = [leaf.clone().requires_grad_() for leaf in (decay, *signals)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            notebook.leaky_scan(leaves[1:], leaves[0]).backward(cotangent)
    return [leaf.grad for leaf in leaves]


def there_and_back(notebook: Any, decay: Tensor, cotangent: Tensor, signals: Tensor) -> Tensor:
    """The result, after a backward pass: where there is none, other checks say so. The signals come in one tensor, on one way."""
    leaves = [leaf.clone().requires_grad_() for leaf in (decay, *signals)]
    y = notebook.leaky_scan(leaves[1:], leaves[0])
    with contextlib.suppress(RuntimeError):
        y.backward(cotangent)
    return y.detach()
