"""Which mistake of the bank a submission looks like, and when nothing is said."""

import pytest

from torchgrade.bank.misconceptions import Known, misconception
from torchgrade.record import Check, Outcome, Visibility

SIGN = Known(frozenset({"values", "gradient"}), frozenset({"values", "gradient", "dtype"}), "the sign is wrong")
SLOW = Known(frozenset({"values", "speed"}), frozenset({"values", "speed"}), "there is a loop")
SINGLE = Known(frozenset({"values"}), frozenset({"values"}), "one value is wrong")
OUTCOMES = {"+": Outcome.PASSED, "x": Outcome.FAILED, "-": Outcome.SKIPPED, "o": Outcome.DEFERRED, "?": Outcome.UNGRADED}


def checks(outcomes, slip=""):
    """Checks of values, gradient, dtype and speed, with an outcome each, beside others that pass."""
    names = ("values", "gradient", "dtype", "speed", "shape", "layout", "device", "memory")
    outcomes = outcomes.ljust(len(names), "+")
    return [
        Check(name, name, Visibility.HIDDEN, OUTCOMES[sign], 0, 1, slip=slip if sign == "x" else "")
        for name, sign in zip(names, outcomes, strict=True)
    ]


@pytest.mark.parametrize("outcomes", ["xx++", "xx-+", "xx+o", "xx-?"])
def test_the_one_mistake_that_fails_just_these_is_named(outcomes):
    assert misconception(checks(outcomes), [SIGN, SLOW, SINGLE]) == "the sign is wrong"


@pytest.mark.parametrize("outcomes", ["xxx+", "x+++", "xx+-", "++++", "xxxx"])
def test_nothing_is_said_of_any_other_set(outcomes):
    assert misconception(checks(outcomes), [SIGN, SLOW, SINGLE]) == ""


def test_nothing_is_said_where_hardly_anything_is_right():
    broad = Known(frozenset({"values", "gradient", "dtype", "speed", "shape", "layout"}), frozenset(), "everything is halved")
    assert misconception(checks("xxxxxx"), [broad]) == ""
    narrow = Known(frozenset({"values", "gradient", "dtype", "speed"}), frozenset(), "everything is halved")
    assert misconception(checks("xxxx"), [narrow]) == "everything is halved"


def test_a_check_that_is_still_open_may_have_any_outcome():
    assert misconception(checks("xx+?"), [SIGN, SLOW]) == "the sign is wrong"
    other = Known(frozenset({"values", "gradient", "speed"}), frozenset(), "it is both")
    assert misconception(checks("xx+?"), [SIGN, other]) == ""


def test_the_way_in_which_a_check_fails_tells_mistakes_apart():
    overflow = Known(SIGN.fails, SIGN.lost, "exp overflows", {"values": "nan"})
    other = Known(SIGN.fails, SIGN.lost, "a class is left out", {"values": "values"})
    assert misconception(checks("xx++", "nan"), [overflow, other]) == "exp overflows"
    assert misconception(checks("xx++", "factor"), [overflow, other]) == "a class is left out"
    assert misconception(checks("xx++", "shape"), [overflow, other]) == ""


def test_two_mistakes_with_other_words_are_not_chosen_from():
    other = Known(SIGN.fails, SIGN.lost, "a minus is missing")
    assert misconception(checks("xx++"), [SIGN, other]) == ""
    assert misconception(checks("xx++"), [SIGN, Known(SIGN.fails, SIGN.lost, SIGN.says)]) == "the sign is wrong"


@pytest.mark.parametrize("slip", ["not written", "not defined"])
def test_what_was_not_written_is_no_misconception(slip):
    assert misconception(checks("xx++", slip), [SIGN]) == ""
    assert misconception(checks("xx++", "raised"), [SIGN]) == "the sign is wrong"
