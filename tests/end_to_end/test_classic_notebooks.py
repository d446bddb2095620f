"""The notebooks of nbgrader's own tests, handed in as they are and as they are released: the same marks from both."""

import shutil
from pathlib import Path

import nbgrader
import pytest
from quickstart import COMMENTS, GRADES, make_classic, run, table

pytestmark = pytest.mark.classic

TESTS = Path(nbgrader.__file__).parent / "tests"
# Those that nbgrader itself makes an assignment of; the others are there to be refused, or need a file of the instructor's.
NOTEBOOKS = {
    "apps": """autotest-hashed-changed autotest-hashed-unchanged autotest-hidden-changed-right autotest-hidden-changed-wrong
        autotest-hidden-unchanged autotest-multi-changed autotest-multi-unchanged autotest-simple-changed
        autotest-simple-unchanged infinite-loop infinite-loop-with-output open_relative_file side-effects submitted-changed
        submitted-cheat-attempt submitted-cheat-attempt-alternative submitted-grade-cell-changed submitted-locked-cell-changed
        submitted-unchanged test test-hidden-tests test-no-metadata test-with-output timeout validating-environment-variable
        validation-zero-points""",
    "preprocessors": "header infinite-recursion long-output manually-graded-code-cell no-cell-type test",
}
CHANGED = (
    "submitted-changed",
    "submitted-cheat-attempt",
    "submitted-cheat-attempt-alternative",
    "submitted-grade-cell-changed",
    "submitted-locked-cell-changed",
)
CONFIG = """
c.CourseDirectory.course_id = "all"
c.Execute.timeout = 6
c.ClearSolutions.enforce_metadata = False
"""


def _name(folder, stem):
    return f"{folder}_{stem}".replace("-", "_")


def _hand_in(root, student, notebook, path):
    folder = root / "submitted" / student.replace("_", "-") / "all"
    folder.mkdir(parents=True)
    shutil.copy(path, folder / f"{notebook}.ipynb")


@pytest.fixture(scope="module")
def courses(tmp_path_factory):
    """The course under plain nbgrader and under torchgrade."""
    root = tmp_path_factory.mktemp("courses")
    plain = root / "plain"
    (plain / "source" / "all").mkdir(parents=True)
    (plain / "nbgrader_config.py").write_text(f"c = get_config()\n{CONFIG}")
    found = {
        _name(folder, stem): TESTS / folder / "files" / f"{stem}.ipynb"
        for folder, stems in NOTEBOOKS.items()
        for stem in stems.split()
    }
    for name, path in found.items():
        shutil.copy(path, plain / "source" / "all" / f"{name}.ipynb")
    status, said = run(plain, "nbgrader", "generate_assignment", "all")
    assert status == 0, said
    for name, path in found.items():
        _hand_in(plain, f"{name}-same", name, path)
        _hand_in(plain, f"{name}-released", name, plain / "release" / "all" / f"{name}.ipynb")
    for stem in CHANGED:
        _hand_in(plain, f"family-{stem}", "apps_submitted_unchanged", TESTS / "apps" / "files" / f"{stem}.ipynb")
    make_classic(plain, root / "torchgrade")
    said = {
        "plain": run(plain, "nbgrader", "autograde", "all"),
        "torchgrade": run(root / "torchgrade", "torchgrade", "grade", "all", "--workers", "2"),
    }
    return root, said


def test_each_notebook_was_graded_by_both(courses):
    root, said = courses
    assert [status for status, _ in said.values()] == [0, 0], said
    graded = {name: len(list((root / name / "autograded").glob("*/all/*.ipynb"))) for name in said}
    assert graded == dict.fromkeys(said, 2 * sum(len(stems.split()) for stems in NOTEBOOKS.values()) + len(CHANGED))


@pytest.mark.parametrize("query", [GRADES, COMMENTS], ids=["grades", "comments"])
def test_marks_flags_and_comments_are_those_of_plain_nbgrader(courses, query):
    root, _ = courses
    one, two = ({row[:3]: row[3:] for row in table(root / name, query)} for name in ("plain", "torchgrade"))
    assert {key: (one.get(key), two.get(key)) for key in one.keys() | two.keys() if one.get(key) != two.get(key)} == {}
    assert len([row for row in one.values() if row[0]]) > 20
