"""The files beside a student's notebook: the public checks of each exercise, and how many hidden ones there are."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

_PREFIX = "public_"


class FilesError(Exception):
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
        """For each exercise how many hidden checks of each kind follow, as ``checks.json`` says; ``None`` if it says nothing."""
        try:
            data = json.loads((self.folder / "checks.json").read_bytes())
            return {
                str(name): {str(kind): int(count) for kind, count in exercise["hidden"].items()}
                for name, exercise in data["exercises"].items()
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None


def beside_the_notebook(*folders: Path) -> Beside:
    """The first of ``folders`` that holds public checks, or else the first."""
    return next((beside for beside in map(Beside, folders) if beside.names()), Beside(folders[0]))


class _Fresh(SourceFileLoader):
    """Reads the source each time: bytecode kept on disk may be that of a file that was replaced within the same second."""

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, from its source."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


@contextlib.contextmanager
def loaded(path: Path) -> Iterator[ModuleType]:
    """The public checks in a file as a module, which is forgotten afterwards. Raises :class:`FilesError`."""
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
