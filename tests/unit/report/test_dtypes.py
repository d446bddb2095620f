"""The small table of dtypes below a check's message."""

import re

import pytest
from made_records import check, exercise

from torchgrade import assert_dtype_trace
from torchgrade.checks.declared import CheckFailed
from torchgrade.checks.notes import Notes, current_notes
from torchgrade.record import Evidence
from torchgrade.report.pages import exercise_html
from torchgrade.report.pictures import dtype_trace

ROWS = [["the loss", "float16", "float32"], ["the weights", "float32", "float32"]]


def failed(rows, **more):
    return check("failed", measurements={"dtypes": rows}, **{"visibility": "hidden", **more})


def cells(picture):
    return [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<td.*?</td>", picture)]


def measured_by(actual, expected):
    token = current_notes.set(account := Notes())
    try:
        with pytest.raises(CheckFailed) as caught:
            assert_dtype_trace(actual, expected)
    finally:
        current_notes.reset(token)
    assert account.evidence is Evidence.WORD
    return str(caught.value), account.measurements


def test_the_first_place_that_differs_is_named_and_all_are_kept():
    message, measurements = measured_by({"a": "float32", "b": "float16"}, {"a": "float32", "b": "float32", "c": "float64"})
    assert message == "b: float16; expected float32"
    assert measurements == {"dtypes": [["a", "float32", "float32"], ["b", "float16", "float32"], ["c", "not reached", "float64"]]}


def test_a_trace_as_expected_passes():
    assert_dtype_trace({"a": "float32", "more": "int64"}, {"a": "float32"})


def test_the_table_marks_what_differs():
    assert cells(dtype_trace(failed(ROWS))) == ["the loss", "✗ float16", "float32", "the weights", "float32", "float32"]


def test_it_stands_below_the_message_of_a_failed_check_and_nowhere_else():
    assert '<table class="torchgrade-dtypes"' in exercise_html(exercise(failed(ROWS)))
    assert dtype_trace(check("passed", measurements={"dtypes": ROWS})) == ""


def test_what_a_student_wrote_is_text():
    assert "<b>" not in dtype_trace(failed([["<b>", "<script>", "float32"]]))


@pytest.mark.parametrize("rows", [None, "float32", [], [["a", "b"]], [["a", "b", "c"]] * 17, {"a": 1}])
def test_rows_of_another_form_are_not_drawn(rows):
    assert dtype_trace(failed(rows)) == ""
