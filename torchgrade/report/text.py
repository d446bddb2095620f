"""The one sanitiser before every sink: page, notebook output, terminal, log.

What a record says may come from a student's code: an exception's text, a name, a line of a cell. Here it becomes plain text of
bounded size, in which everything is visible and nothing can control a terminal, the direction of writing or a page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

MOST_LINES = 100
_SHOWN = "\N{REPLACEMENT CHARACTER}"
_CUT = " … (cut)"
_FEW = 3

# Control sequences with their parameters, and strings (titles, links) with what ends them. They are bounded, so that hostile text
# costs no more than its length. A sequence without an end loses only its escape character, and what it would hide can be read.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|(?:\x1b[\]P^_X]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,500}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{0,8}[0-OQ-WYZ\\`-~]"
)
_LINE_ENDS = re.compile(r"\r\n|[\r\v\f\x85\u2028\u2029]")
_MOST_MARKS = 4  # combining marks in a row; more of them climb over the lines above and below
# Control, format (bidi marks, zero-width, tags), surrogate, private, unassigned: nobody can see what any of them is.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Letters and marks according to Unicode, but invisible.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")  # they shape the letters or emoji beside them, which are readable without them


def clean(text: str, limit: int = 4000) -> str:
    """``text`` as plain text of at most ``limit`` characters and :data:`MOST_LINES` lines; if it was cut, it says so.

    Newlines and tabs stay, other line ends become newlines, and unusual spaces become plain ones. Terminal escapes are removed.
    Anything else that is invisible or reorders what is seen becomes U+FFFD; a letter keeps at most four combining marks.
    """
    most = 8 * limit + 1000  # no more is looked at: longer text is cut, even if much of it would have been removed
    plain = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text[:most]))
    characters, marks = [], 0
    for character in plain:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks <= _MOST_MARKS and character not in _JOINERS:
            characters.append(_visible(character, category))
    plain = "".join(characters)
    kept = "\n".join(plain.split("\n", MOST_LINES)[:MOST_LINES])[:limit]
    return plain if kept == plain and len(text) <= most else kept.rstrip() + _CUT


def one_line(text: str, limit: int = 200) -> str:
    """``text``, cleaned, as one line of at most ``limit`` characters, shortened with an ellipsis."""
    line = " ".join(clean(text, 4 * limit).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def few_of(names: Sequence[str], rest: str = "more", limit: int = 200) -> str:
    """The first three of some names, each as one line, and how many more there are, called ``rest``."""
    shown = ", ".join(one_line(name, limit) for name in names[:_FEW])
    return f"{shown} and {len(names) - _FEW} {rest}" if len(names) > _FEW else shown


def _visible(character: str, category: str) -> str:
    if character in "\n\t":
        return character
    if category == "Zs":
        return " "
    hidden = category in _HIDDEN or character in _INVISIBLE or _is_selector(character)
    return _SHOWN if hidden else character


def _is_selector(character: str) -> bool:
    """Whether it is a variation selector: one of 256 characters that show nothing but can carry any bytes."""
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
