"""The errors of a graded copy, as the class page tells them."""

import pytest

from torchgrade.classic.records import _in_words

INTERRUPT = ("KeyboardInterrupt", "")


@pytest.mark.parametrize(
    ("errors", "told"),
    [
        ([("AssertionError", "no"), ("ValueError", "later")], "AssertionError: no"),
        ([("AssertionError", "")], "AssertionError"),
        ([INTERRUPT], "KeyboardInterrupt"),
        (
            [("TookTooLong", "This cell took longer than 3 s; it was interrupted."), INTERRUPT],
            "This cell took longer than 3 s; it was interrupted.",
        ),
        ([("NotRun", "This cell was not run: why.")], "This cell was not run: why."),
        # A copy that nbgrader's own step made, or an earlier version of ours.
        ([INTERRUPT, ("CellTimeoutError", "")], "This cell took longer than the time limit; it was interrupted."),
    ],
)
def test_the_first_error_is_told_and_an_interrupt_by_its_reason(errors, told):
    assert _in_words(errors) == told
