"""The page of a class as text; test_report.py looks at it in a browser."""

import base64
import hashlib
import re

import pytest
from made_class import made_class
from made_records import check, exercise, record

from torchgrade.report.class_figures import Entry
from torchgrade.report.class_page import class_page

HOSTILE = "<script>alert(1)</script>\x1b[2J<img src=x onerror=alert(1)>"


def entries(size):
    return [Entry(each.student, each, f"../../feedback/{each.student}/a/a.html") for each in made_class(size)]


def body(page):
    return page[page.index("<body>") :]


def test_the_policy_lets_this_script_run_and_nothing_else():
    page = class_page("a", entries(3))
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline';" in page
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_text_of_a_submission_cannot_become_markup():
    failed = check("failed", title=HOSTILE, message=HOSTILE)
    late = check("ungraded", title="late", message=HOSTILE)
    made = record(exercise(failed, late, name=HOSTILE), student=HOSTILE, problems=(HOSTILE,))
    page = class_page(HOSTILE, [Entry(HOSTILE, made, 'x" onclick="alert(1)')])

    assert page.count("<script") == 1
    assert "<img" not in page
    assert 'onclick="' not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img" in page


def test_open_submissions_are_named_first_and_why():
    page = class_page("a", [*entries(30), Entry("zoe", None)])
    first = page[page.index("To look at first") : page.index("<h2>Marks")]
    names = re.findall(r'<th scope="row">(?:<a href="[^"]*">)?(\w+)', first)

    assert names == ["frances", "zoe", "mary", "leslie"]
    for text in ("too busy to time anything", "no record of it yet", "waits for a GPU", "The file is no notebook"):
        assert text in first


def test_of_very_many_open_submissions_thirty_are_named():
    page = class_page("a", [Entry(f"student{n}", None) for n in range(100)])

    assert page.count("no record of it yet") == 30
    assert "And 70 more" in page


def test_too_few_submissions_have_no_discrimination_and_the_page_says_so():
    assert "9 final marks are too few for it to mean anything. It takes 30." in class_page("a", entries(10)[:10])
    page = class_page("a", entries(60))
    assert "too few" not in page
    assert ">Discrimination</th>" in page


def test_each_check_has_a_column_and_each_student_a_row():
    page = class_page("a", entries(30))
    rows = re.findall(r"<tr><th scope=row>.*", page)

    assert len(rows) == 30
    assert {len(re.findall(r"<td class=[pfhson]>", row)) for row in rows} == {0, 15}  # the file that was not readable has none


def test_a_check_that_a_record_does_not_have_is_an_empty_cell():
    old, new = record(exercise(check(title="a"))), record(exercise(check(title="b")), student="bob")
    page = class_page("a", [Entry("alice", old), Entry("bob", new)])

    assert "<td class=p><td class=n>" in page
    assert "<td class=n><td class=p>" in page


def test_a_class_of_nothing_graded_has_a_page():
    assert "No marks yet" in class_page("a", [Entry("alice", None)])


NAMES = {"bo": "student 01", "alice": "student 02"}  # by number, as they come


@pytest.mark.parametrize("said", ["KeyError: 'alice'", "ALICE was here", "/home/alice/x.py", "bo_alice-bo"])
def test_no_name_is_in_an_anonymous_page(said):
    failed = check("failed", message=said)
    made = record(exercise(failed, check("ungraded", title="b", message=said)), problems=(said,), student="alice")
    page = class_page("a", [Entry("alice", made, "alice.html"), Entry("bo", None)], NAMES)

    assert not re.search(r"(?<![^\W_])(alice|bo)(?![^\W_])", body(page), re.IGNORECASE)
    assert "[student 02]" in page
    assert "<a href" not in body(page)


def test_an_anonymous_page_is_in_the_order_of_its_numbers():
    page = class_page("a", [Entry("alice", None), Entry("bo", None)], NAMES)

    assert re.findall(r"<th scope=row>(.*?)<td", page) == ["student 01", "student 02"]
