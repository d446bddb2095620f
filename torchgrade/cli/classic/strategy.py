"""The strategy of a classic course: jailed kernels run the tests, and the gradebook keeps the marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from torchgrade.cli.strategy import History, Strategy, WatchSteps

if TYPE_CHECKING:
    from torchgrade.cli.grade_requests import ClassRequest
    from torchgrade.report.class_figures import Entry


class ClassicStrategy(Strategy):
    """Tests in the notebooks' own cells give marks, and the gradebook keeps them; checks may give some."""

    def grade(self, request: ClassRequest) -> None:
        """Grade by jailed kernels, after the judges where there are exercises."""
        if request.ray or request.only or request.unsafe_no_jail:
            raise click.UsageError("--ray, --only and --unsafe-no-jail do not go with tests in the notebook's own cells")
        from torchgrade.classic.fork_server import start_fork_server

        start_fork_server()  # before the next import, which takes as long as the fork server's own
        from torchgrade.cli.classic.grade import grade_classic

        grade_classic(self.course, request)

    def watch_steps(self, workers: int, *, quiet: bool) -> WatchSteps:
        """Return steps that look at graded copies and the gradebook."""
        from torchgrade.cli.classic.watch import ClassicSteps

        return ClassicSteps(self.course, workers, quiet=quiet)

    def history(self, assignment: str, student: str) -> History:
        """Return the gradings of the whole submission, then the records of its exercises."""
        from torchgrade.cli.classic.history import history

        return history(self.course, assignment, student)

    def entries(self, assignment: str, students: Sequence[str]) -> Iterator[Entry]:
        """Yield records made of the gradebook's marks, cell by cell."""
        from torchgrade.classic.records import entries

        return entries(self.course, assignment, students)
