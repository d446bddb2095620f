"""``torchgrade new``: an exercise that works from its first minute: its notebook cells, its graders, its bank.

names ──► templates ──► files: graders, bank ──────────┐
└───────► cells ──► the notebook's text ─┴──► written: all of them, or none
"""

from __future__ import annotations

import ast
import contextlib
import functools
import json
import keyword
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import nbformat
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from torchgrade.course import Course, CourseError
from torchgrade.notebook import Assignment, assignment_of_course


def new_exercise(course: Course, assignment: str, exercise: str, *, kind: str = "function") -> list[Path]:
    """Write a working skeleton of ``exercise``, in a new assignment or at the end of an existing one; return the files.

    ``kind`` is what students write: a function, or a class.

    Everything is written or, with :class:`CourseError`, nothing: for a name that cannot be used, an exercise or a file that is
    there already, a disk that refuses. :class:`torchgrade.notebook.NotebookError` for an assignment whose notebook is not in
    order.
    """
    new, changed = exercise_files(course, assignment, exercise, kind=kind)
    write_all(new, changed)
    return [*changed, *new]


def exercise_files(
    course: Course, assignment: str, exercise: str, *, kind: str = "function", finished: bool = False
) -> tuple[dict[Path, str], dict[Path, bytes]]:
    """The new files of an exercise and the files that change, with their content; errors as in :func:`new_exercise`.

    ``finished``: for students as it is, without words for its author.
    """
    require_names(assignment, exercise)
    notebook = course.assignments / assignment / f"{assignment}.ipynb"
    new = _graders(course, assignment, exercise, kind=kind, finished=finished) | _bank(course, assignment, exercise, kind)
    changed: dict[Path, bytes] = {}
    if notebook.exists():
        existing = assignment_of_course(course, assignment)
        # Through a link, so that the link stays one.
        changed[existing.path.resolve()] = _longer(existing, exercise, kind)
    else:
        new[notebook] = assignment_notebook(assignment, exercise, kind=kind, finished=finished)
    taken = [path for path in (*new, course.solutions / assignment / exercise) if path.exists() or path.is_symlink()]
    if taken:
        where = taken[0].relative_to(course.root) if taken[0].is_relative_to(course.root) else taken[0]
        raise CourseError(f"{where} exists already: choose another name than {exercise}, or move it away. Nothing was changed.")
    return {path: text for path, text in _packages(course, assignment).items() if not path.exists()} | new, changed


def _longer(assignment: Assignment, exercise: str, kind: str) -> bytes:
    if any(exercise == each.name for each in assignment.exercises):
        raise CourseError(f"{assignment.name} has an exercise {exercise} already: choose another name. Nothing was changed.")
    cells = exercise_cells(assignment.name, exercise, kind=kind)
    if not imports_what_is_needed(assignment.notebook):
        cells.insert(0, imports_cell(assignment.name, exercise, f"{exercise}-imports"))
    refuse_double(assignment.notebook.cells, cells, exercise)
    return with_cells(assignment, cells)


def _graders(course: Course, assignment: str, exercise: str, *, kind: str, finished: bool) -> dict[Path, str]:
    folder = course.graders / assignment
    files = {folder / f"{name}_{exercise}.py": f"graders/{name}_exercise.py" for name in graders(kind)}
    return {path: render(name, assignment, exercise, kind=kind, finished=finished) for path, name in files.items()}


def _packages(course: Course, assignment: str) -> dict[Path, str]:
    """The ``__init__.py`` files that make the graders importable, of the course and of the assignment, with their content."""
    return {
        course.graders / "__init__.py": render("graders/course.py", assignment, ""),
        course.graders / assignment / "__init__.py": render("graders/assignment.py", assignment, ""),
    }


def _bank(course: Course, assignment: str, exercise: str, kind: str) -> dict[Path, str]:
    folder = course.solutions / assignment / exercise
    return {folder / name: render(f"solutions/{name}", assignment, exercise, kind=kind) for name in bank(kind)}


# ---- which names an assignment and an exercise may have: each becomes a Python name, a file's name and the ids of cells

LONGEST = 40
"""Characters; the id of a cell has at most 64, and ours have something behind the name."""

TAKEN = frozenset(("run", "probe", "function", "limit", "torch", "Tensor", "check"))
"""Names that mean something else as ``student.<name>`` in a grader, or that the notebook's first cell imports."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def require_names(assignment: str, exercise: str) -> None:
    """Raise :class:`CourseError`, one line, where one of the names cannot be used."""
    _require("assignment", assignment)
    _require("exercise", exercise)
    if exercise in TAKEN:
        raise CourseError(f"the exercise cannot be called {exercise}: in a grader or a notebook that name means something else")


def _require(what: str, name: str) -> None:
    expected = "expected a Python name of ASCII letters, digits and _, with a letter first, such as masked_mean"
    if not _NAME.fullmatch(name):
        raise CourseError(f"{name!r} cannot be the name of an {what}: {expected}")
    if keyword.iskeyword(name):
        raise CourseError(f"{name!r} cannot be the name of an {what}: it is a keyword of Python")
    if len(name) > LONGEST:
        raise CourseError(f"the name of the {what} has {len(name)} characters; at most {LONGEST} are possible")


# ---- the cells of a new exercise, and how they get into a notebook

POINTS = 8
"""The sum of the points of the skeleton's checks."""

_FORMAT = (4, 5)
_KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
_METADATA = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}


def exercise_cells(assignment: str, exercise: str, *, kind: str = "function", finished: bool = False) -> list[NotebookNode]:
    """Text, specification, contract, stub and grade cell of one exercise; ``kind`` and ``finished`` as in :func:`render`."""

    def text(name: str) -> str:
        return render(f"cells/{name}", assignment, exercise, kind=kind, finished=finished).rstrip("\n")

    return [
        _cell("markdown", f"{exercise}-text", text("text.md")),
        _cell("code", f"{exercise}-specification", text("specification.py")),
        _cell("markdown", f"{exercise}-task", text("task.md")),
        _cell("code", exercise, text("stub.py"), locked=False, solution=True),
        _cell("code", f"{exercise}-check", f'check("{exercise}")', grade=True, points=POINTS),
    ]


def assignment_notebook(assignment: str, exercise: str, *, kind: str = "function", finished: bool = False) -> str:
    """The notebook of a new assignment: introduction and imports before its exercise, handing in behind it."""
    introduction = render("cells/introduction.md", assignment, exercise, kind=kind, finished=finished).rstrip("\n")
    before = [_cell("markdown", "introduction", introduction), imports_cell(assignment, exercise, "imports")]
    behind = [_cell("markdown", "submitting", render("cells/submitting.md", assignment, exercise).rstrip("\n"))]
    cells = exercise_cells(assignment, exercise, kind=kind, finished=finished)
    refuse_double(before + behind, cells, exercise)
    return str(nbformat.writes(new_notebook(cells=before + cells + behind, metadata=_METADATA))) + "\n"


def refuse_double(old: Iterable[NotebookNode], new: Iterable[NotebookNode], exercise: str) -> None:
    """Raise :class:`CourseError` where a cell has the name that a new one needs."""
    taken = {name for cell in old for name in (cell.get("id"), cell.metadata.get("nbgrader", {}).get("grade_id"))}
    for cell in new:
        if cell.id in taken:
            raise CourseError(f"the notebook has a cell {cell.id!r}: choose another name than {exercise}. Nothing was changed.")


def imports_cell(assignment: str, exercise: str, grade_id: str) -> NotebookNode:
    """A code cell with the imports that a stub and its grade cell need."""
    return _cell("code", grade_id, render("cells/imports.py", assignment, exercise).rstrip("\n"))


def imports_what_is_needed(notebook: NotebookNode) -> bool:
    """Return whether the notebook imports what a stub and its grade cell need."""
    names: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            with contextlib.suppress(SyntaxError):  # a cell with magics
                body = ast.parse(cell.source).body
                imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
                names |= {alias.asname or alias.name for node in imports for alias in node.names}
    return {"torch", "Tensor", "check"} <= names


def with_cells(assignment: Assignment, cells: list[NotebookNode]) -> bytes:
    """The assignment's notebook with ``cells`` at its end, laid out as JupyterLab lays out notebooks.

    Raises :class:`CourseError` if it is of a format in which cells have no ids.
    """
    file = json.loads(assignment.source.decode("utf-8-sig"))  # what was read of it is of today's format
    if (file.get("nbformat"), file.get("nbformat_minor", 0)) < _FORMAT:
        raise CourseError(
            f"{assignment.path} is of an older format than {_FORMAT[0]}.{_FORMAT[1]}: open and save it in JupyterLab first"
        )
    longer = NotebookNode(assignment.notebook, cells=[*assignment.notebook.cells, *cells])
    return f"{nbformat.writes(longer)}\n".encode()


def _cell(kind: str, grade_id: str, source: str, **flags: object) -> NotebookNode:
    facts = {"grade": False, "grade_id": grade_id, "locked": True, "schema_version": 3, "solution": False, "task": False}
    make: Callable[..., NotebookNode] = new_markdown_cell if kind == "markdown" else new_code_cell
    return make(source, id=grade_id, metadata={"nbgrader": facts | flags})


# ---- the skeleton's texts: templates beside this file, filled in with names

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


# ---- several files are written as one: all of them, or none


def write_all(new: Mapping[Path, str], changed: Mapping[Path, bytes] | None = None) -> None:
    """Make the files ``new``, which must not be there, and give those in ``changed`` their new content.

    Where one cannot be written, what was made before is taken away again, folders included, and :class:`CourseError` says
    which. Files that change come last, each replaced in one step, so that a reader finds the old or the new one.
    """
    made: list[Path] = []
    aside: list[tuple[Path, Path]] = []
    path = Path()
    try:
        for path, content in (changed or {}).items():
            aside.append((_beside(path, content, made), path))
        for path, text in new.items():
            _make_folder(path.parent, made)
            with path.open("x", encoding="utf-8") as file:
                made.append(path)
                file.write(text)
        for temporary, path in aside:
            temporary.replace(path)
    except BaseException as error:
        _take_away(made)
        if isinstance(error, OSError):
            raise CourseError(f"cannot write {path}: {error.strerror or error}. Nothing was changed.") from error
        raise


def _beside(path: Path, content: bytes, made: list[Path]) -> Path:
    """A file with the new content and the old one's permissions, next to the old one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("xb") as file:
        made.append(temporary)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    shutil.copymode(path, temporary)
    return temporary


def _make_folder(folder: Path, made: list[Path]) -> None:
    for each in reversed([folder, *folder.parents]):
        if not each.exists():
            each.mkdir()
            made.append(each)


def _take_away(made: list[Path]) -> None:
    for path in reversed(made):
        with contextlib.suppress(OSError):
            path.rmdir() if path.is_dir() else path.unlink()
