"""The stamp of a graded copy: what its marks were made from, and what the gradebook had once they were entered.

    marks ──► gradebook.db, written for good ──► stamp_copies ──► metadata of each notebook in autograded/<s>/<a>/

It comes last, so that an end at any moment before it leaves copies without a stamp, which the next run grades again.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import NamedTuple

import nbformat

from torchgrade.notebook import write_notebook


class Stamp(NamedTuple):
    """Below ``torchgrade`` in the metadata, by these names."""

    graded_from: str
    """That of the :class:`torchgrade.classic.gradings.Basis`."""
    entered: str
    """That of the :class:`torchgrade.gradebook.entered.Entered`."""


def stamp_copies(folder: Path, given: Stamp) -> None:
    """Stamp the notebooks of a graded copy, each rewritten whole; ``NotebookError`` where the disk refuses."""
    for path in notebooks_of(folder):
        mode = stat.S_IMODE(path.stat().st_mode)
        notebook = nbformat.from_dict(json.loads(path.read_bytes()))  # ours, and valid: it was written a moment ago
        notebook.metadata["torchgrade"] = {**notebook.metadata.get("torchgrade", {}), **given._asdict()}
        write_notebook(notebook, path)
        path.chmod(mode)


def stamps_of(folder: Path) -> dict[str, Stamp | None]:
    """By the notebook's file: its stamp; ``None`` for one that was not graded to its end, or by nbgrader's own command."""
    return {path.name: _stamp_of(path) for path in notebooks_of(folder)}


def notebooks_of(folder: Path) -> list[Path]:
    """The notebooks in a folder, by name."""
    return sorted(folder.glob("*.ipynb"))


def _stamp_of(path: Path) -> Stamp | None:
    try:
        facts = json.loads(path.read_bytes())["metadata"]["torchgrade"]
        return Stamp(*(facts[name] for name in Stamp._fields))
    except (OSError, ValueError, KeyError, TypeError):
        return None
