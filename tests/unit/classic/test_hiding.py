"""Hidden tests, taken out of a graded notebook."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from traitlets.config import Config

from torchgrade.classic import configure
from torchgrade.classic.steps import HERE, QUOTED, HideTests

SOURCE = "assert f(1) == 1\n### BEGIN HIDDEN TESTS\nassert f(2) == 40\n### END HIDDEN TESTS\nx = 1"
METADATA = {"nbgrader": {"grade": True, "solution": False, "grade_id": "f", "points": 1, "schema_version": 3, "locked": True}}


def hidden(*outputs, source=SOURCE):
    cell = new_code_cell(source, metadata=METADATA, outputs=list(outputs), execution_count=7)
    HideTests().preprocess(new_notebook(cells=[cell]), {})
    return cell


def test_the_region_is_one_line_and_the_rest_stays():
    assert hidden().source == f"assert f(1) == 1\nx = 1\n{HERE}"


def test_frames_of_the_cell_go_and_frames_of_the_students_stay():
    own = "Cell \x1b[0;32mIn[3], line 2\x1b[0m\n      1 def f(x):\n----> 2     raise KeyError(x)"
    frame = "Cell \x1b[0;32mIn[7], line 3\x1b[0m\n----> 3 \x1b[38;5;28;01massert\x1b[39;00m f(2) == 40"
    (error,) = hidden(new_output("error", ename="KeyError", evalue="2", traceback=["---", frame, own, "KeyError: 2"])).outputs
    assert error.traceback == ["---", QUOTED, own, "KeyError: 2"]
    assert error.evalue == "2"


@pytest.mark.parametrize(
    "output",
    [
        new_output("stream", name="stdout", text="In: assert  f(2) ==  40\n"),
        new_output("display_data", data={"text/html": "<pre>assert f(2) == 40</pre>", "text/plain": "…"}),
        new_output("display_data", data={"text/html": "<pre>assert f(2) &#61;= 40</pre>"}),
        new_output("error", ename="E", evalue="assert f(2) == 40", traceback=["\x1b[1massert\x1b[0m f(2) == 40"]),
    ],
)
def test_an_output_that_quotes_the_test_says_only_that(output):
    (left,) = hidden(output).outputs
    assert "40" not in str(left)
    assert QUOTED in str(left)


def test_other_outputs_and_other_cells_stay_as_they_are():
    printed = new_output("stream", name="stdout", text="assert f(1) == 1\n")
    assert hidden(printed).outputs == [printed]
    assert hidden(printed, source="assert f(1) == 1").source == "assert f(1) == 1"


def test_another_cell_that_quotes_the_test_does_not_show_it_either():
    printed = new_output("stream", name="stdout", text="assert f(2) == 40\n")
    cells = [new_code_cell(SOURCE, metadata=METADATA), new_code_cell("print(In[-2])", outputs=[printed])]
    HideTests().preprocess(new_notebook(cells=cells), {})
    assert cells[1].outputs[0].text == f"{QUOTED}\n"


def test_the_students_own_cells_may_hold_the_words():
    words = "### BEGIN HIDDEN TESTS\nx = 1"
    cells = [new_code_cell(words), new_markdown_cell(words)]
    HideTests().preprocess(new_notebook(cells=cells), {})
    assert [cell.source for cell in cells] == [words, words]


def test_pages_of_a_classic_course_hide_tests_before_anything_else():
    config = Config()
    configure(config)
    first, *others = config.GenerateFeedback.preprocessors
    assert first == f"{HideTests.__module__}.{HideTests.__name__}"
    assert first not in others
    assert [name.rpartition(".")[2] for name in others] == ["UseOwnWords", "GetGrades", "CSSHTMLHeaderPreprocessor"]
