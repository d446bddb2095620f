"""How much of what a submission says goes into a record: everything that a person would read, and a bounded part of a flood.

A message, the lines about a notebook's cells, and measurements may quote a student's process, and every record is kept in the
history.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

MOST_CHARACTERS = 4_000
"""Characters in one message, or in one line about a notebook."""
MOST_LINES = 40
"""How many lines there may be about a notebook as a whole."""
MOST_MEASURED = 200_000
"""Characters in all measurements of one check together; a number counts as ten."""
_MOST_KEY, _NUMBER = 200, 10


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text, or its beginning and a note of how much is left out."""
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"


def few_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines, each shortened; if there are very many, the first ones and a note of how many are left out."""
    all_of_them = list(lines)
    kept = tuple(shortened(line) for line in all_of_them[:MOST_LINES])
    left = len(all_of_them) - len(kept)
    return (*kept, f"… and {left:,} more like these") if left else kept


def plain_measurements(measurements: Mapping[str, Any]) -> dict[str, Any]:
    """Measurements as JSON can hold them: nan, infinities and objects become text; of very many items, the first ones."""
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
