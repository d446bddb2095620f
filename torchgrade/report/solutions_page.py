"""Solutions for students to read after the deadline: the reference and right answers that go about it otherwise, with reasons."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from torchgrade.report.rendering import render

_LIGHT, _DARK = "default", "github-dark"


@dataclasses.dataclass(frozen=True, slots=True)
class ShownSolution:
    """One right answer: what it does in a line, why it is right in a paragraph (may be empty), and its code."""

    title: str
    why: str
    code: str


@dataclasses.dataclass(frozen=True, slots=True)
class ShownExercise:
    """An exercise and its solutions, the reference first."""

    name: str
    solutions: Sequence[ShownSolution]


def solutions_page(title: str, exercises: Sequence[ShownExercise]) -> str:
    """A complete page. Its policy shuts out all but its own styles; light or dark as the reader's system is."""
    return render("solutions.html.j2", title=title, exercises=exercises, code=_code, styles=_styles())


def _code(text: str) -> Markup:
    return Markup(highlight(text, PythonLexer(), HtmlFormatter(cssclass="code")))  # noqa: S704 - Pygments escapes the text


def _styles() -> Markup:
    def of(style: str) -> str:
        definitions: str = HtmlFormatter(style=style).get_style_defs(".code")
        return definitions

    # Styles that Pygments brings, and none of anybody's text.
    return Markup(f"{of(_LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{of(_DARK)}\n}}")  # noqa: S704
