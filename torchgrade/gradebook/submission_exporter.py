"""How nbgrader reads a submission: through the same door as the grader, so that both see the same notebook or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter

from torchgrade.gradebook.nbgrader_course import course_of
from torchgrade.notebook import read_notebook


class SubmissionExporter(NotebookExporter):
    """nbconvert's notebook exporter, but for regular files of bounded size only; the rest is refused."""

    def from_filename(
        self,
        filename: str,
        resources: dict[str, Any] | None = None,
        **kw: Any,
    ) -> tuple[Any, dict[str, Any]]:
        """Read and convert; :class:`torchgrade.notebook.NotebookError` where the file cannot be read as a notebook."""
        path, course = Path(filename), course_of(self)
        if not path.is_relative_to(course.submitted):
            # The copy of an earlier step, ours: it may have more cells and be larger than what a student may send.
            return super().from_filename(filename, resources, **kw)
        notebook = read_notebook(path, max_bytes=course.limits.notebook_bytes, pictures=True)
        resources = {**(resources or {}), "metadata": {"name": path.stem, "path": str(path.parent)}}
        exported: tuple[Any, dict[str, Any]] = self.from_notebook_node(notebook, resources, **kw)  # type: ignore[no-untyped-call]
        return exported
