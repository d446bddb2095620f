"""The pattern in a wrong result: a sign, a factor, a transpose, one row off. Found by trying, and named only if it is certain.

actual, expected, what is allowed ──► (slip, sentence) for a pattern that makes the whole result right; otherwise nothing
"""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

_LEAST = 4
"""The fewest elements: with fewer, a pattern may be chance."""
_SPREAD = 1e-3
"""How far apart the elements must lie, as a share of the largest: if all are equal, every pattern fits."""

_BETTER = 10
"""How many times smaller the largest error must become without the slip: close to the tolerance, any pattern would do."""
_FACTOR = 0.05
"""How far a factor must be from 1: nearer ones come from rounding, or from an added constant, and say nothing."""


def pattern_of(actual: Tensor, expected: Tensor, allowed: Tensor) -> tuple[str, str] | None:
    """Return the slip and a sentence about it if one simple change makes ``actual`` right, or ``None``.

    The tensors have the same shape; ``actual`` and ``expected`` are float64 or complex128, finite or not; ``allowed`` is how far
    off each element may be (it broadcasts).
    """
    if expected.numel() < _LEAST or not bool(actual.isfinite().all()) or not bool(expected.isfinite().all()):
        return None
    if not _varies(expected):
        return None
    if not _varies(actual):
        return "constant", f"All elements are the same, {actual.flatten()[0].item():.4g}."
    room = (8 * allowed + 1e-12 * expected.abs().max()).expand(expected.shape)  # a factor is estimated from rounded numbers
    for slip, sentence, mended in _changed(actual, expected):
        left = (mended - expected).abs()
        if bool((left <= room).all()) and bool(left.max() * _BETTER <= (actual - expected).abs().max()):
            return slip, sentence
    for dim in range(actual.dim()):
        if _moved(actual, expected, room, dim) or _moved(expected, actual, room, dim):
            return "shifted", f"It is the right result, moved by one along dimension {dim}."
    return None


def _moved(one: Tensor, other: Tensor, room: Tensor, dim: int) -> bool:
    """Return whether ``one`` without its first row equals ``other`` without its last, with enough elements in both to tell."""
    rest = one.shape[dim] - 1
    if rest < 2 or rest * one.numel() // one.shape[dim] < _LEAST:  # noqa: PLR2004 - two rows that differ
        return False
    late, early = one.narrow(dim, 1, rest), other.narrow(dim, 0, rest)
    return _varies(early) and bool(((late - early).abs() <= room.narrow(dim, 0, rest)).all())


def _varies(values: Tensor) -> bool:
    flat = values.flatten()
    return bool((flat - flat[0]).abs().max() > _SPREAD * flat.abs().max())


def _changed(actual: Tensor, expected: Tensor) -> Iterator[tuple[str, str, Tensor]]:
    """Yield each slip with its sentence, and ``actual`` with that slip undone."""
    yield "sign", "It is the right result with the opposite sign.", -actual
    if actual.dim() > 1 and actual.shape[-1] == actual.shape[-2]:
        yield "transposed", "It is the right result transposed.", actual.mT
    for dim in range(actual.dim()):
        if actual.shape[dim] > 1:
            yield "shifted", f"It is the right result in reverse order along dimension {dim}.", actual.flip(dim)
    if actual.is_complex():
        return
    # The least-squares factor of all elements together, so that rounding in one of them does not decide it.
    factor = (actual * expected).sum() / (actual * actual).sum()
    if bool(factor.isfinite()) and bool(factor != 0) and abs(1 / factor.item() - 1) > _FACTOR:
        yield "factor", f"It is the right result times {1 / factor.item():.4g}.", factor * actual
    offset = (actual - expected).mean()
    yield "offset", f"Every element is off by the same {offset.item():.4g}.", actual - offset
