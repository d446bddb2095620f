"""Where in a student's own code an exception came from: only their cells and files, nothing of ours or of a library.

IPython compiles each cell under a file name of its own (``<ipython-input-5-…>`` in a terminal, a file under the temporary folder
in a kernel) and knows which cell that was; its lines are in ``linecache``. Outside IPython, the code is in a file or a console.
"""

from __future__ import annotations

import contextlib
import dataclasses
import dis
import importlib.util
import json
import linecache
import sys
import traceback
from collections.abc import Iterator, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from torchgrade.checks.faults import Line, Raised, StudentFault
from torchgrade.errors import TorchgradeError

_MOST_LINES = 5
_MOST_TEXT = 2_000
_PACKAGES = ("site-packages", "dist-packages")


class NotWritten(StudentFault):
    """The student's code raised the ``NotImplementedError`` that the stub came with."""

    slip = "not written"


class OwnCode:
    """The student's own code: cells of the running shell, the file of their namespace, and files in their folder."""

    def __init__(self, namespace: Mapping[str, Any], folder: Path) -> None:
        self._namespace, self._folder = namespace, folder

    def fault(self, error: BaseException, name: str) -> StudentFault:
        """The fault that stands for ``error``, raised by a call of the student's ``name``, in words for the student."""
        kind = type(error).__name__[:100]
        if isinstance(error, NotImplementedError):
            if self._raises(error):
                return NotWritten(f"{name} is not written yet.")
            kind += " (from a library)"
        return Raised(kind, _text_of(error), self.lines(error))

    def lines(self, error: BaseException) -> tuple[Line, ...]:
        """The lines of the student's own code that an exception went through, outermost first, at most five."""
        found = []
        for frame, number in traceback.walk_tb(error.__traceback__):
            if (where := self._label(frame)) is not None:
                text = linecache.getline(frame.f_code.co_filename, number).strip()
                found.append(Line(where, number, text[:200]))
        return tuple(found[-_MOST_LINES:])

    def _raises(self, error: BaseException) -> bool:
        """Return whether a ``raise`` in the student's own code raised ``error``: torch uses the same type for what it lacks."""
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is None or self._label(trace.tb_frame) is None:
            return False
        return dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]].startswith("RAISE")

    def _label(self, frame: FrameType) -> str | None:
        """The name of a frame's cell or file, as the student knows it; ``None`` if the frame is not the student's."""
        if (cell := _cell(frame.f_code)) is not None:
            return cell
        path = Path(frame.f_code.co_filename)
        if frame.f_globals is self._namespace or self._is_theirs(path):
            return "the console" if path.name.startswith("<") else path.name
        return None

    def _is_theirs(self, path: Path) -> bool:
        if path.name.startswith(("public_", "<")) or any(part in _PACKAGES for part in path.parts):
            return False
        # A course folder may hold an environment, or torchgrade itself.
        prefixes = (Path(sys.prefix), Path(sys.base_prefix), Path(__file__).resolve().parents[1])
        return path.is_relative_to(self._folder) and not any(
            path.is_relative_to(prefix) for prefix in prefixes if prefix.is_relative_to(self._folder)
        )


def shell() -> Any | None:
    """The running IPython, if there is one. IPython is never imported to find out."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _cell(code: CodeType) -> str | None:
    compiler = getattr(shell(), "compile", None)
    if compiler is None:
        return None
    label = compiler.format_code_name(code.co_filename)  # ("Cell", "In[5]"), or None for code that is not a cell
    return f"cell {label[1]}".replace("In[", "In [") if label else None


def _text_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception as second:  # noqa: BLE001 - the student's own __str__
        return f"(its text raised {type(second).__name__[:100]})"
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


# ---- files beside a student's notebook: the public checks, and how many hidden ones there are

_PREFIX = "public_"


class FilesError(TorchgradeError):
    """Something is missing beside the notebook, or damaged. The text is one line for the student."""


@dataclasses.dataclass(frozen=True, slots=True)
class Beside:
    """The folder that the public checks are in."""

    folder: Path

    def names(self) -> list[str]:
        """The exercises that there are public checks for."""
        return sorted(path.stem.removeprefix(_PREFIX) for path in self.folder.glob(f"{_PREFIX}*.py"))

    def require(self, exercise: str) -> Path:
        """The file with an exercise's public checks; :class:`FilesError` says what to do if it is not there."""
        path = self.folder / f"{_PREFIX}{exercise}.py"
        if exercise.isidentifier() and path.is_file():
            return path
        if names := self.names():
            raise FilesError(f"There are no checks for {exercise!r}; there are some for {', '.join(names)}.")
        raise FilesError(
            f"{_PREFIX}{exercise}.py is not beside this notebook (looked in {self.folder}). Open the notebook in the folder "
            "that it came in, or fetch the assignment again."
        )

    def hidden(self) -> Mapping[str, Mapping[str, int]] | None:
        """For each exercise, how many hidden checks of each kind follow, by ``checks.json``; ``None`` if it says nothing."""
        try:
            data = json.loads((self.folder / "checks.json").read_bytes())
            return {
                str(name): {str(kind): int(count) for kind, count in exercise["hidden"].items()}
                for name, exercise in data["exercises"].items()
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None


def beside_the_notebook(*folders: Path) -> Beside:
    """The first of ``folders`` that holds public checks; if none does, the first."""
    return next((beside for beside in map(Beside, folders) if beside.names()), Beside(folders[0]))


class _Fresh(SourceFileLoader):
    """Reads the source each time: bytecode kept on disk may belong to a file that was replaced within the same second."""

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, from its source."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


@contextlib.contextmanager
def loaded(path: Path) -> Iterator[ModuleType]:
    """The public checks in a file, as a module that is forgotten afterwards. Raises :class:`FilesError`."""
    name = path.stem
    loader = _Fresh(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader, origin=str(path))
    if spec is None:
        raise FilesError(f"{path.name} cannot be read: fetch the assignment again.")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module  # dataclasses and the like look their module up
    try:
        try:
            loader.exec_module(module)
        except Exception as error:
            raise FilesError(
                f"{path.name} cannot be used ({type(error).__name__}: {str(error)[:200]}). Fetch the assignment again."
            ) from error
        yield module
    finally:
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before
