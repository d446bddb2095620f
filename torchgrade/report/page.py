"""A whole submission as HTML: the summary that stands above a graded notebook, and a page of its own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from torchgrade.record import Record
from torchgrade.report.mark import Mark
from torchgrade.report.rendering import render


def submission_html(
    record: Record, mark: Mark | None = None, *, guesses: Mapping[str, str] = MappingProxyType({}), solutions: str = ""
) -> str:
    """A fragment for the top of a graded notebook: what cost points, the marks, the status in words, notes on the notebook.

    Without ``mark``, which the gradebook has, the sum is that of the checks, and nothing is called final. ``guesses`` are the
    misconceptions that exercises look like, by name. What cost points links to the cells of the notebook that it stands in.
    ``solutions`` is the address of right answers, if there is one.
    """
    return render("submission.html.j2", record=record, mark=mark, guesses=guesses, solutions=solutions)


def feedback_page(record: Record, title: str = "") -> str:
    """A complete page, for a submission that has no notebook to be shown in. Its policy shuts out all but its own styles.

    ``title`` is what the assignment is called, if not by the name of its folder.
    """
    return render("page.html.j2", record=record, guesses={}, title=title or record.assignment)
