"""Courses whose tests are in the notebook's own cells, as in plain nbgrader: graded behind the wall, and in parallel.

    submitted/<s>/<a>/ ── converter: nbgrader's sanitizing ──► autograded/<s>/<a>/ ──► worker: cells run in a jailed kernel
    autograded/<s>/<a>/, gradebook.db ◄── converter: nbgrader's scoring ◄── cells with their outputs ◄──┘

What nbgrader collected goes in; its autograded copies and marks come out. Everything except the running of cells is nbgrader's
own. ``settings.configure`` puts this into ``nbgrader autograde``, too; ``grading.grade`` is what ``torchgrade grade`` does.
"""

from torchgrade.classic.settings import configure

__all__ = ["configure"]
