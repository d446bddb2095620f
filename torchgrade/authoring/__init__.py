"""Authoring: a new exercise that works from its first minute, for its author to change piece by piece.

    names ──► templates ──► files: graders, bank ──────────┐
                  └───────► cells ──► the notebook's text ─┴──► writing: all of them, or none

The skeleton's audit passes as written, so that whatever fails later was caused by the last change.
"""

from torchgrade.authoring.creating import new_exercise

__all__ = ["new_exercise"]
