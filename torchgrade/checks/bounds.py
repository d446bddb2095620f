"""How much of what a submission says goes into a record: all of what a person reads, and a bounded part of a flood.

A message, the lines about its cells, and measurements may quote a student's process, and each record is kept in the history.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

MOST_CHARACTERS = 4_000
"""The length of one message, or of one line about a notebook."""
MOST_LINES = 40
"""The number of lines about a notebook as a whole."""
MOST_MEASURED = 200_000
"""Characters of all measurements of one check together; a number counts as ten."""
_MOST_KEY, _NUMBER = 200, 10


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text, or its beginning and how much is left out."""
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"


def few_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines, each shortened; of very many the first, and how many are left out."""
    all_of_them = list(lines)
    kept = tuple(shortened(line) for line in all_of_them[:MOST_LINES])
    left = len(all_of_them) - len(kept)
    return (*kept, f"… and {left:,} more like these") if left else kept


def plain_measurements(measurements: Mapping[str, Any]) -> dict[str, Any]:
    """Measurements as JSON can hold them: nan, infinities and objects become text; of very many items the first."""
    left = MOST_MEASURED

    def plain(value: Any) -> Any:
        nonlocal left
        left -= _NUMBER
        if isinstance(value, float):
            return value if value - value == 0 else str(value)
        if isinstance(value, list | tuple):
            return [plain(item) for item in value if left > 0]
        if isinstance(value, Mapping):
            return {key(each): plain(item) for each, item in value.items() if left > 0}
        return value if isinstance(value, int | bool | None) else text(str(value), MOST_CHARACTERS)

    def key(value: object) -> str:
        return text(str(value), _MOST_KEY)

    def text(value: str, most: int) -> str:
        nonlocal left
        kept = shortened(value, most)
        left -= len(kept)
        return kept

    return {key(each): plain(value) for each, value in measurements.items() if left > 0}
