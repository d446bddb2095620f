"""A gradient beside the right one, as a small picture below a public check's message.

    ▁█▁●▁▁●█▁▁●▁█     a bar for the right number, a dot for yours, where they differ most; a cross for nan or infinite

Inline SVG in the page's own colours: no script, nothing from elsewhere. What a record holds is read as numbers or not at all.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from markupsafe import Markup, escape

from torchgrade.record import Check, measurement_of
from torchgrade.record.measurements import Gradient
from torchgrade.report.figures import figure_of

_MOST = 16
_STEP, _BAR, _HEIGHT, _MARGIN, _LABEL = 30, 14, 96, 8, 16
_MOST_DIMENSIONS = 4


class _Pair(NamedTuple):
    """One element: where it is, what came, and what is right."""

    place: tuple[int, ...]
    yours: float
    right: float


def gradient_plot(check: Check) -> Markup:
    """The picture of a failed public check that compared gradients; empty for any other."""
    return figure_of(check, measurement_of(check, "gradient"), lambda found: _figure(*_read(found)))


def _read(found: Gradient) -> tuple[list[int], list[_Pair]]:
    shape = [int(size) for size in found["shape"]]
    columns = found["elements"], found["yours"], found["right"]
    pairs = [
        _Pair(_unravelled(int(element), shape), float(yours), float(right))
        for element, yours, right in zip(*columns, strict=True)
    ]
    if not 1 <= len(pairs) <= _MOST or len(shape) > _MOST_DIMENSIONS or not all(math.isfinite(pair.right) for pair in pairs):
        raise ValueError(found)
    return shape, pairs


def _unravelled(element: int, shape: list[int]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        element, place = divmod(element, size)
        index.append(place)
    return tuple(reversed(index))


def _figure(shape: list[int], pairs: list[_Pair]) -> Markup:
    values = [value for pair in pairs for value in pair[1:] if math.isfinite(value)]
    low, high = min(0.0, *values), max(0.0, *values)
    scale = (_HEIGHT - 2 * _MARGIN) / ((high - low) or 1.0)

    def place(value: float) -> float:
        return _MARGIN + (high - value) * scale

    width = _STEP * len(pairs)
    parts = [Markup('<line x1="0" x2="{}" y1="{:.1f}" y2="{:.1f}" class="torchgrade-zero"/>').format(width, place(0), place(0))]
    for number, pair in enumerate(pairs):
        middle = _STEP * number + _STEP / 2
        top, bottom = sorted((place(pair.right), place(0)))
        parts.append(
            Markup('<rect x="{:g}" y="{:.1f}" width="{}" height="{:.1f}" class="torchgrade-right"/>').format(
                middle - _BAR / 2, top, _BAR, max(bottom - top, 1.0)
            )
        )
        parts.append(_mark(middle, place(pair.yours) if math.isfinite(pair.yours) else None))
        name = ",".join(map(str, pair.place))
        parts.append(
            Markup('<text x="{:g}" y="{}" text-anchor="middle">{}</text>').format(middle, _HEIGHT + _LABEL - 4, name or "0")
        )
    svg = Markup('<svg viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">{3}</svg>').format(
        width, _HEIGHT + _LABEL, escape(_told(pairs)), Markup().join(parts)
    )
    return Markup('<figure class="torchgrade-slopes">{}<figcaption>{}</figcaption></figure>').format(svg, _caption(shape, pairs))


def _mark(x: float, y: float | None) -> Markup:
    if y is None:
        return Markup('<path d="M{:g} {:g}l8 8m0 -8l-8 8" class="torchgrade-yours"/>').format(x - 4, _HEIGHT / 2 - 4)
    return Markup('<circle cx="{:g}" cy="{:.1f}" r="4" class="torchgrade-yours"/>').format(x, y)


def _caption(shape: list[int], pairs: list[_Pair]) -> str:
    total = math.prod(shape)
    which = "each element" if total == len(pairs) else f"the {len(pairs)} of {total} elements that are furthest off"
    crossed = "; a cross is nan or infinite" if any(not math.isfinite(pair.yours) for pair in pairs) else ""
    return f"Your gradient (dots) and the right one (bars), for {which}{crossed}."


def _told(pairs: list[_Pair]) -> str:
    """The picture in words."""
    each = "; ".join(f"{list(pair.place)}: {pair.yours:.3g}, right {pair.right:.3g}" for pair in pairs)
    return f"Your gradient beside the right one. {each}."
