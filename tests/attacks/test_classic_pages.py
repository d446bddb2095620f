"""What students put out and write in a classic course, on the pages that people open: feedback and Formgrader, in a real browser.

    hostile notebook ──► torchgrade grade, in the jail ──► graded copy ──► feedback page, Formgrader ──► Chromium: what acts?

The same is looked at with the settings of plain nbgrader's pages, where every attack must be seen to work: one that cannot
work anywhere would prove nothing.
"""

import json
import re
import shutil
from urllib.parse import urlsplit

import nbformat
import pytest
from browser import chromium, jupyter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from quickstart import run, table

pytestmark = pytest.mark.classic

CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "pages"\nfrom torchgrade.classic import configure\nconfigure(c)\n'
UNDONE = """
c.HTMLExporter.preprocessors = []
c.HTMLExporter.filters = {}
c.GenerateFeedback.HTMLExporter.filters = {}
c.GenerateFeedback.HTMLExporter.template_file = "index.html.j2"
"""
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
HEAD = f"from IPython.display import HTML, SVG, Javascript, Latex, Markdown, display\nPNG = {PNG!r}"
# SAY is a script that says who it is. Sources of cells, by what puts it out.
PUT_OUT = {
    "html": 'display(HTML("<script>SAY</script>"))',
    "result": 'HTML("<script>SAY</script>")',
    "handler": 'display(HTML("<img src=nowhere onerror=\\"SAY\\">"))',
    "drawing": 'display(HTML("<svg onload=\\"SAY\\"></svg>"))',
    "frame": 'display(HTML("<script>SAY</script>"), metadata={"text/html": {"isolated": True}})',
    "javascript": 'display(Javascript("SAY; function $() {}"))',
    "javascript-alone": 'display({"application/javascript": "SAY; function $() {}"}, raw=True)',
    "markdown": 'display(Markdown("<img src=nowhere onerror=\\"SAY\\">"))',
    "size": 'display({"image/png": PNG}, raw=True, metadata={"image/png": {"width": "1 onload=SAY"}})',
    "posed-as-ours": 'display(HTML("<script>SAY</script>"), metadata={"torchgrade": {"open": False}})',
}
WRITTEN = {
    "text": "<script>SAY</script>",
    "text-handler": '<img src=nowhere onerror="SAY">',
    "text-frame": '<iframe srcdoc="<script>SAY</script>"></iframe>',
}
# They run nowhere, and are there to be read.
SHOWN_AS_TEXT = {
    "stdout": 'print("<script>SAY</script>")',
    "stderr": 'import sys; print("<script>SAY</script>", file=sys.stderr)',
    "error": 'raise ValueError("<script>SAY</script>")',
}
SHOWN_OTHERWISE = {
    "svg": 'display(SVG(\'\'\'<svg xmlns="http://www.w3.org/2000/svg" width="31" height="20" onload="SAY">'
    "<script>SAY</script></svg>'''))",
    "widget": 'display({"application/vnd.jupyter.widget-view+json": {"model_id": "</script><script>SAY</script>"}, '
    '"text/plain": "a widget"}, raw=True)',
}
LOADED = {
    "picture": "display(HTML(\"<img src='https://seen.example/a.png'>\"))",
    "file-name": 'display({"image/png": PNG}, raw=True, metadata={"filenames": {"image/png": "https://seen.example/b.png"}})',
}
LINKS = """Links: <a href="javascript:SAY">one</a> <a href="files/javascript:SAY">two</a> [three](page.html)
[four](files/drawing.svg) [five](/logout) [data](data.csv) [documentation](https://docs.example/x)"""
TABLE = """<div>
<style scoped>
    .dataframe tbody tr th { vertical-align: top; }
</style>
<table border="1" class="dataframe"><thead><tr style="text-align: right;"><th></th><th>loss</th></tr></thead>
<tbody><tr><th>0</th><td>0.4375</td></tr></tbody></table>
</div>"""
HONEST = {
    "table": f"display(HTML({TABLE!r}))",
    "plot": "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);",
    "formula": 'display(Latex(r"$\\alpha_{loss}$"))',
    "bold": 'display(Markdown("**bold**"))',
}
LOOK = """() => ({
    text: document.body.innerText,
    pictures: [...document.images].filter(each => each.naturalWidth > 0).map(each => each.src.slice(0, 18) + each.naturalWidth),
    entries: [...document.querySelectorAll("td")].map(each => each.textContent),
    bold: [...document.querySelectorAll("#notebook strong")].map(each => each.textContent),
    links: [...document.querySelectorAll("#notebook .rendered_html a[href]")].map(each => each.getAttribute("href")),
    formulas: document.querySelectorAll("math").length,
    scripts: [...document.scripts].map(each => each.src).filter(Boolean),
})"""


def _source(sources, name):
    return sources[name].replace("SAY", f"console.log('owned-{name}')")


def _cell(name, kind, source, **facts):
    facts = {"grade_id": name, "grade": True, "solution": False, "locked": False, "task": False, "schema_version": 3} | facts
    return kind(source, metadata={"nbgrader": facts})


def _make(root):
    """The course, and what mallory hands in: everything above, with saved outputs that act, too."""
    (root / "source" / "ps").mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(CONFIG)
    cells = [
        _cell("answer", new_code_cell, "### BEGIN SOLUTION\nx = 1\n### END SOLUTION", grade=False, solution=True),
        _cell("answer-test", new_code_cell, "assert x == 1", points=1, locked=True),
        _cell("essay", new_markdown_cell, "Why?", points=2, solution=True),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), root / "source" / "ps" / "ps.ipynb")
    status, said = run(root, "nbgrader", "generate_assignment", "ps")
    assert status == 0, said
    folder = root / "submitted" / "mallory" / "ps"
    shutil.copytree(root / "release" / "ps", folder)
    for name, text in {"page.html": "<script>alert(1)</script>", "drawing.svg": "<svg/>", "data.csv": "1,2"}.items():
        (folder / name).write_text(text)
    notebook = nbformat.read(folder / "ps.ipynb", as_version=4)
    answer, _, essay = notebook.cells
    answer.source, essay.source = "x = 1", _source(WRITTEN, "text")
    notebook.cells.append(new_code_cell(HEAD))
    for sources in (PUT_OUT, LOADED, SHOWN_AS_TEXT, SHOWN_OTHERWISE, HONEST):
        notebook.cells += [new_code_cell(_source(sources, name)) for name in sources]
    notebook.cells += [new_markdown_cell(_source(WRITTEN, name)) for name in WRITTEN if name != "text"]
    notebook.cells += [new_markdown_cell(LINKS.replace("SAY", "console.log(1)")), new_markdown_cell(r"$\beta < \gamma$")]
    notebook.cells += [new_raw_cell("<script>console.log('owned-raw')</script>"), new_code_cell("")]
    notebook.cells.append(new_code_cell("1", metadata={"tags": ["skip-execution", "modal-backdrop"]}))
    saved = new_output("display_data", {"text/html": "<script>console.log('owned-saved')</script>"})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [saved]
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"x": "</script>"}}}
    nbformat.write(notebook, folder / "ps.ipynb")


def _visit(browser, address, ready=""):
    """What a page shows, which scripts of the student's said something, and who elsewhere was asked for anything."""
    page = browser.new_page()
    said, asked = set(), set()
    page.on("console", lambda message: message.type == "log" and said.update(re.findall(r"owned-([\w-]+)", message.text)))

    def requested(route):
        host = urlsplit(route.request.url).hostname
        if host not in (None, "", "127.0.0.1"):
            asked.add(host)
            route.abort()
        else:
            route.continue_()

    page.route("**/*", requested)
    page.goto(address, wait_until="load")
    if ready:
        page.wait_for_function(ready)
    seen = page.evaluate(LOOK) | {"said": said, "asked": asked - {"cdnjs.cloudflare.com"}}
    page.close()
    return seen


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course as ``configure(c)`` sets it up, graded."""
    root = tmp_path_factory.mktemp("pages") / "course"
    _make(root)
    status, said = run(root, "torchgrade", "grade", "ps", "--workers", "1")
    assert status == 0, said
    return root


@pytest.fixture(scope="module")
def seen(course, tmp_path_factory):
    """By course (as it is, and with plain nbgrader's pages) and page: what was seen there."""
    undone = course.with_name("undone")
    shutil.copytree(course, undone)
    with (undone / "nbgrader_config.py").open("a") as config:
        config.write(UNDONE)
    found = {}
    with chromium() as browser:
        for root in (course, undone):
            status, said = run(root, "torchgrade", "feedback", "ps")
            assert status == 0, said
            page = (root / "feedback" / "mallory" / "ps" / "ps.html").as_uri()
            found[root.name, "feedback"] = _visit(browser, page)
            ((submission,),) = table(root, "SELECT id FROM submitted_notebook")
            # Formgrader's own scripts have filled in the mark.
            ready = "document.getElementById('answer-test').placeholder === '1'" if root == course else ""
            with jupyter(root, tmp_path_factory.mktemp("home")) as address:
                found[root.name, "formgrader"] = _visit(browser, f"{address}/formgrader/submissions/{submission}/", ready)
    return found


PAGES = pytest.mark.parametrize("page", ["feedback", "formgrader"])


@PAGES
def test_on_plain_nbgraders_pages_every_attack_works(seen, page):
    plain = seen["undone", page]
    assert plain["said"] == {*PUT_OUT, *WRITTEN}
    assert plain["asked"] == {"seen.example"}
    assert [link for link in plain["links"] if link.startswith("javascript:")] != []


@PAGES
def test_no_script_of_a_student_runs_and_nobody_elsewhere_learns_who_reads_the_page(seen, page):
    assert seen["course", page]["said"] == set()
    assert seen["course", page]["asked"] == set()


@PAGES
def test_links_lead_elsewhere_or_to_files_that_a_browser_does_not_run(seen, page):
    links = [link for link in seen["course", page]["links"] if not link.startswith("#")]
    assert links == ["data.csv", "https://docs.example/x"]


@PAGES
def test_printed_text_and_tracebacks_are_text(seen, page):
    lines = [line.strip().removeprefix("ValueError: ") for line in seen["course", page]["text"].splitlines()]
    for name in SHOWN_AS_TEXT:
        assert f"<script>console.log('owned-{name}')</script>" in lines


@PAGES
def test_what_cannot_be_shown_is_shown_in_another_format_or_named(seen, page):
    lines = [line.strip() for line in seen["course", page]["text"].splitlines()]
    assert "a widget" in lines
    assert "(Not shown: application/javascript.)" in lines
    assert "<IPython.core.display.Javascript object>" in lines


@PAGES
def test_pictures_tables_formulas_and_markdown_are_still_there(seen, page):
    found = seen["course", page]
    widths = [int(picture[18:]) for picture in found["pictures"] if picture.startswith("data:image/png;bas")]
    assert max(widths) > 100  # the plot
    assert "data:image/svg+xml31" in found["pictures"]
    assert "0.4375" in found["entries"]
    assert "bold" in found["bold"]
    assert found["text"].count(".dataframe tbody") == 1  # in the cell's source
    if page == "feedback":
        assert found["formulas"] == 2
        assert found["scripts"] == []
    else:  # Formgrader's own page: the formula in an output is left to its script
        assert found["formulas"] == 1
        assert r"$\alpha_{loss}$" in found["text"].splitlines()
        assert any("mathjax" in script for script in found["scripts"])


def test_the_graded_copy_keeps_what_was_put_out(course):
    copy = nbformat.read(course / "autograded" / "mallory" / "ps" / "ps.ipynb", as_version=4)
    outputs = json.dumps([cell.get("outputs") for cell in copy.cells])
    for name in (*PUT_OUT, *SHOWN_AS_TEXT, *SHOWN_OTHERWISE):
        assert f"owned-{name}" in outputs
    assert "owned-saved" not in outputs


def test_nbgraders_own_command_writes_the_same_page(course, seen):
    path = course / "feedback" / "mallory" / "ps" / "ps.html"
    before = path.read_text()
    status, said = run(course, "nbgrader", "generate_feedback", "ps", "--force")
    assert status == 0, said
    assert path.read_text() == before
