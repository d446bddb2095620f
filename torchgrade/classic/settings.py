"""What a classic course's ``nbgrader_config.py`` asks for with one line. Nothing is imported here: every command reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchgrade.course import Course

if TYPE_CHECKING:
    from traitlets.config import Config

_NBGRADER = "nbgrader.preprocessors."
EXECUTE = "torchgrade.classic.execute.ExecuteInJail"

AUTOGRADE = [
    EXECUTE,
    _NBGRADER + "IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    _NBGRADER + "LimitOutput",
    "torchgrade.classic.scores.SaveScores",
    _NBGRADER + "AssignLatePenalties",
    _NBGRADER + "CheckCellMetadata",
]
"""nbgrader's own list, with other steps for running cells and for what their outputs are worth."""
FEEDBACK = ["torchgrade.classic.hiding.HideTests", _NBGRADER + "GetGrades", "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor"]
"""nbgrader's own list, with a first step that takes hidden tests away."""


def configure(c: Config) -> None:
    """Set up nbgrader to run notebooks in the jail; what stands below this line in ``nbgrader_config.py`` may change it."""
    c.CourseDirectory.source_directory = "source"
    c.Autograde.exporter_class = "torchgrade.gradebook.exporter.SubmissionExporter"
    c.Autograde.autograde_preprocessors = list(AUTOGRADE)
    c.GenerateFeedback.preprocessors = list(FEEDBACK)
    # A student who deleted a grade cell would otherwise have no score there, not even 0.
    c.OverwriteCells.add_missing_cells = True


def is_classic(course: Course) -> bool:
    """Whether the course's configuration has called :func:`configure`."""
    return EXECUTE in course.config.get("Autograde", {}).get("autograde_preprocessors", [])
