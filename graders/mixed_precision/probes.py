"""What runs beside the student's code: a small training run from given weights and batches. Nothing here is secret.

The judge runs the same probe with its own training loop, on the same numbers, and compares. The weights and losses that come
back are data; what the network notes about autocast on the way is the worker's word.
"""

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, linear

_CPU = torch.device("cpu")


class _Exact(torch.autograd.Function):
    """A matrix product in float32 that says in its backward pass whether autocast is on, and is rounded by it if so."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, note: Callable[[str, Tensor], None]) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.note = note
        with torch.autocast(x.device.type, enabled=False):
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
    """Cross-entropy of the products with four prototypes: (b, 5) and labels (b,) to a number. ``learnt``: they are parameters."""

    def __init__(
        self, weights: dict[str, Tensor], factor: float, note: Callable[[str, Tensor], None], *, learnt: bool = False
    ) -> None:
        super().__init__()
        self.prototypes = nn.Parameter(weights["prototypes"].clone(), requires_grad=learnt)
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
    rate: float = 0.1,
    decay: float = 0.1,
    learnt_loss: bool = False,
    stream: bool = False,
    device: torch.device = _CPU,
) -> dict[str, Any]:
    """Train by ``train_amp``, from ``weights``, with SGD in two groups. The loss is ``factor`` times as large, the rate as small.

    ``decay`` is that of the weights. ``learnt_loss``: the loss has parameters of its own, in the optimizer's second group. The
    model lives on ``device``; the batches come from the CPU.

    Returns the trained weights, what ``train_amp`` returned, the scale, and for each place in the network the pairs of a
    dtype and of autocast's dtype (or ``off``) that were seen there.
    """
    seen: dict[str, list[tuple[str, str]]] = {}

    def note(place: str, tensor: Tensor) -> None:
        low = str(torch.get_autocast_dtype(device.type)) if torch.is_autocast_enabled(device.type) else "off"
        pair = (str(tensor.dtype).removeprefix("torch."), low.removeprefix("torch."))
        if pair not in seen.setdefault(place, []):
            seen[place].append(pair)

    model, loss = Network(weights, note).to(device), Loss(weights, factor, note, learnt=learnt_loss).to(device)
    rate /= factor
    groups = [
        {"params": [model.first.weight, model.first.bias]},
        {"params": [model.mixing, loss.prototypes] if learnt_loss else [model.mixing], "lr": rate / 2},
    ]
    optimizer = torch.optim.SGD(groups, lr=rate, momentum=0.5, weight_decay=decay * factor)
    scaler = torch.amp.GradScaler(device.type, enabled=enabled, init_scale=scale, growth_interval=growth_interval)
    given = _refilled(batches) if stream else batches
    losses = notebook.train_amp(model, loss, optimizer, given, scaler, device_type=device.type, dtype=dtype, max_norm=max_norm)
    trained = {**dict(model.named_parameters()), "prototypes": loss.prototypes}
    return {
        "weights": {name: parameter.detach().cpu().clone() for name, parameter in trained.items()},
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


class _OwnWaits(torch.amp.GradScaler):
    """A scaler whose own waiting for the GPU is not noticed."""

    def scale(self, outputs: Any) -> Any:
        with _unnoticed():
            return super().scale(outputs)

    def unscale_(self, optimizer: torch.optim.Optimizer) -> None:
        with _unnoticed():
            super().unscale_(optimizer)

    def step(self, optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> float | None:
        with _unnoticed():
            return super().step(optimizer, *args, **kwargs)

    def update(self, new_scale: float | Tensor | None = None) -> None:
        with _unnoticed():
            super().update(new_scale)

    def get_scale(self) -> float:
        with _unnoticed():
            return float(super().get_scale())


@contextlib.contextmanager
def _unnoticed() -> Iterator[None]:
    if not torch.cuda.is_initialized():
        yield
        return
    before = torch.cuda.get_sync_debug_mode()
    torch.cuda.set_sync_debug_mode(0)
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode(before)


def count_waits(
    notebook: Any, weights: dict[str, Tensor], batches: list[tuple[Tensor, Tensor]], *, dtype: torch.dtype, device: torch.device
) -> tuple[list[float], int]:
    """Train on batches that are on the device: the losses, and how often the CPU waited for it, as far as PyTorch notices.

    What the scaler does by itself is not counted.
    """
    model, loss = (part.to(device) for part in (Network(weights, _ignore), Loss(weights, 1.0, _ignore)))
    parameters = [parameter for part in (model, loss) for parameter in part.parameters() if parameter.requires_grad]
    optimizer, scaler = torch.optim.SGD(parameters, lr=0.1), _OwnWaits(device.type, init_scale=1024.0)
    given = [(inputs.to(device), targets.to(device)) for inputs, targets in batches]
    options = {"device_type": device.type, "dtype": dtype}
    notebook.train_amp(model, loss, optimizer, given[:1], scaler, **options)  # what is set up once, at first use, may wait
    if device.type != "cuda":
        return notebook.train_amp(model, loss, optimizer, given, scaler, **options), 0
    torch.cuda.synchronize()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            losses = notebook.train_amp(model, loss, optimizer, given, scaler, **options)
        finally:
            torch.cuda.set_sync_debug_mode("default")
    return losses, sum("synchronizing CUDA operation" in str(warning.message) for warning in seen)


def _ignore(_place: str, _tensor: Tensor) -> None:
    pass


def checkerboard(notebook: Any, seed: int, side: int, device: torch.device) -> list[float]:
    """The losses of four steps in float16 by ``train_amp``, and that of the network after them; see :func:`learn`."""
    return learn(notebook.train_amp, seed, side, device)


def checkerboard_in_full(_: Any, seed: int, side: int, device: torch.device) -> list[float]:
    """The same in float32, by a plain loop."""
    return learn(train_in_full, seed, side, device)


def learn(train_by: Callable[..., list[float]], seed: int, side: int, device: torch.device) -> list[float]:
    """Four steps of a network of 1 x 1 convolutions, 256 wide, that learns a ``side`` x ``side`` checkerboard from coordinates.

    Weights and board are drawn on the device from ``seed``. Gives the losses, and the mean absolute output after them.
    """
    drawn = torch.Generator(device).manual_seed(seed)
    layers: list[nn.Module] = []
    for given, wide in ((2, 256), (256, 256), (256, 256), (256, 256)):
        layers += [nn.Conv2d(given, wide, 1, device=device), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Conv2d(256, 1, 1, device=device))
    with torch.no_grad():
        for parameter in model.parameters():
            size = (2 / parameter[0].numel()) ** 0.5 if parameter.dim() > 1 else 0.1
            parameter.copy_(size * torch.randn(parameter.shape, generator=drawn, device=device))
    line = torch.linspace(-1, 1, side, device=device)
    offset = torch.rand(2, 1, 1, generator=drawn, device=device)
    grid = torch.stack(torch.meshgrid(line, line, indexing="ij"))
    board = ((4 * (grid + offset)).floor().sum(0) % 2)[None, None]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler(device.type, init_scale=1024.0)
    batches = [(grid[None], board)] * 4
    losses = train_by(
        model, binary_cross_entropy_with_logits, optimizer, batches, scaler, device_type=device.type, dtype=torch.float16
    )
    with torch.no_grad():
        return [*losses, model(grid[None, :, ::8, ::8]).abs().mean().item()]


def train_in_full(
    model: nn.Module,
    loss_fn: Callable[[Tensor, Tensor], Tensor],
    optimizer: torch.optim.Optimizer,
    batches: list[tuple[Tensor, Tensor]],
    *_: Any,
    **__: Any,
) -> list[float]:
    """The same steps in float32."""
    losses = []
    for inputs, targets in batches:
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.detach())
    return [loss.item() for loss in losses]
