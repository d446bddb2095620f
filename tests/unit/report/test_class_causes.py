"""A class by cause: each submission counts once for an exercise, and its messages do not count again."""

import pytest
from made_records import check, exercise, record

from torchgrade.report.class_figures import Entry, frequent_messages
from torchgrade.report.class_page import causes_of, class_page

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


SOLUTION = "The solution cell of 'softmax' did not run"
NEVER_CLOSED = "syntax error in line 3: '(' was never closed.\n    f(\n     ^"
HUNG = "did not run through. This cell did not end within 3 s; it was left out."
RAISED = "did not run through. Your code raised ZeroDivisionError: division by zero (cell 3, line 1: 1/0)"
LOOP = "Your code did not answer within 2 s; it was stopped."


def cause_of(*checks, problems=(), guesses=None):
    """The one cause of a submission with these checks, if it has one."""
    found = causes_of([Entry("ann", record(exercise(*checks), problems=problems), guesses=guesses or {})])
    assert len(found) <= 1
    return found[0].text if found else None


def stopped(what):
    return check("failed", slip="not defined", message=f"Not run: {what}.")


@pytest.mark.parametrize(
    ("what", "problems", "cause"),
    [
        (
            "cell 7 has a syntax error in line 3",
            ("A note.", f"{SOLUTION}: {NEVER_CLOSED}"),
            "its cell has a syntax error: '(' was never closed",
        ),
        (
            "cell 7 has a syntax error in line 3",
            ("Cell 9 did not run: syntax error in line 3: x.", f"Cell 7 did not run: {NEVER_CLOSED}"),
            "its cell has a syntax error: '(' was never closed",
        ),
        (
            "cell 7 has a syntax error in line 3",
            (f"{SOLUTION}: syntax error in line 3: unterminated string literal (detected at line 3).\n    '",),
            "its cell has a syntax error: unterminated string literal",
        ),
        ("cell 7 has a syntax error in line 3", (), "its cell has a syntax error"),
        ("cell 7 has a syntax error", (), "its cell has a syntax error"),
        (
            "the locked cell 'imports' did not run through",
            (f"The locked cell 'imports' {RAISED}",),
            "a cell that it needs (the locked cell 'imports') did not run through: it raised ZeroDivisionError",
        ),
        (
            "cell 7 did not run through",
            (f"The solution cell of 'softmax' {RAISED}",),
            "its cell did not run through: it raised ZeroDivisionError",
        ),
        ("cell 7 did not run through", (f"Cell 7 {HUNG}",), "its cell did not end within 3 s"),
        ("cell 7 did not run through", ("The solution cell of 'loss' " + HUNG, "Cell 8 " + HUNG), "its cell did not run through"),
    ],
)
def test_a_cell_that_did_not_run_is_told_as_the_record_knows_it(what, problems, cause):
    assert cause_of(stopped(what), check("skipped"), problems=problems) == cause


def test_a_loop_without_an_end_is_a_cause():
    loop = check("failed", slip="timed out", message=LOOP)
    used_up = check("failed", slip="timed out", message="The submission used up its 20 s; this was not run any more.")
    assert "time limit" in cause_of(check("failed", slip="values"), loop, used_up)
    assert "used up before" in cause_of(used_up, used_up)
    whole = f"The cells of your notebook could not be run, the last one for this reason: {HUNG}"
    assert "time limit" in cause_of(check("failed", slip="timed out", message=whole))


def test_a_race_that_failed_is_a_cause_where_nothing_else_failed():
    lost = check("failed", kind="speed", message="4.1 times the reference; at most 3 allowed")
    assert "too slow" in cause_of(check("passed", 1), lost)
    assert cause_of(check("failed", slip="values"), lost) is None
    assert cause_of(check("failed", kind="speed", slip="values")) is None
    assert cause_of(check("failed", 0.5, kind="speed", slip="partly")) is None
    assert cause_of(check("ungraded", kind="speed")) is None


def test_a_submission_counts_once_a_guess_first_and_then_what_stopped_it_earliest():
    loop = check("failed", slip="timed out", message=LOOP)
    lost = check("failed", kind="speed")
    assert cause_of(missing("a"), loop, lost, guesses={"softmax": SAYS}) == SAYS
    assert "not defined" in cause_of(loop, missing("a"), lost)
    assert "time limit" in cause_of(lost, loop)


def test_no_name_stands_in_a_cause_where_names_are_hidden():
    told = "The solution cell of 'softmax' did not run: syntax error in line 3: cannot assign to ann."
    entries = [Entry("ann", record(exercise(stopped("cell 7 has a syntax error in line 3")), student="ann", problems=(told,)))]
    assert "cannot assign to [Student 0]" in class_page("a", entries, {"ann": "Student 0"})
