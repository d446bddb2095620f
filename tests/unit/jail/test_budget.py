"""The time that a submission may take in all."""

import pytest

from torchgrade.jail import TimedOut
from torchgrade.jail.budget import TimeBudget


def test_what_is_spent_is_gone_and_a_submission_that_has_nothing_left_is_told_how_much_it_had():
    budget = TimeBudget(60.0)
    budget.spend(59.0)
    assert budget.require() == 1.0
    budget.spend(1.0)
    with pytest.raises(TimedOut, match="The submission used up its 60 s; this was not run any more"):
        budget.require()


def test_the_judges_own_time_is_given_back_up_to_its_share():
    budget = TimeBudget(60.0, ours=4.0)
    left = []
    for _ in range(3):
        budget.spend(3.0)
        budget.give_back(3.0)
        left.append(budget.left)
    assert left == [60.0, 58.0, 55.0]
