"""``check()`` for students: the public checks of an exercise, in their own kernel, on any operating system.

Nothing here needs a jail, pytest or nbgrader. ``torchgrade.student.silent = True`` makes ``check`` do nothing.
"""

from torchgrade.student.checker import check

__all__ = ["check", "silent"]

silent = False
"""If set to True, ``check`` does nothing, as in a notebook that is run to be graded."""
