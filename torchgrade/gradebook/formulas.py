"""Formulas as MathML, which browsers set by themselves: a page needs neither a script nor the network for them.

clean HTML ──► the text between its tags, code left out ──► $…$ and $$…$$ ──► latex2mathml ──► cleaned again

A formula is a student's text like any other. What cannot be made into MathML stays as it was written.
"""

from __future__ import annotations

import re
from html import unescape

import bleach  # type: ignore[import-untyped]
from latex2mathml.converter import convert

_TAG = re.compile(r"(<[^>]*>)")
_NAME = re.compile(r"<(/?)(code|pre|kbd|math)\b", re.IGNORECASE)
_FORMULA = re.compile(r"\$\$(?P<block>[^$]+)\$\$|(?<![\\$\w])\$(?P<inline>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?![\d$])")
_LONGEST, _MOST = 2_000, 500
"""Characters of a formula, and formulas in one text, that are set."""
_ELEMENTS = "math menclose mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle"
_MORE_ELEMENTS = "msub msubsup msup mtable mtd mtext mtr munder munderover none semantics"
_TAGS = frozenset(f"{_ELEMENTS} {_MORE_ELEMENTS}".split())
_OF_TABLES = "columnalign columnlines columnspacing rowlines rowspacing width"
_OF_SIGNS = "accent accentunder fence form lspace maxsize minsize movablelimits rspace separator stretchy symmetric"
_OF_ALL = "depth display displaystyle height linebreak linethickness mathsize mathvariant notation scriptlevel xmlns"
_ATTRIBUTES = frozenset(f"{_OF_TABLES} {_OF_SIGNS} {_OF_ALL}".split())


def with_formulas(html: str) -> str:
    """Return clean HTML with the formulas in its text as MathML; those in code, and those that are none, as they were."""
    if "$" not in html:
        return html
    parts, inside, left = [], 0, [_MOST]
    for part in _TAG.split(html):
        if part.startswith("<"):
            if found := _NAME.match(part):
                inside = max(0, inside + (-1 if found[1] else 1))
        elif not inside:
            part = _FORMULA.sub(lambda formula: _set(formula, left), part)  # noqa: PLW2901 - the text in its place
        parts.append(part)
    return "".join(parts)


def _set(formula: re.Match[str], left: list[int]) -> str:
    tex = unescape(next(text for text in formula.groups() if text is not None)).strip()
    is_block = formula["block"] is not None
    if left[0] <= 0 or len(tex) > _LONGEST:
        return formula[0]
    left[0] -= 1
    try:
        markup = convert(tex, display="block" if is_block else "inline")
    except Exception:  # noqa: BLE001 - a stranger's TeX: whatever it does to the converter, the text stays
        return formula[0]
    if "<mi>&</mi>" in markup or "<mi>\\" in markup:  # an alignment or a command that it does not know
        return formula[0]
    cleaned: str = bleach.clean(markup, tags=_TAGS, attributes=_allowed, strip=True)
    return cleaned


def _allowed(_tag: str, name: str, _value: str) -> bool:
    """Return whether an attribute is one that only says how a formula looks: no link, no style, nothing that acts."""
    return name in _ATTRIBUTES
