"""Where a result differs from the right one, as a small picture below a public check's message.

    ░▒▓█    a square for each element, or for a block of them: grey where right, the stronger in colour the further off,
    ░░░█    and crossed where one is nan or infinite and the right one is not, or the other way round

Inline SVG in the page's own colours: no script, nothing from elsewhere. What a record holds is read as levels or not at all.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from torchgrade.record import Check, measurement_of
from torchgrade.record.measurements import Mismatch
from torchgrade.report.figures import figure_of

_MOST, _SIDE, _GAP = 24, 14, 2
_MANY = 12
"""Rows or columns above which the squares are drawn smaller."""
_ROW = re.compile(r"[0-4]{1,24}")
_MOST_DIMENSIONS = 16
_MOST_NAMED = 8


def heat_map(check: Check) -> Markup:
    """The picture of a failed public check whose values differ; empty for any other, and for a single element."""
    return figure_of(check, measurement_of(check, "mismatch"), lambda found: _figure(*_read(found)))


def _read(found: Mismatch) -> tuple[list[int], list[str]]:
    shape, rows = [int(size) for size in found["shape"]], [str(row) for row in found["levels"]]
    if not 1 <= len(shape) <= _MOST_DIMENSIONS or not 1 <= len(rows) <= _MOST or len({len(row) for row in rows}) != 1:
        raise ValueError(found)
    if not all(_ROW.fullmatch(row) for row in rows) or len(rows) * len(rows[0]) < 2:  # noqa: PLR2004 - one square shows nothing
        raise ValueError(found)
    return shape, rows


def _figure(shape: list[int], rows: list[str]) -> Markup:
    step = _SIDE + _GAP
    squares = [
        _square(x * step, y * step, level) for y, row in enumerate(rows) for x, level in enumerate(row)
    ]  # fmt: skip
    width, height = len(rows[0]) * step - _GAP, len(rows) * step - _GAP
    scale = 1.0 if max(len(rows), len(rows[0])) <= _MANY else 0.6
    svg = Markup('<svg viewBox="0 0 {} {}" width="{:g}" height="{:g}" role="img" aria-label="{}">{}</svg>').format(
        width, height, width * scale, height * scale, escape(_told(shape, rows)), Markup().join(squares)
    )
    return Markup('<figure class="torchgrade-heat">{}<figcaption>{}</figcaption></figure>').format(svg, _caption(shape, rows))


def _square(x: int, y: int, level: str) -> Markup:
    square = Markup('<rect x="{}" y="{}" width="{}" height="{}" class="torchgrade-heat-{}"/>').format(x, y, _SIDE, _SIDE, level)
    if level == "4":
        cross = Markup('<path d="M{0} {1}l8 8m0 -8l-8 8"/>').format(x + 3, y + 3)
        return square + cross
    return square


def _caption(shape: list[int], rows: list[str]) -> str:
    drawn = "one square an element" if _is_whole(shape, rows) else "one square a block of elements, as bad as its worst"
    down = "" if len(shape) == 1 else ", the last dimension from left to right"
    crossed = "; a cross is nan or infinite, or should be" if any("4" in row for row in rows) else ""
    return f"Where it differs in shape {shape}: {drawn}{down}; the stronger the colour, the further off{crossed}."


def _is_whole(shape: list[int], rows: list[str]) -> bool:
    total = 1
    for size in shape:
        total *= size
    return total == len(rows) * len(rows[0])


def _told(shape: list[int], rows: list[str]) -> str:
    """The picture in words."""
    wrong = [number for number, row in enumerate(rows) if row.strip("0")]
    squares = sum(level != "0" for row in rows for level in row)
    listed = ", ".join(map(str, wrong[:_MOST_NAMED])) + (" and more" if len(wrong) > _MOST_NAMED else "")
    return (
        f"Map of where the result of shape {shape} differs: {squares} of {len(rows) * len(rows[0])} squares, "
        f"in {'row' if len(wrong) == 1 else 'rows'} {listed} of {len(rows)}, counted from 0."
    )
