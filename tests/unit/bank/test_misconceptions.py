"""Which mistake of the bank a submission looks like, and when nothing is said."""

from types import SimpleNamespace

import pytest

from torchgrade.bank import Known, Solution, fingerprint, known_mistakes, misconception
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


def said(message, slip="values", name="values"):
    """Checks of which one failed, with a message."""
    return [
        Check(each, each, Visibility.HIDDEN, Outcome.FAILED if each == name else Outcome.PASSED, 0, 1, message=message, slip=slip)
        for each in ("values", "gradient", "dtype")
    ]


SHAPE = "The result has shape [3, 1]; expected [3]. The call was f(float32 [3, 4], dim=-1)"


def test_one_failed_check_is_enough_where_an_audit_saw_the_same_words():
    kept = Known(frozenset({"values"}), frozenset(), "a dimension is kept", seen=({"values": ("shape", fingerprint(SHAPE))},))
    dropped = Known(
        frozenset({"values"}), frozenset(), "a row is lost", seen=({"values": ("shape", fingerprint("[2]; expected [3]"))},)
    )
    assert misconception(said(SHAPE, "shape"), [kept, dropped, SIGN]) == "a dimension is kept"
    assert misconception(said(SHAPE, "values"), [kept, dropped]) == ""
    assert misconception(said(SHAPE.replace("[3, 1]", "[3, 4]"), "shape"), [kept, dropped]) == ""
    twin = Known(frozenset({"values"}), frozenset(), "a mean is not reduced", seen=kept.seen)
    assert misconception(said(SHAPE, "shape"), [kept, twin]) == ""


def test_total_failure_is_named_where_an_audit_saw_it():
    failed = [
        Check(name, name, Visibility.HIDDEN, Outcome.FAILED, 0, 1, message=f"{name}: 3 of 4", slip="sign") for name in "abc"
    ]
    minus = Known(frozenset("abc"), frozenset("abc"), "a minus is missing", seen=({n: ("sign", f"{n}: # of #") for n in "abc"},))
    assert misconception(failed, [minus]) == "a minus is missing"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "5 of 9 elements are wrong at index [2]: 0.5 instead of 2",
            "4 of 9 elements are wrong at index [0]: -1e-05 instead of 3",
        ),
        ("ValueError: no 3 (cell 10, line 3: f(3))", "ValueError: no 4 (cell 8, line 1: f(4))"),
        ("x is inf instead of 2. It is the right result times 2.5", "x is nan instead of 2"),
    ],
)
def test_what_depends_on_the_seed_is_not_compared(one, other):
    assert fingerprint(one) == fingerprint(other) == fingerprint(fingerprint(one))


@pytest.mark.parametrize("other", [SHAPE.replace("[3, 1]", "[1, 3]"), SHAPE.replace("float32", "float64"), SHAPE + " it"])
def test_shapes_dtypes_and_words_are_compared(other):
    assert fingerprint(SHAPE) != fingerprint(other)


def test_an_audits_document_says_what_it_saw(tmp_path):
    plan = SimpleNamespace(of=lambda _: ())
    chaff = Solution(tmp_path / "minus.py", "A minus.", "", frozenset({"values"}), says="a minus is missing")
    repeats = [{"slips": {"values": "sign"}, "said": {"values": "wrong"}}, {"slips": {}, "said": {}}, {"slips": {}}]
    audit = {"exercises": [{"name": "f", "solutions": [{"kind": "chaff", "name": "minus", "repeats": repeats}]}]}
    (known,) = known_mistakes(plan, "f", [chaff], audit)
    assert known.seen == ({"values": ("sign", "wrong")},)
    (known,) = known_mistakes(plan, "other", [chaff], audit)
    assert known.seen == ()


@pytest.mark.parametrize(
    "folder", ["/home/ada/.venv/lib/python3.11/site-packages/", "/usr/lib/python3/dist-packages/", "C:\\py\\site-packages\\"]
)
def test_a_message_is_the_same_on_every_machine(folder):
    said = "Traceback of TorchScript:\n{}torch/jit/_trace.py(1352): forward\nRuntimeError: the shape is invalid"
    assert fingerprint(said.format(folder)) == fingerprint(said.format("/opt/python/lib/python3.13/site-packages/"))
    assert folder not in fingerprint(said.format(folder))
    assert "torch/jit/_trace.py(#): forward" in fingerprint(said.format(folder))
