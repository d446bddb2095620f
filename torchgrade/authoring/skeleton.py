"""The skeleton's texts: templates beside this file, filled in with names."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_FOLDER = Path(__file__).with_name("templates")
_ENDING = ".j2"


def render(template: str, assignment: str, exercise: str, *, finished: bool = False) -> str:
    """One template's text, such as ``cells/task.md``; ``finished``: for students as it is, without words for its author."""
    title = assignment.replace("_", " ").capitalize()
    names = {"assignment": assignment, "exercise": exercise, "title": title}
    return _environment().get_template(template + _ENDING).render(names, finished=finished)


def render_course_file(name: str, course_id: str) -> str:
    """The text of a file of a new course, such as ``nbgrader_config.py``."""
    return _environment().get_template(f"course/{name}{_ENDING}").render(course_id=course_id)


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
