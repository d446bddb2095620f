"""Summary and feedback page."""

import pytest
from made_records import check, exercise, record

from torchgrade.report import feedback_page, submission_html


@pytest.mark.parametrize("render", [submission_html, feedback_page])
def test_the_summary_has_each_exercise_and_the_total(render):
    page = render(record(exercise(check("passed", 1, 2)), exercise(check("passed", 3, 3), name="loss")))

    for text in ("softmax", "1 / 2", "loss", "3 / 3", "4 / 5", "Final."):
        assert text in page


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("deferred", "Provisional, 1 point still open"), ("ungraded", "Not final, 1 point still open")],
)
def test_a_status_that_is_not_final_is_explained(outcome, words):
    page = submission_html(record(exercise(check(outcome), check("passed", 1))))

    assert words in page
    assert "can only rise" in page


@pytest.mark.parametrize("render", [submission_html, feedback_page])
def test_problems_are_listed_and_cannot_be_markup(render):
    page = render(record(exercise(check()), problems=("cell 3 raised <b>Error</b>\x1b[2J",)))

    assert "<li>cell 3 raised &lt;b&gt;Error&lt;/b&gt;</li>" in page


def test_an_unreadable_submission_says_why():
    page = feedback_page(record(exercise(check("failed")), problems=("The file is not JSON.",), readable=False))

    assert "Not graded" in page
    assert "The file is not JSON." in page
    assert "Final." not in page


def test_a_page_is_complete_and_its_policy_shuts_everything_out():
    page = feedback_page(record(exercise(check())))

    assert page.startswith("<!DOCTYPE html>")
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page
    assert page.index("Content-Security-Policy") < page.index("<style>") < page.index("<body>")
    assert "<script" not in page


def test_names_on_a_page_are_escaped():
    page = feedback_page(record(exercise(check()), student="<i>eve</i>"))

    assert "<i>eve" not in page
    assert "for &lt;i&gt;eve&lt;/i&gt;</title>" in page
