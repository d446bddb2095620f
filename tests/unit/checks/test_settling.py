"""What a student reads when a check has ended."""

import pytest

from torchgrade.checks.declared import CheckFailed
from torchgrade.checks.settling import Attempt


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the result is wrong", "The result is wrong"),
        ("a tensor was made", "A tensor was made"),
        ("rank 0, worker 1: nothing came", "Rank 0, worker 1: nothing came"),
        ("train_amp returned None", "train_amp returned None"),
        ("dF/dy is singular", "dF/dy is singular"),
        ("x: 3 of 4 elements are wrong", "x: 3 of 4 elements are wrong"),
    ],
)
def test_a_message_begins_with_a_capital_unless_it_begins_with_a_name(text, shown):
    attempt = Attempt()
    attempt.ended_by(CheckFailed(text))
    assert attempt.message == shown
