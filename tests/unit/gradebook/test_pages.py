"""Text that students wrote, as a page shows it."""

import base64
import hashlib
import re

import pytest

from torchgrade.gradebook.pages import clean, with_policy


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
        "<math><mtext><script>alert(1)</script></mtext></math>",
    ],
)
def test_what_acts_loads_or_poses_as_the_page_is_gone(html):
    cleaned = clean(html).lower()
    for part in ("<script", "onerror", "onload", "onclick", "javascript:", "data:", "<iframe", "<form", "<input", "<style"):
        assert part not in cleaned
    for part in ("src=", "style=", "<svg", "<meta", "<base", "class=", "id="):
        assert part not in cleaned


@pytest.mark.parametrize(
    "html",
    [
        "<h2>Softmax</h2>",
        "<p>$x &lt; y$</p>",
        '<div class="highlight"><pre><span class="k">def</span></pre></div>',
        '<table><thead><tr><th align="left">a</th></tr></thead></table>',
        '<a href="https://docs.example/x">docs</a>',
        '<img alt="" src="data:image/png;base64,AAAA">',
        '<img alt="" src="figures/plot-1.png">',
        "<details><summary>Hint</summary>text</details>",
    ],
)
def test_text_code_tables_links_and_pictures_stay(html):
    assert clean(html) == html


HEADER = """<!DOCTYPE html><html><head><title>t</title>
<script src="https://cdnjs.cloudflare.com/ajax/libs/mathjax/2.7.7/latest.js?config=Safe"></script>
<script type="text/x-mathjax-config">eval()</script></head>"""


def test_the_policy_allows_the_pages_own_script_alone():
    header = with_policy(HEADER)
    own = re.findall(r"<script>(.*?)</script>", header, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(own[0].encode()).digest()).decode()
    assert len(own) == 1
    assert f"script-src 'sha256-{digest}' https://cdnjs.cloudflare.com;" in header
    assert "default-src 'none'" in header
    assert header.index("Content-Security-Policy") < header.index("<title>")


def test_mathjax_is_still_loaded_and_nothing_needs_eval():
    header = with_policy(HEADER)
    assert 'src="https://cdnjs.cloudflare.com/ajax/libs/mathjax/2.7.7/latest.js?config=Safe"' in header
    assert "x-mathjax-config" not in header


def test_a_header_without_mathjax_has_no_script():
    assert "<script" not in with_policy("<html><head></head>")


def test_icons_that_do_not_come_with_the_page_are_not_asked_for():
    css = "@font-face{font-family:'Glyphicons Halflings';src:url(../fonts/glyphicons-halflings-regular.eot)}"
    header = with_policy(f"<html><head><style>{css} p {{ margin: 0 }}</style></head>")

    assert "glyphicons" not in header
    assert "p { margin: 0 }" in header
