"""The settings that a classic course's ``nbgrader_config.py`` asks for with one line. Nothing slow is imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchgrade.gradebook.settings import GENERATE, make_pages
from torchgrade.gradebook.settings import SANITIZE as COMMON_SANITIZE

if TYPE_CHECKING:
    from traitlets.config import Config

_NBGRADER = "nbgrader.preprocessors."
_GRADEBOOK = "torchgrade.gradebook."
EXECUTE = "torchgrade.classic.execute.ExecuteInJail"

SANITIZE = [
    "torchgrade.classic.steps.PutBackDeletedCells" if step == _NBGRADER + "OverwriteCells" else step for step in COMMON_SANITIZE
]
"""As in a course of checks; if a notebook has no exercises, its first step does nothing."""

AUTOGRADE = [
    EXECUTE,
    _NBGRADER + "IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    _GRADEBOOK + "preprocessor.GradeWithTorchgrade",
    _NBGRADER + "LimitOutput",
    "torchgrade.classic.steps.SaveScores",
    _GRADEBOOK + "preprocessor.FlagOpenMarks",
    *(_NBGRADER + name for name in ("AssignLatePenalties", "CheckCellMetadata")),
]
"""nbgrader's own list, but with other steps for running cells and for scoring their outputs, and with the exercises' marks."""
HIDE_TESTS = "torchgrade.classic.steps.HideTests"
"""The first step of a feedback page: it removes hidden tests."""


def configure(c: Config) -> None:
    """Set up nbgrader to run notebooks in the jail; lines below this call in ``nbgrader_config.py`` may change it."""
    c.CourseDirectory.source_directory = "source"
    # As in a course of checks; if a notebook has no exercises, this does what nbgrader's own list does.
    c.GenerateAssignment.preprocessors = list(GENERATE)
    c.Autograde.exporter_class = "torchgrade.gradebook.nbgrader_course.SubmissionExporter"
    c.Autograde.sanitize_preprocessors = list(SANITIZE)
    c.Autograde.autograde_preprocessors = list(AUTOGRADE)
    make_pages(c, "torchgrade_classic_feedback.html.j2", HIDE_TESTS)
    # A course of checks keeps no outputs of students. Here, a script among them would run in the browser of the person who marks.
    c.HTMLExporter.preprocessors = [_GRADEBOOK + "feedback_pages.CleanCells"]
    # A student who deleted a grade cell would otherwise have no score there, not even 0.
    c.OverwriteCells.add_missing_cells = True
