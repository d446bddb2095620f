"""What runs beside the student's code: a small training run from given weights and batches. Nothing here is secret.

The judge runs the same probe with its own training loop, on the same numbers, and compares. The weights and losses that come
back are data; what the network notes about autocast on the way is the worker's word.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear


class _Exact(torch.autograd.Function):
    """A matrix product in float32 that says in its backward pass whether autocast is on, and is rounded by it if so."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, note: Callable[[str, Tensor], None]) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.note = note
        with torch.autocast("cpu", enabled=False):
            return x.float() @ weight.float()

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight = ctx.saved_tensors
        ctx.note("backward", cotangent)
        return (cotangent @ weight.T.float()).to(x.dtype), (x.T.float() @ cotangent).to(weight.dtype), None


class Network(nn.Module):
    """Linear, tanh, a frozen linear, tanh, a product in float32: (b, 6) to (b, 5)."""

    def __init__(self, weights: dict[str, Tensor], note: Callable[[str, Tensor], None]) -> None:
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.frozen = nn.Linear(12, 12, bias=False).requires_grad_(requires_grad=False)
        self.mixing = nn.Parameter(torch.empty(12, 5))
        self.note = note
        self.load_state_dict({name: weights[name].clone() for name in self.state_dict()})

    def forward(self, x: Tensor) -> Tensor:
        """The network's output; notes what its first layer computes with."""
        self.note("weight", self.first.weight)
        first = self.first(x)
        self.note("forward", first)
        second = self.frozen(torch.tanh(first))
        return _Exact.apply(torch.tanh(second), self.mixing, self.note)


class Loss(nn.Module):
    """Cross-entropy of the products with four prototypes, which are learned as well: (b, 5) and labels (b,) to a number."""

    def __init__(self, weights: dict[str, Tensor], factor: float, note: Callable[[str, Tensor], None]) -> None:
        super().__init__()
        self.prototypes = nn.Parameter(weights["prototypes"].clone())
        self.factor, self.note = factor, note

    def forward(self, prediction: Tensor, target: Tensor) -> Tensor:
        """The mean loss of a batch; notes what the product is computed in."""
        logits = linear(prediction, self.prototypes.to(prediction.dtype))
        self.note("loss", logits)
        return self.factor * cross_entropy(logits, target)


def train(
    notebook: Any,
    weights: dict[str, Tensor],
    batches: list[tuple[Tensor, Tensor]],
    *,
    dtype: torch.dtype,
    enabled: bool = True,
    scale: float = 2.0**10,
    growth_interval: int = 1000,
    max_norm: float | None = None,
    factor: float = 1.0,
    stream: bool = False,
) -> dict[str, Any]:
    """Train by ``train_amp``, from ``weights``, with SGD in two groups. The loss is ``factor`` times as large, the rate as small.

    Returns the trained weights, what ``train_amp`` returned, the scale, and for each place in the network the pairs of a
    dtype and of autocast's dtype (or ``off``) that were seen there.
    """
    seen: dict[str, list[tuple[str, str]]] = {}

    def note(place: str, tensor: Tensor) -> None:
        low = str(torch.get_autocast_dtype("cpu")) if torch.is_autocast_enabled("cpu") else "off"
        pair = (str(tensor.dtype).removeprefix("torch."), low.removeprefix("torch."))
        if pair not in seen.setdefault(place, []):
            seen[place].append(pair)

    model, loss = Network(weights, note), Loss(weights, factor, note)
    rate = 0.1 / factor
    groups = [
        {"params": [model.first.weight, model.first.bias]},
        {"params": [model.mixing, loss.prototypes], "lr": rate / 2},
    ]
    optimizer = torch.optim.SGD(groups, lr=rate, momentum=0.5, weight_decay=0.1 * factor)
    scaler = torch.amp.GradScaler("cpu", enabled=enabled, init_scale=scale, growth_interval=growth_interval)
    given = _refilled(batches) if stream else batches
    losses = notebook.train_amp(model, loss, optimizer, given, scaler, device_type="cpu", dtype=dtype, max_norm=max_norm)
    trained = {**dict(model.named_parameters()), "prototypes": loss.prototypes}
    return {
        "weights": {name: parameter.detach().clone() for name, parameter in trained.items()},
        "losses": losses,
        "scale": scaler.get_scale(),
        "seen": seen,
    }


def _refilled(batches: list[tuple[Tensor, Tensor]]) -> Iterator[tuple[Tensor, Tensor]]:
    """The batches in two buffers that are filled in turn: one batch may be read ahead, a second overwrites the first."""
    buffers = [tuple(tensor.clone() for tensor in batches[0]) for _ in range(2)]
    for number, batch in enumerate(batches):
        inputs, targets = buffers[number % 2]
        inputs.copy_(batch[0])
        targets.copy_(batch[1])
        yield inputs, targets
