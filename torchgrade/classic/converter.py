"""nbgrader's autograding of one student, taken apart where the notebook is run, so that workers can run many at once.

sanitize: submitted/ ──► autograded/, gradebook.db (who, when)         here
run       autograded/ ──► cells with outputs                           elsewhere
score     cells with outputs ──► autograded/, gradebook.db (marks)     here
"""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

from torchgrade.classic.stamps import notebooks_of
from torchgrade.compat.nbgrader import AutogradeInHalves
from torchgrade.gradebook.errors import GradebookError
from torchgrade.gradebook.handed_on import HandedOn
from torchgrade.gradebook.recording import handed_in_at
from torchgrade.notebook.errors import one_line
from torchgrade.record import Record

_MOST_NAMED = 3


class ClassicConverter(AutogradeInHalves):
    """nbgrader's converter, one student at a time, in two halves."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._handed_on = HandedOn()

    def init_notebooks(self) -> None:
        """Nothing: students are given to :meth:`sanitize`."""
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []

    def init_single_notebook_resources(self, notebook_filename: str) -> dict[str, Any]:
        """Nbgrader's resources for one notebook, with what is known of the student."""
        return self._handed_on.put_into(super().init_single_notebook_resources(notebook_filename))

    def sanitize(self, student: str, known: Collection[str]) -> list[Path]:
        """Make the copies of a student's notebooks that may be run, of those with a known name alone.

        Whatever nbgrader's steps raise comes out, and leaves no copy; :class:`GradebookError` where there is no such notebook.
        """
        source, target = self.submitted(student), self.autograded(student)
        handed_in_at(self.coursedir, source)
        found = notebooks_of(source)
        if not any(path.stem in known for path in found):
            names = ", ".join(one_line(path.name) for path in found[:_MOST_NAMED]) or "no notebook"
            expected = " or ".join(f"{name}.ipynb" for name in sorted(known))
            raise GradebookError(f"expected {expected}, found {names}: a notebook may have been given another name")
        if target.exists():
            shutil.rmtree(target)
        self.notebooks = [str(path) for path in found]
        try:
            self._make_copies(student)
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
        return [target / Path(notebook).name for notebook in self.notebooks]

    def _make_copies(self, student: str) -> None:
        self.run_pre_convert_hook()
        self.init_assignment(self.coursedir.assignment_id, student)
        for notebook in self.notebooks:
            self.sanitize_notebook(Path(notebook))

    def score(self, student: str, executed: dict[str, Any], record: Record | None) -> list[str]:
        """Enter the marks that these notebooks, by name, and the record give; what nbgrader's steps have to say of them."""
        self._handed_on = HandedOn(record, executed)
        for name in executed:
            self.autograde_notebook(self.autograded(student) / f"{name}.ipynb")
        self.set_permissions(self.coursedir.assignment_id, student)
        self.run_post_convert_hook()
        return self._handed_on.problems

    def submitted(self, student: str) -> Path:
        """Return what the student handed in."""
        return Path(self.coursedir.format_path(self.coursedir.submitted_directory, student, self.coursedir.assignment_id))

    def autograded(self, student: str) -> Path:
        """The graded copy of it."""
        return Path(self.coursedir.format_path(self.coursedir.autograded_directory, student, self.coursedir.assignment_id))
