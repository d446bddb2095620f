"""Authoring: a new exercise that works from the first minute, for its author to change piece by piece.

    names ──► templates ──► files: graders, bank ──────────┐
                  └───────► cells ──► the notebook's text ─┴──► writing: all of them, or none

    a folder ──► founding: the course's own files, a first exercise; or joining: two lines in nbgrader's configuration

The skeleton's audit passes as it is written, so whatever fails later was caused by the last change.
"""

from torchgrade.authoring.exercises import new_exercise
from torchgrade.authoring.founding import Founding, found_course

__all__ = ["Founding", "found_course", "new_exercise"]
