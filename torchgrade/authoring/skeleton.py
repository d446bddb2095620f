"""The skeleton's texts: templates beside this file, filled in with two names."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_FOLDER = Path(__file__).with_name("templates")
_ENDING = ".j2"


def render(template: str, assignment: str, exercise: str) -> str:
    """One template's text, such as ``cells/task.md``."""
    title = assignment.replace("_", " ").capitalize()
    return _environment().get_template(template + _ENDING).render(assignment=assignment, exercise=exercise, title=title)


def bank() -> Iterator[str]:
    """The templates of a bank, relative to ``solutions/<assignment>/<exercise>/``."""
    folder = _FOLDER / "solutions"
    for path in sorted(folder.rglob("*" + _ENDING)):
        yield str(PurePosixPath(path.relative_to(folder)).with_suffix(""))


@functools.cache
def _environment() -> Environment:
    # Python and Markdown are not HTML, and both names are plain ones by then.
    return Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=False,  # noqa: S701
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
