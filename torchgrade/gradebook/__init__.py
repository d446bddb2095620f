"""The seam to nbgrader: releases, marks in the gradebook, feedback pages. nbgrader's own commands do the same.

    assignments/<a> ── handout: checked, public checks added ──────────────► release/<a>
    submitted/<s>/<a> ── exporter · cells ──► autograded/<s>/<a> ◄── preprocessor ◄── the student's record
                                                   │      └── gradebook.db: nbgrader's SaveAutoGrades
                                                   └── pages · nbgrader's GenerateFeedback ──► feedback/<s>/<a>

``settings.configure`` puts these steps into nbgrader's lists. ``release``, ``record_marks`` and ``feedback`` run the same
nbgrader converters in this process, and turn their log into lines for an instructor.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from torchgrade.gradebook.settings import configure

if TYPE_CHECKING:
    from torchgrade.gradebook.feedback_pages import feedback
    from torchgrade.gradebook.handout import release
    from torchgrade.gradebook.nbgrader_course import GradebookError
    from torchgrade.gradebook.recording import record_marks, require_released

__all__ = ["GradebookError", "configure", "feedback", "record_marks", "release", "require_released"]

_HOMES = {
    "GradebookError": "nbgrader_course",
    "feedback": "feedback_pages",
    "record_marks": "recording",
    "release": "handout",
    "require_released": "recording",
}


def __getattr__(name: str) -> Any:
    # Looked up on first use: nbgrader_config.py imports this module, and nbgrader itself takes half a second.
    if name not in _HOMES:
        raise AttributeError(f"module 'torchgrade.gradebook' has no attribute {name!r}")
    return getattr(importlib.import_module(f"torchgrade.gradebook.{_HOMES[name]}"), name)
