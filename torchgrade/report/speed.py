"""A race as a small picture: every sample of the student, the reference and the baseline, and where the limit lies.

    your code    |    · ·:··|                     one dot a sample, its time a call from left to right; a bar at the least
    reference    | ·:·
                 └───────────┆──────── limit

Inline SVG in the page's own colours: no script, nothing from elsewhere, text as text. What a record holds is read as numbers or
not at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

from torchgrade.record import Check, measurement_of
from torchgrade.record.measurements import Race
from torchgrade.report.text import one_line

_NAMES = {"student": "your code", "reference": "reference", "baseline": "baseline"}
_LEFT, _RIGHT, _ROW, _TOP, _BOTTOM, _WIDTH = 84.0, 12.0, 24.0, 16.0, 20.0, 480.0
_MOST_DOTS = 100
_MOST_MICROSECONDS = 1e12
_SPREAD = (0.0, 4.0, -4.0, 2.0, -2.0, 6.0, -6.0)  # dots above one another stay apart


def speed_plot(check: Check) -> Markup:
    """The picture of a check that raced, with its words; empty for any other check."""
    race = measurement_of(check, "race")
    if race is None:
        return Markup()
    try:
        return _figure(race, check.message)
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError):
        return Markup()  # made by another version, or by hand


def _figure(race: Race, message: str) -> Markup:
    rows = _rows(race["batches"][-1]["wall"])
    limit = _number(race["most"]) * min(rows[str(race["against"])])
    words = one_line(str(race["words"]), 400)
    shown = Markup("<figcaption>{}</figcaption>").format(words) if words.lower() not in message.lower() else Markup()
    return Markup('<figure class="torchgrade-speed">{}{}</figure>').format(_svg(rows, limit, words), shown)


def _rows(wall: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """Microseconds a call by side; both halves of the reference in one row."""
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
    label = f"Time a call: {told}; limit {_time(limit)}. {words}"
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
