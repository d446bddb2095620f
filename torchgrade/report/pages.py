"""Records as HTML: the table of one exercise, a whole submission, the page of solutions.

record ──► template (with the pictures of its checks) ──► a notebook's output, a page
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from torchgrade.record import Check, Exercise, Outcome, Record
from torchgrade.report import presentation
from torchgrade.report.mark import Mark, mark_line, signed
from torchgrade.report.pictures import dtype_trace, gradient_plot, heat_map, speed_plot
from torchgrade.report.presentation import hidden_line, look_of, points_of, share, status_line, sum_of
from torchgrade.report.text import clean, one_line

# ---- the templates' environment
#
# Every text that a template inserts is cleaned and escaped here, so that no template can forget to.


def render(template: str, **values: object) -> str:
    """A template of this package, rendered as HTML."""
    return _environment().get_template(template).render(**values)


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
    )
    for function in (
        dtype_trace,
        gradient_plot,
        heat_map,
        presentation.amount,
        presentation.cells_not_run,
        presentation.hidden_line,
        presentation.look_of,
        presentation.lost_points,
        presentation.notes,
        presentation.number,
        presentation.points_of,
        presentation.points_skipped,
        presentation.share,
        presentation.status_line,
        presentation.sum_of,
        mark_line,
        signed,
        speed_plot,
    ):
        environment.globals[function.__name__] = function
    return environment


def _finalize(value: object) -> str:
    # Markup is what our own macros made; nothing else is ever declared safe here.
    return value if isinstance(value, Markup) else clean(str(value))


# ---- a whole submission as HTML: the summary above a graded notebook, and a page of its own


def submission_html(
    record: Record, mark: Mark | None = None, *, guesses: Mapping[str, str] = MappingProxyType({}), solutions: str = ""
) -> str:
    """A fragment for the top of a graded notebook: what cost points, the marks, the status in words, notes on the notebook.

    Without ``mark``, which the gradebook has, the sum is that of the checks, and nothing is called final. ``guesses``: by
    exercise, the misconception that it looks like. What cost points is linked to the cells of the notebook that contains the
    fragment. ``solutions`` is the address of the right answers, if there is one.
    """
    return render("submission.html.j2", record=record, mark=mark, guesses=guesses, solutions=solutions)


def feedback_page(record: Record, title: str = "") -> str:
    """A complete page, for a submission without a notebook to show it in. Its policy allows nothing but its own styles.

    ``title`` is the assignment's title, if that is not the name of its folder.
    """
    return render("page.html.j2", record=record, guesses={}, title=title or record.assignment)


# ---- the table of one exercise's checks: as HTML for a notebook's output, and as plain text for a terminal


def exercise_html(exercise: Exercise, *, hidden: Mapping[str, int] | None = None) -> str:
    """A self-contained HTML fragment: no scripts, nothing from elsewhere, in the colours of the page around it.

    ``hidden`` means that these are only the public checks; it says how many hidden ones of each kind follow.
    ``Check.detail`` is for instructors and is never shown.
    """
    return render("exercise.html.j2", exercise=exercise, hidden=hidden)


def exercise_text(exercise: Exercise, *, hidden: Mapping[str, int] | None = None, causes: bool = False) -> str:
    """The same as plain text, without colour. With ``causes``, for the instructor: why a check could not be run."""
    lines = [f"{one_line(exercise.name)}: {sum_of(exercise, public_only=hidden is not None)}"]
    width = max((len(points_of(check)) for check in exercise.checks), default=0)
    for check in exercise.checks:
        lines += _lines(check, width, "" if hidden is not None else f" ({check.visibility.value})")
        if causes and check.outcome is Outcome.UNGRADED and check.cause:
            lines.append(f"{' ' * (width + 4)}Cause: {one_line(check.cause, 1000)}")
    if hidden is not None:
        lines.append(hidden_line(hidden))
    return "\n".join(lines)


def _lines(check: Check, width: int, mark: str) -> Iterator[str]:
    yield f"{look_of(check).sign} {points_of(check):>{width}}  {one_line(check.title)}{mark}"
    margin = " " * (width + 4)
    if check.message:
        yield from (margin + line for line in clean(check.message).splitlines())
    if check.hint and check.outcome is not Outcome.PASSED:
        first, *more = clean(check.hint).splitlines()
        yield f"{margin}Hint: {first}"
        yield from (f"{margin}      {line}" for line in more)


def _note(problem: str) -> Iterator[str]:
    """Yield a note's lines: the first is a sentence; a line of a cell may follow, with a caret below it."""
    first, *rest = clean(problem).split("\n")
    yield f"Note: {one_line(first, 1000)}"
    yield from rest


def record_text(record: Record) -> str:
    """A whole record as plain text, for the instructor: notes, the checks of each exercise, the sum and the status."""
    head = [f"{one_line(record.assignment)}: {one_line(record.student)}"]
    notes = [line for problem in record.problems for line in _note(problem)]
    tables = [exercise_text(exercise, causes=True) for exercise in record.exercises] if record.readable else []
    head_of_sum = "Of these checks" if record.partial else "Total"
    total = f"{head_of_sum}: {share(record.points, record.max_points)} points. {status_line(record)}"
    return "\n\n".join(["\n".join(head + notes), *tables, total])


# ---- solutions for students to read after the deadline: the reference and other right answers, with reasons

_LIGHT, _DARK = "default", "github-dark"


@dataclasses.dataclass(frozen=True, slots=True)
class ShownSolution:
    """One right answer: a line on what it does, a paragraph on why it is right (may be empty), and its code."""

    title: str
    why: str
    code: str


@dataclasses.dataclass(frozen=True, slots=True)
class ShownExercise:
    """An exercise and its solutions, the reference first."""

    name: str
    solutions: Sequence[ShownSolution]


def solutions_page(title: str, exercises: Sequence[ShownExercise]) -> str:
    """A complete page. Its policy allows nothing but its own styles; it is light or dark as the reader's system is."""
    return render("solutions.html.j2", title=title, exercises=exercises, code=_code, styles=_styles())


def _code(text: str) -> Markup:
    return Markup(highlight(text, PythonLexer(), HtmlFormatter(cssclass="code")))  # noqa: S704 - Pygments escapes the text


def _styles() -> Markup:
    def of(style: str) -> str:
        definitions: str = HtmlFormatter(style=style).get_style_defs(".code")
        return definitions

    # These are Pygments' own styles; nobody's text is in them.
    return Markup(f"{of(_LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{of(_DARK)}\n}}")  # noqa: S704
