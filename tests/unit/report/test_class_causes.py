"""A class by cause: each submission counts once for an exercise, and its messages do not count again."""

from made_records import check, exercise, record

from torchgrade.report.class_causes import causes_of
from torchgrade.report.class_page import class_page
from torchgrade.report.class_statistics import Entry, frequent_messages

SAYS = "the gradients were never cleared"


def entry(student, *checks, guesses=None):
    return Entry(student, record(exercise(*checks), student=student), guesses=guesses or {})


def missing(name):
    return check("failed", title=name, message="softmax is not defined", slip="not defined")


ENTRIES = [
    entry("ann", check("failed", slip="values"), guesses={"softmax": SAYS}),
    entry("ben", missing("a"), missing("b")),
    entry("cleo", check("failed", slip="values"), guesses={"softmax": SAYS}),
    entry("dora", check("failed", slip="nan")),
    entry("emil", check("failed", title="a", slip="not written"), check("failed", title="b", slip="not written")),
    Entry("zoe", None),
]


def test_the_most_frequent_cause_comes_first_and_names_who():
    found = [(cause.text, cause.guess, [each.student for each in cause.entries]) for cause in causes_of(ENTRIES)]
    assert found[0] == (SAYS, True, ["ann", "cleo"])
    assert [students for _, _, students in found[1:]] == [["ben"], ["emil"]]
    assert not any(guess for _, guess, _ in found[1:])


def test_the_page_says_that_it_is_a_guess_and_hides_names_where_they_are_hidden():
    page = class_page("a", ENTRIES)
    part = page[page.index("<h2>By cause") : page.index("<h2>Checks")]
    assert f"it looks as if {SAYS}" in part
    assert "is a guess" in part
    assert "ann" in part
    hidden = class_page("a", ENTRIES, {each.student: f"Student {n}" for n, each in enumerate(ENTRIES)})
    part = hidden[hidden.index("<h2>By cause") : hidden.index("<h2>Checks")]
    assert "ann" not in part
    assert "Student 0, Student 2" in part


def test_without_a_cause_there_is_no_such_part():
    assert "By cause" not in class_page("a", [entry("dora", check("failed", slip="nan"))])


def test_what_is_counted_as_a_cause_is_no_message_of_each_check():
    assert frequent_messages([missing("a"), missing("a")]) == ()
    assert frequent_messages([check("failed", message="nan")]) == (("nan", 1),)
