"""nbgrader's autograding of one student, taken apart where the notebook is run, so that workers can run many at once.

sanitize: submitted/ ──► autograded/, gradebook.db (who, when)         here
run       autograded/ ──► cells with outputs                           elsewhere
score     cells with outputs ──► autograded/, gradebook.db (marks)     here
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from nbgrader.converters import Autograde
from nbgrader.utils import setenv

from torchgrade.gradebook.recording import refuse_links

STAMP = "graded_from"
"""In an autograded notebook's metadata, below ``torchgrade``: the digest of all that its marks rest on."""


class ClassicConverter(Autograde):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's converter, one student at a time, in two halves."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.executed: dict[str, Any] = {}
        """By notebook: its cells with their outputs. ``ExecuteInJail`` looks here before it runs anything."""
        self.problems: list[str] = []
        """What ``SaveScores`` has to say of the student that is scored."""

    def init_notebooks(self) -> None:
        """Nothing: students are given to :meth:`sanitize`."""
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []

    def sanitize(self, student: str) -> list[Path]:
        """Make the copies of a student's notebooks that may be run; whatever nbgrader's steps raise comes out."""
        source, target = self.submitted(student), self.autograded(student)
        refuse_links(source)
        if target.exists():
            shutil.rmtree(target)
        self.notebooks = sorted(map(str, source.glob("*.ipynb")))
        self.run_pre_convert_hook()
        self.init_assignment(self.coursedir.assignment_id, student)
        self._sanitizing = True
        for notebook in self.notebooks:
            self._init_preprocessors()
            super(Autograde, self).convert_single_notebook(notebook)
        return [target / Path(notebook).name for notebook in self.notebooks]

    def score(self, student: str, executed: dict[str, Any]) -> None:
        """Enter the marks that the outputs of these notebooks give, by notebook."""
        self.executed, self._sanitizing = executed, False
        self.problems.clear()
        try:
            for name in executed:
                self._init_preprocessors()
                with setenv(NBGRADER_EXECUTION="autograde"):
                    super(Autograde, self).convert_single_notebook(str(self.autograded(student) / f"{name}.ipynb"))
        finally:
            self._sanitizing = True
        self.set_permissions(self.coursedir.assignment_id, student)
        self.run_post_convert_hook()

    def submitted(self, student: str) -> Path:
        """What the student handed in."""
        return Path(self._format_source(self.coursedir.assignment_id, student))

    def autograded(self, student: str) -> Path:
        """The graded copy of it."""
        return Path(self._format_dest(self.coursedir.assignment_id, student))
