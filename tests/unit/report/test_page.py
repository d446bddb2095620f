"""Summary and feedback page."""

import re

import pytest
from made_records import check, exercise, record

from torchgrade.report.mark import HandCell, Mark, Standing
from torchgrade.report.pages import feedback_page, submission_html


@pytest.mark.parametrize("render", [submission_html, feedback_page])
def test_the_summary_has_each_exercise_and_the_sum_of_its_checks(render):
    page = render(record(exercise(check("passed", 1, 2)), exercise(check("passed", 3, 3), name="loss")))

    for text in ("softmax", "1 / 2", "loss", "3 / 3", "All checks", "4 / 5"):
        assert text in page
    assert "final" not in page.partition("</style>")[2]


def test_with_the_gradebooks_mark_the_summary_has_what_a_person_gave_and_took_and_the_total():
    made = record(exercise(check("passed", 4, 5)))
    cells = (HandCell("softmax", 0.5), HandCell("essay", 2, 3))
    final = submission_html(made, Mark(5.5, 8, Standing.FINAL, by_hand=2.5, late=1, cells=cells))

    for text in ("softmax, by hand", ">+0.5<", "essay, by hand", "2 / 3", "Handed in late", ">-1<", "Total", "5.5 / 8"):
        assert text in final
    assert "This mark is final (by hand: +2.5, late: -1)." in final

    waits = submission_html(made, Mark(4, 8, Standing.BY_HAND, waiting=3, cells=(HandCell("essay", None, 3),)))
    assert "? / 3" in waits
    assert "Not final: 3 points are still to be given by hand." in waits
    assert "yet to confirm" in submission_html(made, Mark(4, 5, Standing.TO_CONFIRM))


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


@pytest.mark.parametrize("render", [submission_html, feedback_page])
def test_an_unreadable_submission_says_first_and_once_why_and_what_to_do_and_lists_no_check(render):
    none = [check("failed", title=title, message="There was no notebook to grade.") for title in ("One", "Two")]
    page = render(record(exercise(*none), problems=("The file is not JSON.",), readable=False)).partition("</style>")[2]

    assert page.count("The file is not JSON.") == 1
    assert page.index("The file is not JSON.") < page.index("Not graded") < page.index("Hand in the notebook again:")
    for text in ("There was no notebook", "What cost you points", "softmax", "0 / ", "final", "Marks"):
        assert text not in page


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


def test_the_assignments_title_stands_above_where_it_is_known():
    page = feedback_page(record(exercise(check())), "Numerical <stability>")

    assert "<h1>Numerical &lt;stability&gt;: feedback for alice</h1>" in page
    assert "numerical_stability" in feedback_page(record(exercise(check())))


SYNTAX = "The solution cell of 'loss' did not run: syntax error in line 3: invalid syntax.\n    def loss(:\n             ^"


@pytest.mark.parametrize("render", [submission_html, feedback_page])
def test_a_cell_that_did_not_run_comes_before_all_else_and_only_there(render):
    page = render(record(exercise(check("failed")), problems=("A locked cell had been changed.", SYNTAX)))

    told = "The solution cell of &#39;loss&#39; did not run: syntax error in line 3: invalid syntax."
    assert page.count(told) == 1
    assert page.index("What did not run") < page.index(told) < page.index("def loss(:") < page.index("What cost you points")
    assert page.index("Notes on the notebook") < page.index("A locked cell had been changed")


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        ("Cell 9 did not run: syntax error in line 2: x.", "Cell 9 did not run: syntax error in line 2: x."),
        (
            "The locked cell 'a' did not run: syntax error in line 2: x.",
            "The locked cell &#39;a&#39; did not run: syntax error in line 2: x.",
        ),
        ("Cell 9 did not run through. It raised.", "Cell 9 did not run through. It raised."),
    ],
)
def test_each_cell_that_did_not_run_is_told(problem, told):
    page = submission_html(record(exercise(check()), problems=(problem,)))

    assert f"<li>{told}</li>" in page
    assert "Notes on the notebook" not in page


def test_no_heading_stands_for_cells_that_all_ran():
    assert "What did not run" not in submission_html(record(exercise(check("failed")), problems=("A note.",)))


def test_public_checks_come_before_the_hidden_ones_of_their_exercise():
    checks = [
        check("failed", worth=3, title="hidden and dear"),
        check("failed", worth=1, title="public", visibility="public"),
        check("failed", worth=2, title="hidden"),
    ]

    assert costs(exercise(*checks)) == ["public", "hidden and dear", "hidden"]


def test_of_checks_that_fail_for_one_reason_a_public_one_is_told():
    raised = {"slip": "raised", "place": "cell 3, line 2"}
    checks = [check("failed", title="hidden", **raised), check("failed", title="public", visibility="public", **raised)]

    assert costs(exercise(*checks)) == ["public"]


def test_the_exercise_that_costs_most_comes_first_unless_the_cell_of_another_did_not_run():
    cheap = exercise(check("failed", worth=1, title="cheap"), name="a")
    dear = exercise(check("failed", worth=5, title="dear"), name="b")
    stopped = exercise(
        check("failed", worth=2, title="stopped", message="Not run: cell 3 has a syntax error in line 1."), name="c"
    )

    assert costs(cheap, dear, stopped) == ["stopped", "dear", "cheap"]


def costs(*exercises):
    """The titles of what cost points, from the top of the page."""
    return re.findall(r"torchgrade-price.*?<strong>([^<]*)</strong>", submission_html(record(*exercises)), re.DOTALL)


def test_folds_have_a_triangle_that_turns():
    page = feedback_page(record(exercise(check())))

    assert "details > summary { display: list-item; list-style: disclosure-closed inside;" in page
    assert "details[open] > summary { list-style-type: disclosure-open; }" in page
