"""Where torchgrade's marks and pages differ from plain nbgrader's in a classic course, and the settings that undo it."""

import re
import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from quickstart import run, table

pytestmark = pytest.mark.classic

NAN = "def share():\n    return float('nan')\n"
SOLUTIONS = {
    "right": "def share():\n    return 1.0\n",
    "part": "def share():\n    return 0.5\n",
    "warns": "import warnings\n\n\ndef share():\n    warnings.warn('slow')\n    return 1.0\n",
    "nan": NAN,
    "false": "def share():\n    return False\n",
    "much": "def share():\n    return 70.0\n",
    "skips": "def share():\n    raise ValueError('never asked')\n",
    "quotes": "def share():\n    print(In[-1])\n    return 0.25\n",
}
HIDDEN = "assert share() in (1.0, 0.7071)"
TESTS = {
    "partial": "share()",
    "whole": f"assert isinstance(share(), float)\n### BEGIN HIDDEN TESTS\n{HIDDEN}, 'not the right share'\n### END HIDDEN TESTS",
}
POINTS = {"partial": 1, "whole": 2}
PLAIN = """
c.SaveScores.stderr_fails = True
c.SaveScores.other_values_pass = True
c.SaveScores.unrun_passes = True
"""


def _graded(name, source, **more):
    facts = {"schema_version": 3, "grade_id": name, "grade": True, "solution": False, "locked": True, "points": 2, "task": False}
    return new_code_cell(source, metadata={"nbgrader": {**facts, **more}})


def _make(root, config):
    """The course, with its class."""
    (root / "source" / "ps").mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(f'c = get_config()\nc.CourseDirectory.course_id = "shares"\n{config}')
    solution = _graded("share", "### BEGIN SOLUTION\n### END SOLUTION", grade=False, solution=True, locked=False)
    del solution.metadata["nbgrader"]["points"]
    heading = new_markdown_cell("# Shares of a whole")
    tests = [_graded(name, source, points=POINTS[name]) for name, source in TESTS.items()]
    notebook = new_notebook(cells=[solution, *tests, heading])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, root / "source" / "ps" / "ps.ipynb")
    status, said = run(root, "nbgrader", "generate_assignment", "ps")
    assert status == 0, said
    for student, text in SOLUTIONS.items():
        shutil.copytree(root / "release" / "ps", root / "submitted" / student / "ps")
        path = root / "submitted" / student / "ps" / "ps.ipynb"
        notebook = nbformat.read(path, as_version=4)
        notebook.cells[0].source = text
        if student == "skips":
            for cell in notebook.cells:
                cell.metadata["tags"] = ["skip-execution"]
        nbformat.write(notebook, path)


def _scores(root):
    """By student: the scores of both cells; ``?`` for one that waits for a person."""
    found = {}
    for student, _, cell, score, _, by_hand in table(root):
        found.setdefault(student, {})[cell] = "?" if by_hand else score
    return {student: (cells["partial"], cells["whole"]) for student, cells in found.items()}


@pytest.fixture(scope="module")
def courses(tmp_path_factory):
    """Plain nbgrader's, torchgrade's, and torchgrade's with every setting as plain nbgrader has it; and what each said."""
    root = tmp_path_factory.mktemp("courses")
    ours = "from torchgrade.classic import configure\nconfigure(c)\n"
    for name, config in {"plain": "", "ours": ours, "undone": ours + PLAIN}.items():
        _make(root / name, config)
    # nbgrader's own run ends in an error where a value is above the cell's points.
    shutil.rmtree(root / "plain" / "submitted" / "much")
    shutil.rmtree(root / "undone" / "submitted" / "much")
    return {
        "plain": (root / "plain", *run(root / "plain", "nbgrader", "autograde", "ps")),
        "ours": (root / "ours", *run(root / "ours", "torchgrade", "grade", "ps", "--workers", "2")),
        "undone": (root / "undone", *run(root / "undone", "torchgrade", "grade", "ps", "--workers", "2")),
    }


def test_plain_nbgrader_gives_marks_for_nothing_and_takes_them_for_a_warning(courses):
    root, status, said = courses["plain"]
    assert status == 0, said
    assert _scores(root) == {
        "right": (1.0, 2.0),
        "part": (0.5, 0.0),
        "warns": (0.0, 0.0),
        "nan": (1.0, 0.0),
        "false": (1.0, 0.0),
        "skips": (1.0, 2.0),
        "quotes": (0.25, 0.0),
    }


def test_with_torchgrade_a_mark_is_a_score_that_a_test_gave(courses):
    root, _, _ = courses["ours"]
    assert _scores(root) == {
        "right": (1.0, 2.0),
        "part": (0.5, 0.0),
        "warns": (1.0, 2.0),
        "nan": ("?", 0.0),
        "false": ("?", 0.0),
        "much": ("?", 0.0),
        "skips": (0.0, 0.0),
        "quotes": (0.25, 0.0),
    }


def test_values_that_are_no_score_are_named_for_the_instructor(courses):
    _, status, said = courses["ours"]
    problems = [line for line in said.splitlines() if line.startswith("Problem")]
    assert status == 1
    assert [line.partition(",")[0] for line in problems] == [
        "Problem: false: ps: partial ended with 'False'",
        "Problem: much: ps: partial ended with '70.0'",
        "Problem: nan: ps: partial ended with 'nan'",
    ]


def test_the_settings_bring_back_what_plain_nbgrader_does(courses):
    root, status, said = courses["undone"]
    assert status == 0, said
    assert _scores(root) == _scores(courses["plain"][0])


@pytest.fixture(scope="module")
def pages(courses):
    """By course and student: the page of feedback."""
    found = {}
    for name, command in {"plain": ("nbgrader", "generate_feedback", "ps"), "ours": ("torchgrade", "feedback", "ps")}.items():
        root = courses[name][0]
        status, said = run(root, *command)
        assert status == 0, said
        found[name] = {path.parts[-3]: path.read_text() for path in root.glob("feedback/*/ps/ps.html")}
    status, said = run(courses["ours"][0], "nbgrader", "generate_feedback", "ps", "--force")
    assert status == 0, said
    again = {path.parts[-3]: path.read_text() for path in courses["ours"][0].glob("feedback/*/ps/ps.html")}
    assert {name: _text(page) for name, page in again.items()} == {name: _text(page) for name, page in found["ours"].items()}
    return found


def _text(page):
    return re.sub(r"<[^>]+>", "", page)


@pytest.mark.parametrize("student", ["right", "part", "nan", "quotes"])
def test_pages_do_not_show_hidden_tests(pages, student):
    assert "0.7071" in _text(pages["plain"][student])
    assert "0.7071" not in _text(pages["ours"][student])
    assert "A hidden test stands here." in _text(pages["ours"][student])


def test_the_notebooks_title_stands_above_its_page(pages):
    assert "<h4>ps (Score: " in pages["plain"]["right"]
    assert "<h4>Shares of a whole (Score: " in pages["ours"]["right"]
    assert "<title>Shares of a whole</title>" in pages["ours"]["right"]


def test_pages_keep_what_the_author_says_to_the_student_and_the_visible_test(pages):
    text = _text(pages["ours"]["part"])
    assert "AssertionError: not the right share" in text
    assert "assert isinstance(share(), float)" in text
