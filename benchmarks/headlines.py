"""The effects that the course teaches, on this machine's GPU or else its processor, beside the figures that are reported of them.

python -m benchmarks.headlines [--device cpu|cuda]

Each row times two ways to the same result, in turn, and says how many times as long the first takes as the second; or it counts
the bytes that autograd saves for each. Both results are compared before anything is measured. The reported figures are of others,
on other hardware and versions, or follow from counting: they say what a reader has been promised, not what must come out here.
Some effects are taught with no figure.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.benchmark import Timer

from benchmarks.machine import FOLDER, keep, svg_pyplot
from torchgrade import saved_for_backward

ROUNDS = 7
ROUND_SECONDS = 0.3
"""For each of both ways, in each round."""

Way = Callable[[], Any]


@dataclasses.dataclass(frozen=True)
class Effect:
    """Two ways to the same result; ``reported`` is the ratio that others report for the slow one over the quick one.

    ``saved``: what is compared is not the time, but the bytes that autograd saves for the backward pass.
    """

    name: str
    slow: Way
    quick: Way
    reported: float | None = None
    said: str = "no figure"
    tolerance: float = 1e-4
    saved: bool = False


def effects(device: torch.device) -> Iterator[Effect]:
    """All of them, one at a time, so that only one holds memory."""
    yield from _gathers(device)
    yield from _sums(device)
    yield _ranges(device)
    yield _merge(device)
    yield _ragged(device)
    yield _training(device)
    yield from _uniformity(device)
    yield _overlap(device)
    yield from _scans(device)
    yield _curvature(device)
    yield _frozen(device)


def _gathers(device: torch.device) -> Iterator[Effect]:
    values = torch.randn(1024, 64, device=device)
    indices = torch.randint(0, 64, (1024, 16), device=device)

    def loop(values: Tensor, indices: Tensor) -> Tensor:
        return torch.stack([entries[index] for entries, index in zip(values, indices, strict=True)])

    unit = torch.jit.CompilationUnit(_SCRIPTED)
    name = "batched gather, 1024 rows of 64, 16 of each"
    yield Effect(
        f"{name}: loop / torch.gather", lambda: loop(values, indices), lambda: values.gather(1, indices), 100, "100 times"
    )
    yield Effect(
        f"{name}: loop / scripted loop", lambda: loop(values, indices), lambda: unit.gather_all(values, indices), 1.1, "10 %"
    )


_SCRIPTED = """
def gather_all(values: Tensor, indices: Tensor) -> Tensor:
    picked: List[Tensor] = []
    for b in range(values.size(0)):
        picked.append(values[b][indices[b]])
    return torch.stack(picked)
"""


def _sums(device: torch.device) -> Iterator[Effect]:
    x = torch.randn(1000, 100, device=device)

    def sliced() -> Tensor:
        total = torch.zeros(100, device=device)
        for row in range(len(x)):
            total = total + x[row]
        return total

    def unbound() -> Tensor:
        total = torch.zeros(100, device=device)
        for row in x.unbind(0):
            total = total + row
        return total

    yield Effect("sum of 1000 rows: slices / sum", sliced, lambda: x.sum(0), 100, "100 times", tolerance=1e-3)
    yield Effect("sum of 1000 rows: slices / unbind", sliced, unbound, 1.3, "30 %", tolerance=1e-3)


def _training(device: torch.device) -> Effect:
    """A step of a network of 1 x 1 convolutions, 256 wide, that learns a checkerboard from its coordinates."""
    side = 512 if device.type == "cuda" else 128  # a processor takes seconds for a step of the large one
    line = torch.linspace(-1, 1, side, device=device)
    grid = torch.stack(torch.meshgrid(line, line, indexing="ij"))[None]
    board = ((grid[:, :1] * 4).floor() + (grid[:, 1:] * 4).floor()) % 2
    dtype = torch.float16 if device.type == "cuda" else torch.bfloat16

    def step(*, mixed: bool) -> Way:
        torch.manual_seed(0)
        layers: list[nn.Module] = [nn.Conv2d(2, 256, 1), nn.ReLU()]
        for _ in range(3):
            layers += [nn.Conv2d(256, 256, 1), nn.ReLU()]
        model = nn.Sequential(*layers, nn.Conv2d(256, 1, 1)).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        scaler = torch.amp.GradScaler(device.type, enabled=mixed and dtype is torch.float16)

        def run() -> Tensor:
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(device.type, dtype, enabled=mixed):
                loss = nn.functional.binary_cross_entropy_with_logits(model(grid).float(), board)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            return loss.detach()

        return run

    name = f"training step, {side} x {side} checkerboard, width 256: float32 / mixed ({str(dtype).removeprefix('torch.')})"
    return Effect(name, step(mixed=False), step(mixed=True), 2, "up to 2 times", tolerance=2e-2)


def _ranges(device: torch.device) -> Effect:
    """Sums over overlapping ranges of rows: a slice for each, and all rows of all ranges in one list."""
    rows, queries = 20_000, 4000
    x = torch.randn(rows, 8, device=device)
    starts = torch.randint(0, rows - 40, (queries,), device=device)
    stops = starts + torch.randint(0, 40, (queries,), device=device)
    bounds = list(zip(starts.tolist(), stops.tolist(), strict=True))

    def sliced() -> Tensor:
        return torch.stack([x[start:stop].sum(0) for start, stop in bounds])

    def listed() -> Tensor:
        lengths = stops - starts
        query = torch.repeat_interleave(lengths)
        before = lengths.cumsum(0) - lengths
        row = torch.arange(len(query), device=device) + (starts - before)[query]
        return torch.zeros(queries, 8, device=device).index_add(0, query, x[row])

    return Effect("sums of 4000 ranges of up to 40 rows: slices / index_add", sliced, listed)


def _merge(device: torch.device) -> Effect:
    """A linear layer of each pair of one vector of a and one of b: of the pairs, and of a and b apart."""
    a, b = torch.randn(256, 1, 192, device=device), torch.randn(1, 256, 192, device=device)
    weight = torch.randn(16, 384, device=device)

    def of_pairs() -> Tensor:
        return torch.cat([a.expand(256, 256, 192), b.expand(256, 256, 192)], -1) @ weight.T

    def apart() -> Tensor:
        return a @ weight[:, :192].T + b @ weight[:, 192:].T

    return Effect("linear layer of 256 x 256 pairs of 192 numbers: of the pairs / of each half", of_pairs, apart, tolerance=1e-3)


def _ragged(device: torch.device) -> Effect:
    """Attention over keys of different counts: example by example, and padded to one size."""
    queries, keys, values = (torch.randn(1024, size, 16, device=device) for size in (4, 8, 8))
    lengths = torch.randint(1, 9, (1024,), device=device)
    counts = lengths.tolist()

    def each_alone() -> Tensor:
        attention = nn.functional.scaled_dot_product_attention
        return torch.stack([attention(q, k[:n], v[:n]) for q, k, v, n in zip(queries, keys, values, counts, strict=True)])

    def padded() -> Tensor:
        taken = torch.arange(8, device=device) < lengths[:, None, None]
        return nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=taken)

    return Effect("attention of 1024 examples over 1 to 8 keys: one by one / padded and masked", each_alone, padded)


def _uniformity(device: torch.device) -> Iterator[Effect]:
    """Log of the mean of exp(-2 d²) over all pairs of vectors made unit vectors, and its gradient.

    The reported figure is a GPU's. On a processor the ratio hangs on the length of the vectors.
    """
    above = torch.ones(1024, 1024, dtype=torch.bool, device=device).triu(1)
    reported = {128: (19.4 / 2.26, "19.4 ms, 2.26 ms, on a GPU"), 1024: (None, "no figure")}
    for length, (ratio, said) in reported.items():
        vectors = torch.randn(1024, length, device=device, requires_grad=True)

        def by_pdist(vectors: Tensor = vectors) -> Tensor:
            loss = torch.pdist(nn.functional.normalize(vectors)).square().mul(-2).exp().mean().log()
            return torch.autograd.grad(loss, vectors)[0]

        def by_product(vectors: Tensor = vectors) -> Tensor:
            x = nn.functional.normalize(vectors)
            squares = 2 - 2 * (x @ x.T)
            loss = squares.mul(-2).exp().masked_select(above).mean().log()
            return torch.autograd.grad(loss, vectors)[0]

        name = f"uniformity loss and gradient, 1024 x {length}: pdist / matrix product"
        yield Effect(name, by_pdist, by_product, ratio, said)


def overlap(one: Tensor, other: Tensor) -> Tensor:
    """Intersection over union of each pair of boxes (x1, y1, x2, y2): [n, 4] and [m, 4] give [n, m]."""
    top = torch.maximum(one[:, None, :2], other[None, :, :2])
    bottom = torch.minimum(one[:, None, 2:], other[None, :, 2:])
    width, height = (bottom - top).clamp(min=0).unbind(-1)
    shared = width * height
    areas = [((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])) for boxes in (one, other)]
    return shared / (areas[0][:, None] + areas[1][None] - shared)


def _overlap(device: torch.device) -> Effect:
    corners = [torch.rand(count, 2, device=device) for count in (100, 1000)]
    one, other = (torch.cat([corner, corner + torch.rand_like(corner) + 0.1], 1) for corner in corners)
    fused = torch.compile(overlap)
    return Effect(
        "box overlap, 100 x 1000: one operation after the other / fused by torch.compile",
        lambda: overlap(one, other),
        lambda: fused(one, other),
        238 / 40.3,
        "238 µs, 40.3 µs",
    )


def _scans(device: torch.device) -> Iterator[Effect]:
    """The sum of a signal, and its gradient, in which each step keeps 0.9 of what was there."""
    signals = torch.randn(256, 64, 4, device=device, requires_grad=True)

    def gradient(results: Callable[[], Tensor]) -> Way:
        return lambda: torch.autograd.grad(results().square().sum(), signals)[0]

    def each_alone() -> Tensor:
        return torch.stack([torch.stack(list(steps(signal))) for signal in signals])

    def steps(x: Tensor) -> Iterator[Tensor]:
        total = torch.zeros_like(x[0])
        for entry in x:
            total = 0.9 * total + entry
            yield total

    def all_at_once() -> Tensor:
        return torch.stack(list(steps(signals.transpose(0, 1))), dim=1)

    def into_memory() -> Tensor:
        sums = torch.zeros_like(signals)
        for place, total in enumerate(steps(signals.transpose(0, 1))):
            sums[:, place] = total
        return sums

    name = "leaky sums of 256 signals over 64 steps, with gradients"
    together = gradient(all_at_once)
    yield Effect(f"{name}: signal by signal / all at once", gradient(each_alone), together)
    yield Effect(f"{name}: written into one tensor / stacked", gradient(into_memory), together)


def _curvature(device: torch.device) -> Effect:
    """A Hessian times a vector: from the whole matrix, and from the gradient of a product."""
    count = 1000
    x, direction = torch.randn(count, device=device), torch.randn(count, device=device)
    weight = torch.randn(count, count, device=device) / count**0.5

    def energy(x: Tensor) -> Tensor:
        total: Tensor = (weight @ x).tanh().square().sum()
        return total

    def whole() -> Tensor:
        matrix: Tensor = torch.autograd.functional.hessian(energy, x)
        return matrix @ direction

    def product() -> Tensor:
        leaf = x.clone().requires_grad_()
        (slope,) = torch.autograd.grad(energy(leaf), leaf, create_graph=True)
        return torch.autograd.grad(slope @ direction, leaf)[0]

    said = f"{count} backward passes, not 1"
    return Effect(f"Hessian times a vector, n = {count}: whole Hessian / product", whole, product, count, said, tolerance=1e-3)


def _frozen(device: torch.device) -> Effect:
    """What is saved to learn a prompt in front of a network, whose weights ask for gradients that nobody wants, or do not."""
    layers: list[nn.Module] = []
    for _ in range(4):
        layers += [nn.Linear(128, 128), nn.GELU()]
    base = nn.Sequential(*layers).to(device)
    x, prompt = torch.randn(256, 128, device=device), torch.zeros(128, device=device, requires_grad=True)

    def gradient(*, wanted: bool) -> Way:
        def run() -> Tensor:
            base.requires_grad_(wanted)
            return torch.autograd.grad(base(x + prompt).square().sum(), prompt)[0]

        return run

    name = "gradient of a prompt, 4 layers of Linear 128 and GELU, 256 rows: bytes saved, trainable / frozen"
    return Effect(name, gradient(wanted=True), gradient(wanted=False), saved=True, tolerance=1e-3)


def compute_in_full(device: torch.device) -> None:
    """Both ways of a row compute in float32 proper, on whatever GPU."""
    if device.type == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False


def measure(effect: Effect) -> dict[str, Any]:
    """Both ways in turn: milliseconds of each, and their ratio with its least and largest over the rounds."""
    first, second = effect.slow(), effect.quick()
    if bool((first - second).abs().max() > effect.tolerance * first.abs().max()):
        raise RuntimeError(f"{effect.name}: both ways must give the same")
    kept = {"effect": effect.name, "reported": effect.reported and round(effect.reported, 2), "reported as": effect.said}
    if effect.saved:
        sizes = [_saved(way) for way in (effect.slow, effect.quick)]
        ratio = round(sizes[0] / sizes[1], 2)
        return {**kept, "bytes": sizes, "ratio": ratio, "least": ratio, "largest": ratio}
    timers = [Timer("way()", globals={"way": way}, num_threads=torch.get_num_threads()) for way in (effect.slow, effect.quick)]
    counts = [max(1, int(ROUND_SECONDS / max(timer.timeit(3).mean, 1e-7))) for timer in timers]
    slow: list[float] = []
    quick: list[float] = []
    for turn in range(ROUNDS):
        order = [(timers[0], counts[0], slow), (timers[1], counts[1], quick)]
        for timer, count, into in order if turn % 2 == 0 else reversed(order):
            into.append(timer.timeit(count).mean * 1e3)
    ratios = [a / b for a, b in zip(slow, quick, strict=True)]
    return {
        **kept,
        "milliseconds": [round(statistics.median(slow), 4), round(statistics.median(quick), 4)],
        "ratio": round(statistics.median(ratios), 2),
        "least": round(min(ratios), 2),
        "largest": round(max(ratios), 2),
    }


def _saved(way: Way) -> int:
    with saved_for_backward() as saved:
        way()
    return saved.bytes


def draw(rows: list[dict[str, Any]], device: str) -> None:
    """The ratios that were measured, with their spread, beside the reported ones."""
    plt = svg_pyplot("headlines")
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.55 * len(rows)), layout="constrained")
    named = False
    for place, row in enumerate(reversed(rows)):
        axes.plot([row["least"], row["largest"]], [place, place], color="#0969da", linewidth=3, solid_capstyle="round")
        axes.plot(row["ratio"], place, "o", color="#0969da", label="measured here, with its spread" if place == 0 else None)
        if row["reported"] is not None:
            axes.plot(row["reported"], place, "D", color="#9a6700", label=None if named else "reported elsewhere")
            named = True
    axes.axvline(1, color="#57606a", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [row["effect"] for row in reversed(rows)], fontsize=8)
    axes.set_xlabel("first way / second way: time, or bytes saved")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(FOLDER / f"headlines-{device}.svg", metadata={"Date": None})


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda" if torch.cuda.is_available() else "cpu")
    device = torch.device(parser.parse_args().device)
    compute_in_full(device)
    torch.manual_seed(0)
    rows = []
    for effect in effects(device):
        row = measure(effect)
        print(
            f"{row['ratio']:8.2f} times ({row['least']} to {row['largest']}; reported: {effect.said})  {effect.name}", flush=True
        )
        rows.append(row)
        about = {"measured on": device.type, "threads": torch.get_num_threads(), "rounds": ROUNDS}
        path = keep(f"headlines-{device.type}", {**about, "effects": rows})  # what is measured is kept, whatever comes next
    print(path)
    draw(rows, device.type)


if __name__ == "__main__":
    main()
