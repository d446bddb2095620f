"""``torchgrade init``: makes a folder a course of torchgrade's, be it new or an nbgrader course.

no nbgrader_config.py ──► a new course, with a first assignment whose audit passes ─┐
source/ps1/*.ipynb ─────► a course with tests in its own cells: the two lines ──────┼──► Founding: shown, then written whole
nbgrader_config.py ─────► the two lines in it, or nothing if they are there ────────┘
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import io
import re
import tokenize
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from traitlets.config import Config

from torchgrade.authoring.exercises import exercise_files, render_course_file, write_all
from torchgrade.course import CONFIG, Course, CourseError, find_course

FIRST = ("first_steps", "centred")
"""The assignment of a new course, and its exercise."""

_LINE = re.compile(rb"^from torchgrade\.(classic|gradebook) import configure\b", re.MULTILINE)


@dataclasses.dataclass(frozen=True, slots=True)
class Founding:
    """The plan to make a course of ``folder``: files to be made, files to be changed, and the commands to try next.

    ``what`` says in one sentence what the folder is. ``asks``: somebody else's files would change, so show :meth:`diff` first.
    """

    folder: Path
    what: str
    next: tuple[str, ...]
    new: Mapping[Path, str] = dataclasses.field(default_factory=dict)
    changed: Mapping[Path, bytes] = dataclasses.field(default_factory=dict)
    asks: bool = False

    def diff(self) -> str:
        """The changes to files, and a new configuration for an existing course, as ``diff -u`` shows them."""
        texts = [(path, path.read_bytes(), content) for path, content in self.changed.items()]
        if not self.changed:
            texts = [(path, b"", text.encode()) for path, text in self.new.items()]
        return "".join(line for path, old, new in texts for line in _differences(path.name, old, new))

    def write(self) -> list[Path]:
        """Write all files and return their paths, or write none and raise :class:`CourseError`.

        It is also raised if the lines were written, but others in the configuration undo their effect.
        """
        write_all(self.new, self.changed)
        if not find_course(self.folder).is_configured:
            raise CourseError(_without_effect(self.folder / CONFIG))
        return [*self.changed, *self.new]


def found_course(folder: Path) -> Founding:
    """Return the plan to make ``folder``, which need not exist, a course; nothing is written yet.

    Raises :class:`CourseError` if it is inside another course, if files are in the way, or if an existing configuration cannot be
    read or has no place for the lines.
    """
    folder = folder.absolute()
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file: name a folder. Nothing was changed.")
    if (folder / CONFIG).is_file():
        return _joined(find_course(folder))
    for above in folder.resolve().parents:
        if (above / CONFIG).is_file():
            raise CourseError(f"{folder} is inside the course {above}: choose a folder outside it. Nothing was changed.")
    if names := _with_notebooks(folder / "source"):
        text = "".join(["c = get_config()\n", *lines_of(TESTS, "c")])
        return Founding(folder, _with_tests(names), _for_tests(names), new={folder / CONFIG: text}, asks=True)
    return _new(folder)


def course_id_of(folder: Path) -> str:
    """A name for the course, from its folder's: ASCII letters, digits, ``-`` and ``_``, so that it may be part of any path."""
    plain = unicodedata.normalize("NFKD", folder.name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9-]+", "_", plain).strip("_-") or "course"


def _without_effect(path: Path) -> str:
    return f"the lines are in {path}, but others there set c.Autograde.autograde_preprocessors: take those out"


def _new(folder: Path) -> Founding:
    course_id = course_id_of(folder)
    assignment, exercise = FIRST
    course = Course(folder, Config())
    if (there := course.assignments / assignment).exists():
        raise CourseError(f"{there} exists already: move it away, or choose another folder. Nothing was changed.")
    new, changed = exercise_files(course, assignment, exercise, finished=True)
    new = {folder / CONFIG: render_course_file("nbgrader_config.py", course_id)} | new
    if not (folder / "README.md").exists():
        new[folder / "README.md"] = render_course_file("README.md", course_id)
    ignored = render_course_file("gitignore", course_id)
    if (folder / ".gitignore").is_file():
        if longer := _longer((folder / ".gitignore").read_bytes(), ignored):
            changed[folder / ".gitignore"] = longer
    else:
        new[folder / ".gitignore"] = ignored
    answer = f"solutions/{assignment}/{exercise}/reference.py"
    commands = (
        f"torchgrade release {assignment}",
        f"torchgrade compose {assignment} --exercise {exercise}={answer} -o submitted/ann/{assignment}/{assignment}.ipynb",
        f"torchgrade grade {assignment}",
    )
    return Founding(folder, "A new course.", commands, new, changed, asks=bool(changed))


def _joined(course: Course) -> Founding:
    """The plan for an existing nbgrader course; nothing is done to one that is torchgrade's already."""
    names = _with_notebooks(course.assignments) if course.is_configured else _nbgraders(course)
    if course.is_configured:
        what = "This is a torchgrade course already."
        commands = _for_tests(names) if course.kind.tests_in_cells else _for_checks(course.assignment_names())
        return Founding(course.root, what, commands)
    path = course.root / CONFIG
    source = path.read_bytes()  # it was read a moment ago
    if _LINE.search(source):
        raise CourseError(_without_effect(path))
    changed = {path.resolve(): with_lines(source, TESTS if names else CHECKS, path)}  # follow a link, so that it stays a link
    what, commands = _with_tests(names), _for_tests(names)
    if not names:
        what, commands = "An nbgrader course.", _for_checks(course.assignment_names())
    return Founding(course.root, what, commands, changed=changed, asks=True)


def _nbgraders(course: Course) -> list[str]:
    """The assignments that only nbgrader finds; those that have graders are torchgrade's and not among them."""
    return [] if course.graders.is_dir() else _with_notebooks(course.nbgraders_source)


def _with_tests(names: list[str]) -> str:
    return f"An nbgrader course with tests in its notebooks' own cells ({', '.join(names)})."


def _for_tests(names: list[str]) -> tuple[str, ...]:
    name = names[0] if names else "ASSIGNMENT"
    return f"torchgrade release {name}", f"torchgrade grade {name}", f"torchgrade feedback {name}"


def _for_checks(names: list[str]) -> tuple[str, ...]:
    if names:
        return _for_tests(names)
    return "torchgrade doctor", "torchgrade new ASSIGNMENT EXERCISE", "torchgrade release ASSIGNMENT"


def _with_notebooks(folder: Path) -> list[str]:
    return sorted({path.parent.name for path in folder.glob("*/*.ipynb")})


def _longer(old: bytes, wanted: str) -> bytes:
    """A ``.gitignore`` with the lines that it lacks added; empty if it lacks none."""
    there = {line.strip().strip("/") for line in old.decode("utf-8", "replace").splitlines()}
    lacking = [line for line in wanted.splitlines() if not line.startswith("#") and line.strip("/") not in there]
    if not lacking:
        return b""
    newline = b"" if not old or old.endswith(b"\n") else b"\n"
    return old + newline + "".join(f"{line}\n" for line in lacking).encode()


def _differences(name: str, old: bytes, new: bytes) -> list[str]:
    before, after = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (old, new))
    found = difflib.unified_diff(before, after, name if old else "/dev/null", name)
    return [line if line.endswith("\n") else f"{line}\n" for line in found]


# ---- the two lines in nbgrader's configuration
#
# They make it torchgrade's, and belong right below ``c = get_config()``: the lines after them may change what they set. Every
# other byte of the file stays as it is.

CHECKS = "torchgrade.gradebook"
"""The module whose ``configure`` is for a course of checks."""
TESTS = "torchgrade.classic"
"""The module whose ``configure`` is for a course with tests in its notebooks' own cells."""


def lines_of(module: str, name: str) -> tuple[str, str]:
    """The two lines, for a configuration whose object is called ``name``."""
    return f"from {module} import configure\n", f"configure({name})\n"


def with_lines(source: bytes, module: str, path: Path) -> bytes:
    """The configuration ``source`` with the two lines added; ``path`` is for error messages.

    Raises :class:`CourseError` if it is not valid Python, or does not call ``get_config`` on a line of its own.
    """
    try:
        tree = ast.parse(source)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except (SyntaxError, ValueError) as error:
        raise CourseError(f"{path} is not valid Python: {error}. Nothing was changed.") from error
    name, line = _got(tree)
    if not name:
        raise CourseError(
            f"{path} has no line c = get_config(): write {'; '.join(lines_of(module, 'c')).replace(chr(10), '')} below the line "
            "that gets the configuration. Nothing was changed."
        )
    lines = source.splitlines(keepends=True)
    newline = "\r\n" if lines[0].endswith(b"\r\n") else "\n"
    if not lines[line - 1].endswith((b"\n", b"\r")):
        lines[line - 1] += newline.encode()
    lines[line:line] = [each.replace("\n", newline).encode(encoding) for each in lines_of(module, name)]
    return b"".join(lines)


def _got(tree: ast.Module) -> tuple[str, int]:
    """The variable that ``get_config()`` is first assigned to, and the last line of that statement; empty if there is none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
            target = node.targets[0]
            if node.value.func.id == "get_config" and isinstance(target, ast.Name):
                return target.id, node.end_lineno or node.lineno
    return "", 0
