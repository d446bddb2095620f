"""The pictures among a cell's outputs, the only kind of output that a person may have to look at in order to grade.

They are not trusted: only PNG and JPEG are kept, few and small, and only if their first bytes are those of such a file. All other
outputs are dropped.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

MOST_PICTURES = 8
"""The most pictures in one cell."""
MOST_BYTES = 4 << 20
"""The most bytes in one picture."""
_BEGINS = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
_MOST_TEXT = 2 * MOST_BYTES  # base64 takes four characters for three bytes, and may contain line ends


def pictures_of(outputs: object) -> list[dict[str, Any]]:
    """Outputs, as nbformat has them, each with one picture and nothing else; ``outputs`` may be any JSON."""
    kept: list[dict[str, Any]] = []
    for output in outputs if isinstance(outputs, list) else ():
        data = output.get("data") if isinstance(output, dict) else None
        if not isinstance(data, dict):
            continue
        for kind in _BEGINS:
            if len(kept) < MOST_PICTURES and (text := _picture(kind, data.get(kind))):
                shown = {kind: text, "text/plain": "(a picture, as it was handed in)"}
                kept.append({"output_type": "display_data", "data": shown, "metadata": {}})
    return kept


def _picture(kind: str, value: object) -> str:
    """The picture in base64 without line ends; empty if it is not one."""
    lines = [line for line in (value if isinstance(value, list) else [value]) if isinstance(line, str)]
    if sum(map(len, lines)) > _MOST_TEXT:
        return ""
    text = "".join("".join(lines).split())
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return text if len(data) <= MOST_BYTES and data.startswith(_BEGINS[kind]) else ""
