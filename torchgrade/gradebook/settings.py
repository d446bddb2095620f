"""The settings that ``nbgrader_config.py`` asks for with one line: nbgrader's own commands, with torchgrade in the right places.

Nothing is imported here: every class is given as text, and nbgrader looks it up when it needs the class. Every command of
nbgrader and of torchgrade loads the configuration, so loading it must cost nothing.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traitlets.config import Config

_NBGRADER = "nbgrader.preprocessors."
_HERE = "torchgrade.gradebook."

SANITIZE = [
    _HERE + "cells.RestoreCells",
    _HERE + "cells.ClearOutputButPictures",
    *(_NBGRADER + name for name in ("DeduplicateIds", "OverwriteKernelspec", "OverwriteCells", "CheckCellMetadata")),
]
"""The preprocessors that make the autograded copy of a submission. RestoreCells is first, because the others trust metadata."""

AUTOGRADE = [
    _HERE + "preprocessor.GradeWithTorchgrade",
    *(_NBGRADER + name for name in ("LimitOutput", "SaveAutoGrades")),
    _HERE + "preprocessor.FlagOpenMarks",
    *(_NBGRADER + name for name in ("AssignLatePenalties", "CheckCellMetadata")),
]
"""The preprocessors that enter the marks. There is no ``Execute``: no kernel is started, and no student code runs here."""

GENERATE = [
    *(_NBGRADER + name for name in ("IncludeHeaderFooter", "InstantiateTests", "LockCells")),
    _HERE + "handout.ClearMarkedSolutions",
    _NBGRADER + "ClearOutput",
    _NBGRADER + "CheckCellMetadata",
    # Before SaveCells: an assignment that must not be released must not reach the gradebook either.
    _HERE + "handout.CheckHandout",
    *(_NBGRADER + name for name in ("ComputeChecksums", "SaveCells", "ClearHiddenTests", "ClearMarkScheme")),
    *(_NBGRADER + name for name in ("ComputeChecksums", "CheckCellMetadata")),
    _HERE + "handout.AddPublicChecks",
]
"""The preprocessors that make the release: nbgrader's own list, with stubs kept, the handout checked, and public checks added."""


FILTERS = {
    "markdown2html": _HERE + "pages.markdown2html",
    "clean_html": _HERE + "pages.clean_html",
    "strip_files_prefix": _HERE + "pages.unchanged",
}
"""nbconvert's filters of these names, for every page that shows what students wrote: nothing that they let through can act."""


def configure(c: Config) -> None:
    """Set up nbgrader to grade with torchgrade; lines below this call in ``nbgrader_config.py`` may change it."""
    c.CourseDirectory.source_directory = "assignments"

    c.GenerateAssignment.preprocessors = list(GENERATE)

    c.Autograde.exporter_class = _HERE + "nbgrader_course.SubmissionExporter"
    c.Autograde.sanitize_preprocessors = list(SANITIZE)
    c.Autograde.autograde_preprocessors = list(AUTOGRADE)
    # A student who deleted a grade cell would otherwise have no score there, not even 0.
    c.OverwriteCells.add_missing_cells = True

    make_pages(c, "torchgrade_feedback.html.j2")


def make_pages(c: Config, feedback_template: str, *first: str) -> None:
    """Have Formgrader and feedback pages show what students wrote without running it; feedback pages use this template.

    ``first``: preprocessors of feedback pages that come before all others.
    """
    # Or it would run in the browser of the person who is logged in.
    c.HTMLExporter.filters = dict(FILTERS)

    c.GenerateFeedback.preprocessors = [
        *first,
        _HERE + "feedback_pages.UseOwnWords",
        _NBGRADER + "GetGrades",
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]
    # Set by parent, so that Formgrader, which also makes its pages with an HTMLExporter, keeps its own template.
    feedback = c.GenerateFeedback.HTMLExporter
    feedback.template_name = "feedback"
    feedback.template_file = feedback_template
    own = ("with_policy", "latex", "page_title", "mark_in_all", "in_own_words")
    feedback.filters = FILTERS | {name: f"{_HERE}pages.{name}" for name in own}
    feedback.extra_template_paths = _template_paths()


def _template_paths() -> list[str]:
    """The folders with those parts of a feedback page that nbgrader's own template does not have."""
    return [str(Path(__file__).with_name("templates")), *_bootstrap()]


def _bootstrap() -> list[str]:
    """The folder where nbgrader keeps the style sheet of its feedback page, found without importing nbgrader."""
    spec = importlib.util.find_spec("nbgrader")
    if spec is None or spec.origin is None:
        return []
    static = Path(spec.origin).parent / "server_extensions" / "formgrader" / "static"
    return [str(static / "node_modules" / "bootstrap" / "dist" / "css")]
