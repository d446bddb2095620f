"""Text that students wrote, as a page shows it."""

import os
from html import escape

import nbformat
import pytest
from made_records import check, exercise, record
from nbconvert.filters import strip_files_prefix
from small_course import make_course

from torchgrade.course import find_course
from torchgrade.gradebook.pages import (
    OwnWords,
    assignment_title,
    cell_names,
    clean,
    clean_html,
    in_own_words,
    latex,
    markdown2html,
    page_title,
    title_of,
    with_formulas_in_hints,
    with_policy,
)
from torchgrade.report.pages import exercise_html, submission_html


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<a href=' data:text/html;base64,AAAA'>x</a>",
        "<iframe src='https://a.example'></iframe>",
        "<form action='/logout'><input name=x></form>",
        "<style>body { display: none }</style>",
        "<svg onload=alert(1)></svg>",
        "<img src='https://a.example/seen.png'>",
        "<img src='/logout.png'>",
        "<img src='../../logout.png'>",
        "<b style='position:fixed' onclick=alert(1)>x</b>",
        "<meta http-equiv=refresh content='0;url=https://a.example'>",
        "<base href='https://a.example'>",
        "<div class='panel nbgrader_cell' id='add-check'>Score: 10</div>",
        "<a href='files/javascript:alert(1)'>x</a>",
        "<a href='java&#9;script:alert(1)'>x</a>",
        "<a href='page.html'>x</a>",
        "<a href='drawing.svg'>x</a>",
        "<a href='page.html?x.csv'>x</a>",
        "<a href='&#46;&#46;/../data.csv'>x</a>",
        "<a href='/logout'>x</a>",
        "<a href='//a.example/data.csv'>x</a>",
        "<math><mtext><script>alert(1)</script></mtext></math>",
    ],
)
def test_what_acts_loads_or_poses_as_the_page_is_gone(html):
    cleaned = clean(html).lower()
    for part in ("<script", "onerror", "onload", "onclick", "javascript:", "data:", "<iframe", "<form", "<input", "<style"):
        assert part not in cleaned
    for part in ("src=", "href=", "style=", "<svg", "<meta", "<base", "class=", "id="):
        assert part not in cleaned


@pytest.mark.parametrize(
    "html",
    [
        "<h2>Softmax</h2>",
        "<p>$x &lt; y$</p>",
        '<div class="highlight"><pre><span class="k">def</span></pre></div>',
        '<table><thead><tr><th align="left">a</th></tr></thead></table>',
        '<a href="https://docs.example/x">docs</a>',
        '<a href="mailto:a@b.example">write</a> <a href="#top">up</a>',
        '<a href="data/runs%20of%20mine.csv#x">data</a>',
        '<img alt="" src="data:image/png;base64,AAAA">',
        '<img alt="" src="figures/plot-1.png">',
        "<details><summary>Hint</summary>text</details>",
    ],
)
def test_text_code_tables_links_and_pictures_stay(html):
    assert clean(html) == html


@pytest.mark.parametrize("html", ["<td>" * 5_001, "<b x>" * 1_000 + "<p>" * 2_000])
def test_html_that_would_take_long_to_read_is_shown_as_text(html):
    assert clean(html) == f"<pre>{escape(html)}</pre>"


def test_a_long_table_is_a_table():
    row = "<tr>" + "<td>0.25</td>" * 20 + "</tr>"
    assert clean(f"<table>{row * 60}</table>").count("<td>0.25</td>") == 1200


def test_nothing_becomes_of_clean_text_when_nbgraders_template_takes_prefixes_away():
    html = markdown2html({}, "<a href='files/files/javascript:alert(1)'>x</a> [data](files/data.csv) ![plot](/files/plot.png)")
    assert "javascript" not in strip_files_prefix(html)
    assert '<a href="data.csv">' in html
    assert 'src="plot.png"' in html


def test_raw_html_may_come_as_bytes():
    assert clean_html(b"<p id='x'>text</p>") == "<p>text</p>"


HEADER = """<!DOCTYPE html><html><head><title>t</title>
<script src="https://cdnjs.cloudflare.com/ajax/libs/mathjax/2.7.7/latest.js?config=Safe"></script>
<script type="text/x-mathjax-config">eval()</script></head>"""


def test_no_script_is_left_and_none_may_run_or_be_loaded():
    header = with_policy(HEADER)
    assert "<script" not in header
    assert "script-src" not in header
    assert "default-src 'none'" in header
    assert "https:" not in header
    assert header.index("Content-Security-Policy") < header.index("<title>")


def test_formulas_are_set_in_text_and_not_in_code():
    html = markdown2html({}, "Let $x_i < 2$ and\n\n$$\\frac{a}{b}$$\n\nbut `$x$` and 5$ or 6$.")
    assert html.count("<math") == 2
    assert 'display="block"' in html
    assert "<msub><mi>x</mi><mi>i</mi></msub>" in html
    assert "<code>$x$</code>" in html
    assert "5$ or 6$" in html


ACTING = (r"\href{javascript:alert(1)}{x}", r"\text{<img src=x onerror=alert(1)>}", r"\style{color:red}{x}", r"\class{panel}{x}")


@pytest.mark.parametrize("tex", ACTING)
def test_a_formula_carries_nothing_that_acts(tex):
    html = latex(f"${tex}$")
    for part in ("href", "<img", "style=", "class=", "<text"):
        assert part not in html, html


def test_what_cannot_be_set_stays_as_it_was_written():
    for text in ("$\\nosuchcommand{x}$", "$" + "x" * 3_000 + "$", "costs 5$"):
        assert latex(text) == text
    assert latex("$x$ " * 600).count("<math") == 500


def test_icons_that_do_not_come_with_the_page_are_not_asked_for():
    css = "@font-face{font-family:'Glyphicons Halflings';src:url(../fonts/glyphicons-halflings-regular.eot)}"
    header = with_policy(f"<html><head><style>{css} p {{ margin: 0 }}</style></head>")

    assert "glyphicons" not in header
    assert "p { margin: 0 }" in header


def test_folds_have_a_triangle_although_the_pages_style_sheet_takes_it_away():
    header = with_policy("<html><head><style>summary { display: block; }</style></head>")

    assert header.index("display: block") < header.index("summary { display: list-item; list-style: disclosure-closed")
    assert "details[open] > summary { list-style-type: disclosure-open; }" in header


def notebook(*cells):
    new = nbformat.v4
    book = new.new_notebook()
    for kind, source, grade_id in cells:
        facts = {"grade_id": grade_id, "grade": False, "solution": True, "locked": False, "schema_version": 3}
        cell = new.new_code_cell(source) if kind == "code" else new.new_markdown_cell(source)
        cell.metadata = {"nbgrader": facts} if grade_id else {}
        book.cells.append(nbformat.from_dict(cell))
    return book


BOOK = notebook(
    ("markdown", "Hello.\n\n# Sums & `add`\n\n## 1.", None),
    ("code", "def add(a, b):\n    return 1 / 0", "add"),
    ("markdown", "# Another", None),
    ("code", "\nimport <b>os</b>", None),
)
NAMED = OwnWords("Sums", cell_names(BOOK))


def test_the_title_is_the_first_heading_without_its_marks():
    assert title_of(BOOK) == "Sums & add"
    assert title_of(notebook(("code", "# no heading", None))) == ""


def test_the_title_of_a_page_is_read_once_for_a_class_and_again_where_the_notebook_changed(tmp_path, monkeypatch):
    course = find_course(make_course(tmp_path).root)
    path = course.assignments / "small" / "small.ipynb"
    read = []
    whole = nbformat.read

    def counted(fp, as_version, capture_validation_error=None, **kwargs):
        read.append(fp)
        return whole(fp, as_version, capture_validation_error, **kwargs)

    monkeypatch.setattr("torchgrade.gradebook.cells.nbformat.read", counted)
    assert [assignment_title(course, "small") for _ in range(3)] == ["Small"] * 3
    path.write_text(path.read_text().replace("# Small", "# Quite small"))
    os.utime(path, (1, 1))
    assert assignment_title(course, "small") == "Quite small"
    assert len(read) == 2
    assert assignment_title(course, "small", "other") == "other"


def test_a_page_without_its_own_words_has_nbgraders():
    assert page_title({"nbgrader": {"notebook": "a<b"}}) == "a&lt;b"
    assert page_title({"nbgrader": {"notebook": "sums"}, "torchgrade_page": NAMED}) == "Sums"
    assert in_own_words("<p>cell 2</p>", {}) == "<p>cell 2</p>"


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("It raised Error: x (cell 2, line 2: return 1 / 0)", "x (in <code>add</code>, line 2: return 1 / 0)"),
        ("Not run: cell 2 has a syntax error in line 1.", "Not run: <code>add</code> has a syntax error in line 1."),
        (
            "It raised Error (cell 4, line 1: import)",
            "(in the cell that begins with <code>import &lt;b&gt;os&lt;/b&gt;</code>, line 1: import)",
        ),
        ("It raised Error (cell 40, line 1: import)", "(cell 40, line 1: import)"),
        ("It raised Error: cell 2 is mine", "Error: cell 2 is mine"),
    ],
)
def test_a_page_names_the_exercise_where_a_message_has_a_cells_number(message, told):
    failed = exercise(check("failed", message=message))

    assert told in NAMED.output(exercise_html(failed))
    assert told in NAMED.output(submission_html(record(failed)))


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        ("Cell 2, line 1: '!ls' was left out.", "In <code>add</code>, line 1: &#39;!ls&#39; was left out."),
        (
            "Cell 4 did not run: syntax error in line 1: x.",
            "The cell that begins with <code>import &lt;b&gt;os&lt;/b&gt;</code> did not run: syntax",
        ),
    ],
)
def test_a_page_names_the_exercise_where_a_note_has_a_cells_number(problem, told):
    assert f"<li>{told}" in NAMED.output(submission_html(record(exercise(check()), problems=(problem,))))


def test_formulas_in_hints_are_set_and_a_students_own_dollars_are_not():
    failed = exercise(check("failed", message="'$y$' is wrong", hint="What is $x^2 < 3$?"))

    for html in (exercise_html(failed), submission_html(record(failed))):
        told = with_formulas_in_hints(html)
        assert "<msup>" in told
        assert "$x^2" not in told
        assert "&#39;$y$&#39; is wrong" in told
