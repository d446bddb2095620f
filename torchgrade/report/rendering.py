"""The templates' environment. Every text that a template puts in is cleaned and escaped here, so that none can forget it."""

from __future__ import annotations

import functools
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from torchgrade.report import presentation
from torchgrade.report.dtypes import dtype_trace
from torchgrade.report.heat import heat_map
from torchgrade.report.mark import mark_line, signed
from torchgrade.report.slopes import gradient_plot
from torchgrade.report.speed import speed_plot
from torchgrade.report.text import clean


def render(template: str, **values: object) -> str:
    """A template of this room as HTML."""
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
    # Markup is what our own macros made; nothing else here is ever declared safe.
    return value if isinstance(value, Markup) else clean(str(value))
