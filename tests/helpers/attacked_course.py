"""The course that is attacked: a copy with small limits and planted secrets, and what an attack's file says of itself."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import os
import re
import shutil
import socket
import sqlite3
import threading
from pathlib import Path

from torchgrade.course import find_course

REPOSITORY = Path(__file__).parents[2]
CORPUS = REPOSITORY / "tests" / "attacks" / "corpus"
SECRET = f"{'planted'}-6f1c2a"  # never whole in any file: what holds it got it from where it was planted
LIMITS = """
c.Limits.call_seconds = 1.0
c.Limits.cells_seconds = 3.0
c.Limits.submission_seconds = 4.0
c.Limits.memory_mb = 300
c.Limits.scratch_mb = 16
c.Limits.processes = 40
c.Limits.open_files = 128
c.Limits.output_kb = 64
c.Limits.answer_mb = 32
"""
_FACT = re.compile(r"^(Family|Wall|Marks|Exercise|Reads|Word|Says): *(.+)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Attack:
    """A file of the corpus. ``marks`` is what it must get; ``says`` what its record must hold, so that it is known to have run.

    ``reads``: without the jail it brings a planted secret home. ``word``: checks that it may gain, as they rest on its word.
    """

    path: Path
    assignment: str
    exercise: str
    family: str
    wall: str
    marks: float
    reads: bool
    word: frozenset[str]
    says: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.assignment}/{self.path.stem}"

    @property
    def honest(self) -> str | None:
        """The same wrong answer without the trick: the last cell, where the trick has cells of its own."""
        parts = re.split(r"^# %%$", self.text, flags=re.MULTILINE)
        return parts[-1] if len(parts) > 1 else None


_EXERCISES = {
    "numerical_stability": "softmax",
    "vectorization": "batch_gather",
    "mixed_precision": "train_amp",
    "implicit_differentiation": "solve_implicit",
    "data_loading": "ShardedTarDataset",
}


def read_corpus() -> list[Attack]:
    """Every attack, by assignment and name."""
    return [_read(path) for path in sorted(CORPUS.glob("*/*.py"))]


def _read(path: Path) -> Attack:
    text = path.read_text(encoding="utf-8")
    facts = dict(_FACT.findall(ast.get_docstring(ast.parse(text)) or ""))
    assignment = path.parent.name
    return Attack(
        path=path,
        assignment=assignment,
        exercise=facts.get("Exercise", _EXERCISES[assignment]),
        family=facts["Family"],
        wall=facts["Wall"],
        marks=float(facts["Marks"]),
        reads="Reads" in facts,
        word=frozenset(re.findall(r"\w+", facts.get("Word", ""))),
        says=facts.get("Says", ""),
        text=text,
    )


def make_course(root: Path, limits: str = LIMITS):
    """A copy of the course in ``root``, with a secret in every place where an attack could look for one."""
    skipped = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for name in ("assignments", "graders", "solutions"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=skipped)
    (root / "nbgrader_config.py").write_text((REPOSITORY / "nbgrader_config.py").read_text() + limits)
    for place in (
        "graders/numerical_stability/secret.txt",
        "solutions/numerical_stability/secret.txt",
        "submitted/alice/numerical_stability/secret.txt",
        "results/alice/numerical_stability.json",
        "secret.txt",
    ):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(SECRET)
    with contextlib.closing(sqlite3.connect(root / "gradebook.db")) as gradebook:
        gradebook.execute("create table grade (student text)")
        gradebook.execute("insert into grade values (?)", (SECRET,))
        gradebook.commit()
    return find_course(root)


class Telltale:
    """Listens on this machine, on a port and an abstract socket, and tells the secret to whoever connects."""

    def __init__(self):
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.local = socket.socket(socket.AF_UNIX)
        self.name = f"torchgrade-attack-{os.getpid()}"
        self.local.bind("\0" + self.name)
        self.local.listen()
        self.port = self.tcp.getsockname()[1]
        for listener in (self.tcp, self.local):
            threading.Thread(target=self._tell, args=(listener,), daemon=True).start()

    def _tell(self, listener):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                connection.sendall(SECRET.encode())
                connection.close()

    def close(self):
        for listener in (self.tcp, self.local):
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()


def descendants(pid: int) -> set[int]:
    """The processes below ``pid``, as this machine sees them."""
    parents = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
    found, size = {pid}, 0
    while len(found) > size:
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found - {pid}
