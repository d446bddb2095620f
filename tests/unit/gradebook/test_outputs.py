"""Outputs of students' code, as a page of a classic course shows them."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from torchgrade.gradebook.feedback_pages import CleanCells
from torchgrade.gradebook.preprocessor import OURS

PANDAS = """<div>
<style scoped>
    .dataframe tbody tr th { vertical-align: top; }
</style>
<table border="1" class="dataframe">
<tbody><tr style="text-align: right;"><th>0</th><td>0.25</td></tr></tbody>
</table>
</div>"""


def shown(data, **metadata):
    """An output of this data, as it is shown."""
    cell = new_code_cell("x", outputs=[new_output("display_data", data=data, metadata=metadata)])
    CleanCells().preprocess(new_notebook(cells=[cell]), {})
    return cell.outputs[0]


def test_a_table_of_pandas_is_a_table_without_its_style_sheet():
    html = shown({"text/html": PANDAS, "text/plain": "0 0.25"}).data["text/html"]
    assert "<tr><th>0</th><td>0.25</td></tr>" in html
    assert "vertical-align" not in html


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/svg+xml", "text/latex", "text/markdown", "text/plain"])
def test_pictures_formulas_and_text_stay_as_they_are(kind):
    assert shown({kind: "<script>"}).data == {kind: "<script>"}


@pytest.mark.parametrize(
    "data",
    [
        {"application/javascript": "alert(1)"},
        {"application/vnd.jupyter.widget-view+json": {"model_id": "x"}},
        {"text/html": "<script>alert(1)</script>"},
        {"text/html": "<style>p { color: red }"},
        {"text/html": "<video src='data:video/mp4;base64,AAAA'></video>"},
        {"text/html": "<div><img src='https://a.example/seen.png'></div>"},
        {"text/html": "<b>" * 20_000},
    ],
)
def test_what_may_not_be_drawn_is_shown_in_another_format_or_named(data):
    (kind,) = data
    assert shown(data).data == {"text/plain": f"(Not shown: {kind}.)"}
    assert shown({**data, "image/png": "AAAA"}).data == {"image/png": "AAAA"}


def test_of_html_what_acts_goes_and_the_text_stays():
    html = shown({"text/html": "<p onclick='alert(1)'>one<script>alert(2)</script></p><iframe src='x'>two</iframe>"}).data[
        "text/html"
    ]
    assert html == "<p>one</p>two"


def test_a_picture_keeps_its_size_and_its_words_and_nothing_that_is_neither():
    facts = {"width": 30, "height": "20 onload=alert(1)", "alt": "a plot", "unconfined": {"x": 1}}
    output = shown(
        {"image/png": "AAAA"}, **{"image/png": facts, "filenames": {"image/png": "https://a.example"}, "isolated": True}
    )
    assert output.metadata == {"image/png": {"width": 30, "alt": "a plot"}}


def test_what_torchgrade_made_stays_as_it_is():
    output = shown({"text/html": "<style>p { margin: 0 }</style>"}, **{OURS: {"table": True}})
    assert output.data == {"text/html": "<style>p { margin: 0 }</style>"}


def test_of_metadata_stays_what_a_page_is_made_from():
    facts = {"nbgrader": {"grade": True}, "tags": ["modal-backdrop"], "transient": {"remove_source": True}, "raw_mimetype": ["x"]}
    cells = [new_code_cell("x", metadata=facts), new_markdown_cell("x", metadata={"raw_mimetype": "text/html"})]
    notebook = new_notebook(cells=cells, metadata={"widgets": {"x": 1}, "title": "x"})
    CleanCells().preprocess(notebook, {})
    assert [cell.metadata for cell in cells] == [{"nbgrader": {"grade": True}}, {"raw_mimetype": "text/html"}]
    assert notebook.metadata == {"title": "x"}
