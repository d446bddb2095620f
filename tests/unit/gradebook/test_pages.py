"""Text that students wrote, as a page shows it."""

from html import escape

import pytest
from nbconvert.filters import strip_files_prefix

from torchgrade.gradebook.pages import clean, clean_html, latex, markdown2html, with_policy


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
