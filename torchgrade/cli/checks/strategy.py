"""The strategy of a course of checks: judges grade, and records keep the marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torchgrade.cli.strategy import History, Strategy, WatchSteps

if TYPE_CHECKING:
    from torchgrade.cli.grade_requests import ClassRequest
    from torchgrade.report.class_figures import Entry


class ChecksStrategy(Strategy):
    """Checks in ``graders/`` give all marks but those by hand, and records keep them."""

    def grade(self, request: ClassRequest) -> None:
        """Grade by judges, here or in a cluster."""
        from torchgrade.cli.checks.grade import grade_class

        grade_class(self.course, request)

    def watch_steps(self, workers: int, *, quiet: bool) -> WatchSteps:
        """Return steps that look at records."""
        from torchgrade.cli.checks.watch import ChecksSteps

        return ChecksSteps(self.course, workers, quiet=quiet)

    def history(self, assignment: str, student: str) -> History:
        """Return the records."""
        from torchgrade.cli.checks.history import history

        return history(self.course, assignment, student)

    def entries(self, assignment: str, students: Sequence[str]) -> Iterator[Entry]:
        """Yield the records that are kept, with the gradebook's marks."""
        from torchgrade.cli.checks.report import entries

        return entries(self.course, assignment, students)
