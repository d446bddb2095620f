"""The words of pages about submissions that could not be asked much, from the notebook that was handed in to the page."""

import re

import pytest
from small_course import make_course, submit
from warm_commands import torchgrade

UNCLOSED = "def double(x:\n    return 2 * x\n"
HANGS = "def double(x):\n    while True:\n        pass\n"
CELL_HANGS = "while True:\n    pass\n\ndef double(x):\n    return 2 * x\n"


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course in which each of five did another thing wrong, and what ``torchgrade grade`` printed, piped."""
    course = make_course(tmp_path_factory.mktemp("course"))
    for student, answer in {"ann": UNCLOSED, "bob": HANGS, "cy": CELL_HANGS, "dan": "def double(x):\n    return 3 * x\n"}.items():
        submit(course, student, double=answer)
    submit(course, "eve").write_text("")
    printed = []
    for command in (["release", "small", "--no-audit"], ["grade", "small"], ["report", "small"], ["feedback", "small"]):
        done = torchgrade(course.root, *command, COLUMNS="80")
        assert done.returncode == 0, done.stdout + done.stderr
        printed.append(done.stdout)
    return course, printed[1]


def test_each_cause_is_in_the_class_page_as_the_judge_saw_it(graded):
    page = (graded[0].results / "reports/small.html").read_text(encoding="utf-8")
    part = page[page.index("<h2>By cause") : page.index("<h2>Checks")]
    rows = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in re.findall(r"<tr>(.*?)</tr>", part, re.DOTALL)[1:]]
    assert sorted(rows) == [
        "1 double it ran into the time limit: a loop without an end, or far too slow bob",
        "1 double its cell did not end within 3 s cy",
        "1 double its cell has a syntax error: &#39;(&#39; was never closed ann",
    ]


def test_the_page_of_an_empty_file_says_why_once_and_lists_no_check(graded):
    page = (graded[0].feedback / "eve/small/small.html").read_text(encoding="utf-8").partition("</style>")[2]
    (why,) = re.findall(r"<li>(.*?)</li>", page)
    assert "small.ipynb" in why
    assert page.index(why) < page.index("Hand in the notebook again:")
    assert "There was no notebook to grade" not in page
    assert "Every element is doubled" not in page


def test_a_piped_table_has_the_whole_cause(graded):
    (row,) = [line for line in graded[1].splitlines() if line.split()[:1] == ["dan"]]
    assert re.search(r"Every element is doubled: .* elements are wrong.*\.$|Twice three is six: .*[^…]$", row), row
    assert "…" not in row
