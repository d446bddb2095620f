"""The skeleton's texts: templates beside this file, filled in with names."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_FOLDER = Path(__file__).with_name("templates")
_ENDING = ".j2"


KINDS = ("function", "class")
"""The kinds of exercise that can be made."""


def render(template: str, assignment: str, exercise: str, *, kind: str = "function", finished: bool = False) -> str:
    """One template's text, such as ``cells/task.md``; ``finished``: for students as it is, without words for its author.

    What a ``kind`` has no template of its own for is the same for each.
    """
    title = assignment.replace("_", " ").capitalize()
    names = {"assignment": assignment, "exercise": exercise, "title": title}
    found = _environment().select_template([f"{kind}/{template}{_ENDING}", template + _ENDING])
    return found.render(names, finished=finished)


def render_course_file(name: str, course_id: str) -> str:
    """The text of a file of a new course, such as ``nbgrader_config.py``."""
    return _environment().get_template(f"course/{name}{_ENDING}").render(course_id=course_id)


def bank(kind: str = "function") -> Iterator[str]:
    """The templates of a bank, relative to ``solutions/<assignment>/<exercise>/``."""
    folder = _folder(kind) / "solutions"
    for path in sorted(folder.rglob("*" + _ENDING)):
        yield str(PurePosixPath(path.relative_to(folder)).with_suffix(""))


def graders(kind: str = "function") -> Iterator[str]:
    """Yield the prefix of each of an exercise's graders, ``<prefix>_<exercise>.py``: ``test``, ``public``, perhaps ``probes``."""
    for path in sorted((_folder(kind) / "graders").glob(f"*_exercise.py{_ENDING}")):
        yield path.name.partition("_exercise.")[0]


def _folder(kind: str) -> Path:
    return _FOLDER / kind if (_FOLDER / kind).is_dir() else _FOLDER


@functools.cache
def _environment() -> Environment:
    # Python and Markdown are not HTML, and both names are plain ones by then.
    return Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=False,  # noqa: S701
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
