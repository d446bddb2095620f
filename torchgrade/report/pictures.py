"""Pictures below a check's message: where a result differs, a gradient beside the right one, a race, dtypes.

They are inline SVG in the page's own colours: no script, nothing from elsewhere. What a record holds is read as numbers or not
at all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from markupsafe import Markup, escape

from torchgrade.record import Check, Outcome, Visibility, measurement_of
from torchgrade.record.measurements import Gradient, Mismatch, Race
from torchgrade.report.text import clean, one_line

# ---- the picture below the message of a failed public check, from what the check measured

Found = TypeVar("Found")


def figure_of(check: Check, found: Found | None, draw: Callable[[Found], Markup]) -> Markup:
    """Return ``draw(found)`` for a failed public check; empty for any other, and if ``found`` is ``None`` or malformed."""
    if check.outcome is not Outcome.FAILED or check.visibility is not Visibility.PUBLIC or found is None:
        return Markup()
    try:
        return draw(found)
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return Markup()  # made by another version, or by hand


# ---- places where a result differs from the right one
#
#     ░▒▓█    a square for each element, or for a block of them: grey where right, the stronger in colour the further off,
#     ░░░█    and crossed where one is nan or infinite and the right one is not, or the other way round

_MOST_SQUARES, _SIDE, _GAP = 24, 14, 2
_MANY = 12
"""With more rows or columns than this, the squares are drawn smaller."""
_LEVELS = re.compile(r"[0-4]{1,24}")
_MOST_SIZES = 16
_MOST_NAMED = 8


def heat_map(check: Check) -> Markup:
    """The picture for a failed public check in which values differ; empty for any other, and for a single element."""
    return figure_of(check, measurement_of(check, "mismatch"), lambda found: _heat_figure(*_read_levels(found)))


def _read_levels(found: Mismatch) -> tuple[list[int], list[str]]:
    shape, rows = [int(size) for size in found["shape"]], [str(row) for row in found["levels"]]
    if not 1 <= len(shape) <= _MOST_SIZES or not 1 <= len(rows) <= _MOST_SQUARES or len({len(row) for row in rows}) != 1:
        raise ValueError(found)
    if not all(_LEVELS.fullmatch(row) for row in rows) or len(rows) * len(rows[0]) < 2:  # noqa: PLR2004 - one square shows nothing
        raise ValueError(found)
    return shape, rows


def _heat_figure(shape: list[int], rows: list[str]) -> Markup:
    step = _SIDE + _GAP
    squares = [
        _square(x * step, y * step, level) for y, row in enumerate(rows) for x, level in enumerate(row)
    ]  # fmt: skip
    width, height = len(rows[0]) * step - _GAP, len(rows) * step - _GAP
    scale = 1.0 if max(len(rows), len(rows[0])) <= _MANY else 0.6
    svg = Markup('<svg viewBox="0 0 {} {}" width="{:g}" height="{:g}" role="img" aria-label="{}">{}</svg>').format(
        width, height, width * scale, height * scale, escape(_heat_in_words(shape, rows)), Markup().join(squares)
    )
    return Markup('<figure class="torchgrade-heat">{}<figcaption>{}</figcaption></figure>').format(
        svg, _heat_caption(shape, rows)
    )


def _square(x: int, y: int, level: str) -> Markup:
    square = Markup('<rect x="{}" y="{}" width="{}" height="{}" class="torchgrade-heat-{}"/>').format(x, y, _SIDE, _SIDE, level)
    if level == "4":
        cross = Markup('<path d="M{0} {1}l8 8m0 -8l-8 8"/>').format(x + 3, y + 3)
        return square + cross
    return square


def _heat_caption(shape: list[int], rows: list[str]) -> str:
    drawn = "one square per element" if _is_whole(shape, rows) else "one square per block of elements, as bad as its worst"
    down = "" if len(shape) == 1 else ", the last dimension from left to right"
    crossed = "; a cross is nan or infinite, or should be" if any("4" in row for row in rows) else ""
    return f"Where it differs in shape {shape}: {drawn}{down}; the stronger the colour, the further off{crossed}."


def _is_whole(shape: list[int], rows: list[str]) -> bool:
    total = 1
    for size in shape:
        total *= size
    return total == len(rows) * len(rows[0])


def _heat_in_words(shape: list[int], rows: list[str]) -> str:
    """The picture in words."""
    wrong = [number for number, row in enumerate(rows) if row.strip("0")]
    squares = sum(level != "0" for row in rows for level in row)
    listed = ", ".join(map(str, wrong[:_MOST_NAMED])) + (" and more" if len(wrong) > _MOST_NAMED else "")
    return (
        f"Map of where the result of shape {shape} differs: {squares} of {len(rows) * len(rows[0])} squares, "
        f"in {'row' if len(wrong) == 1 else 'rows'} {listed} of {len(rows)}, counted from 0."
    )


# ---- a gradient beside the right one
#
#     ▁█▁●▁▁●█▁▁●▁█     a bar for the right number, a dot for yours, where they differ most; a cross for nan or infinite

_MOST_BARS = 16
_STEP, _BAR, _HEIGHT, _MARGIN, _LABEL = 30, 14, 96, 8, 16
_MOST_DIMENSIONS = 4


class _Pair(NamedTuple):
    """One element: its place, what came, and what is right."""

    place: tuple[int, ...]
    yours: float
    right: float


def gradient_plot(check: Check) -> Markup:
    """The picture for a failed public check that compared gradients; empty for any other."""
    return figure_of(check, measurement_of(check, "gradient"), lambda found: _gradient_figure(*_read_gradient(found)))


def _read_gradient(found: Gradient) -> tuple[list[int], list[_Pair]]:
    shape = [int(size) for size in found["shape"]]
    columns = found["elements"], found["yours"], found["right"]
    pairs = [
        _Pair(_unravelled(int(element), shape), float(yours), float(right))
        for element, yours, right in zip(*columns, strict=True)
    ]
    if not 1 <= len(pairs) <= _MOST_BARS or len(shape) > _MOST_DIMENSIONS or not all(math.isfinite(pair.right) for pair in pairs):
        raise ValueError(found)
    return shape, pairs


def _unravelled(element: int, shape: list[int]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        element, place = divmod(element, size)
        index.append(place)
    return tuple(reversed(index))


def _gradient_figure(shape: list[int], pairs: list[_Pair]) -> Markup:
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
        width, _HEIGHT + _LABEL, escape(_gradient_in_words(pairs)), Markup().join(parts)
    )
    return Markup('<figure class="torchgrade-slopes">{}<figcaption>{}</figcaption></figure>').format(
        svg, _gradient_caption(shape, pairs)
    )


def _mark(x: float, y: float | None) -> Markup:
    if y is None:
        return Markup('<path d="M{:g} {:g}l8 8m0 -8l-8 8" class="torchgrade-yours"/>').format(x - 4, _HEIGHT / 2 - 4)
    return Markup('<circle cx="{:g}" cy="{:.1f}" r="4" class="torchgrade-yours"/>').format(x, y)


def _gradient_caption(shape: list[int], pairs: list[_Pair]) -> str:
    total = math.prod(shape)
    which = "each element" if total == len(pairs) else f"the {len(pairs)} of {total} elements that are furthest off"
    crossed = "; a cross is nan or infinite" if any(not math.isfinite(pair.yours) for pair in pairs) else ""
    return f"Your gradient (dots) and the right one (bars), for {which}{crossed}."


def _gradient_in_words(pairs: list[_Pair]) -> str:
    """The picture in words."""
    each = "; ".join(f"{list(pair.place)}: {pair.yours:.3g}, right {pair.right:.3g}" for pair in pairs)
    return f"Your gradient beside the right one. {each}."


# ---- a race: every sample of the student, the reference and the baseline, and the limit
#
#     your code    |    · ·:··|                     one dot a sample, its time a call from left to right; a bar at the least
#     reference    | ·:·
#                  └───────────┆──────── limit

_NAMES = {"student": "your code", "reference": "reference", "baseline": "baseline"}
_LEFT, _RIGHT, _ROW, _TOP, _BOTTOM, _WIDTH = 84.0, 12.0, 24.0, 16.0, 20.0, 480.0
_MOST_DOTS = 100
_MOST_MICROSECONDS = 1e12
_SPREAD = (0.0, 4.0, -4.0, 2.0, -2.0, 6.0, -6.0)  # dots above one another stay apart


def speed_plot(check: Check) -> Markup:
    """The picture for a check that raced, with its words; empty for any other check."""
    race = measurement_of(check, "race")
    if race is None:
        return Markup()
    try:
        return _race_figure(race, check.message)
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError):
        return Markup()  # made by another version, or by hand


def _race_figure(race: Race, message: str) -> Markup:
    rows = _rows(race["batches"][-1]["wall"])
    limit = _number(race["most"]) * min(rows[str(race["against"])])
    words = one_line(str(race["words"]), 400)
    shown = Markup("<figcaption>{}</figcaption>").format(words) if words.lower() not in message.lower() else Markup()
    return Markup('<figure class="torchgrade-speed">{}{}</figure>').format(_svg(rows, limit, words), shown)


def _rows(wall: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """Microseconds per call, by side; both halves of the reference are in one row."""
    samples = {
        "student": wall["student"],
        "reference": [*wall["reference"], *wall.get("reference again", ())],
        "baseline": wall.get("baseline", ()),
    }
    return {name: [_number(value) for value in values][:_MOST_DOTS] for name, values in samples.items() if values}


def _number(value: float) -> float:
    number = float(value)
    if not 0 < number < _MOST_MICROSECONDS:
        raise ValueError(number)
    return number


def _svg(rows: Mapping[str, list[float]], limit: float, words: str) -> Markup:
    low, high = min(limit, *map(min, rows.values())) / 1.3, max(limit, *map(max, rows.values())) * 1.3

    def place(value: float) -> str:
        return f"{_LEFT + (_WIDTH - _LEFT - _RIGHT) * math.log(value / low) / math.log(high / low):.1f}"

    base = _TOP + _ROW * len(rows)
    parts = [_line(place(limit), 4.0, base + 4, "torchgrade-limit"), _text(place(limit), base + 16, f"limit {_time(limit)}")]
    for index, (name, values) in enumerate(rows.items()):
        middle = _TOP + _ROW * (index + 0.5)
        parts.append(_text("0", middle + 4, _NAMES[name], anchor="start"))
        dots = [
            Markup('<circle cx="{}" cy="{}" r="1.8"/>').format(place(value), f"{middle + _SPREAD[number % len(_SPREAD)]:g}")
            for number, value in enumerate(values)
        ]
        parts.append(Markup('<g class="torchgrade-{}">{}</g>').format(name, Markup().join(dots)))
        parts.append(_line(place(min(values)), middle - 9, middle + 9, "torchgrade-least"))
    told = "; ".join(f"{_NAMES[name]} {_time(min(values))} at the least" for name, values in rows.items())
    label = f"Time per call: {told}; limit {_time(limit)}. {words}"
    return Markup('<svg viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}">{}</svg>').format(
        f"{_WIDTH:g}", f"{base + _BOTTOM:g}", f"{_WIDTH:g}", escape(label), Markup().join(parts)
    )


def _line(x: str, top: float, bottom: float, kind: str) -> Markup:
    return Markup('<line x1="{0}" x2="{0}" y1="{1}" y2="{2}" class="{3}"/>').format(x, f"{top:g}", f"{bottom:g}", kind)


def _text(x: str, y: float, text: str, *, anchor: str = "middle") -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(x, f"{y:g}", anchor, text)


def _time(microseconds: float) -> str:
    """As in ``310 µs``, ``4.2 ms``, ``1.3 s``."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} µs"


# ---- dtypes and where they were met, beside the right ones, as a small table below a check's message
#
#     a linear layer's output          float32, autocast off   float16, autocast float16   ✗
#     a gradient in the backward pass  float32, autocast off   float32, autocast off
#
# It is shown for hidden checks, too: it tells students about their own tensors, and the message already says what is right.

_MOST_ROWS = 16
_COLUMNS = 3


def dtype_trace(check: Check) -> Markup:
    """The table for a failed check that looked at dtypes; empty for any other."""
    rows = measurement_of(check, "dtypes")
    if check.outcome is not Outcome.FAILED or rows is None or not 1 <= len(rows) <= _MOST_ROWS:
        return Markup()
    if not all(isinstance(row, list | tuple) and len(row) == _COLUMNS for row in rows):
        return Markup()  # made by another version, or by hand
    head = Markup('<tr><th scope="col">Where</th><th scope="col">Your dtype</th><th scope="col">Expected</th></tr>')
    table = Markup('<table class="torchgrade-dtypes"><thead>{}</thead><tbody>{}</tbody></table>')
    return table.format(head, Markup().join(_row(*row) for row in rows))


def _row(place: str, yours: str, right: str) -> Markup:
    off = Markup(' class="torchgrade-failed"') if yours != right else Markup()
    sign = "✗ " if yours != right else ""
    return Markup("<tr><td>{}</td><td{}>{}</td><td>{}</td></tr>").format(
        clean(str(place)), off, sign + clean(str(yours)), clean(str(right))
    )
