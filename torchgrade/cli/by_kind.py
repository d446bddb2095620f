"""The one place where a course's kind chooses what the commands do."""

from __future__ import annotations

from torchgrade.cli.checks.strategy import ChecksStrategy
from torchgrade.cli.classic.strategy import ClassicStrategy
from torchgrade.cli.strategy import Strategy
from torchgrade.course import CHECKS_COURSE, CLASSIC_COURSE, Course, CourseKind

_STRATEGIES: dict[CourseKind, type[Strategy]] = {CHECKS_COURSE: ChecksStrategy, CLASSIC_COURSE: ClassicStrategy}


def strategy_of(course: Course) -> Strategy:
    """Return the strategy of this course's kind."""
    return _STRATEGIES[course.kind](course)
