"""A course whose tests stand in the notebook's own cells, as nbgrader alone has them: behind the wall, and in parallel.

    submitted/<s>/<a>/ ── converter: nbgrader's sanitizing ──► autograded/<s>/<a>/ ──► worker: cells run in a jailed kernel
    autograded/<s>/<a>/, gradebook.db ◄── converter: nbgrader's scoring ◄── cells with their outputs ◄──┘

In goes what nbgrader collected, out come its autograded copies and marks. Everything but the running of cells is nbgrader's own.
``settings.configure`` puts this into ``nbgrader autograde`` too; ``grading.grade`` is ``torchgrade grade``.
"""

from torchgrade.classic.settings import configure

__all__ = ["configure"]
