"""The class page of a classic course: of each grade cell how many passed it, beside the checks of exercises."""

import re
import shutil

import classic_course
import pytest
from mixed_course import hand_in, make_mixed
from quickstart import run

from torchgrade.course import find_course
from torchgrade.gradebook.nbgrader_course import config_of, course_directory, quiet_log

pytestmark = pytest.mark.classic

WRONG = "def mean(values):\n    return 0\n"
NAMES = r"\b(?:ada|bob|cora|dana|elias|finn)\b"


def report(root, *options):
    """The page's text, with a line for each row of its tables."""
    status, said = run(root, "torchgrade", "report", "ps", *options)
    assert status == 0, said
    page = (root / "results" / "reports" / "ps.html").read_text()
    body = page.partition("<main")[2].partition("</main>")[0]
    rows = re.findall(r"<tr.*?(?=<tr|</tbody>|</table>)", body, re.DOTALL)
    plain = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]
    return page, plain


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class, graded; one of them handed in again afterwards, one cannot be read, one is not graded."""
    root = tmp_path_factory.mktemp("report") / "course"
    make_mixed(root)
    hand_in(root, "ada")
    hand_in(root, "bob", mean=WRONG, double="def double(x):\n    return 3 * x\n")
    hand_in(root, "cora", share="share = 0.5")
    hand_in(root, "dana")
    hand_in(root, "elias")
    (root / "submitted" / "elias" / "ps" / "ps.ipynb").write_text("{")
    assert run(root, "torchgrade", "grade", "ps", "--workers", "2")[0] == 1
    hand_in(root, "dana", mean=WRONG)
    hand_in(root, "finn")
    return root


def test_each_grade_cell_has_its_share_and_what_its_test_said(graded):
    _, rows = report(graded)
    # The second student's functions are wrong in both notebooks.
    assert any(row.startswith("mean-test hidden, test 2 67 %") and "AssertionError" in row for row in rows), rows
    assert any(row.startswith("share-test public, test 1 67 %") for row in rows), rows
    assert any(row.startswith("essay public, by hand 3") and "It waits for a grade by hand" in row for row in rows), rows
    assert any(row.startswith("Every element is doubled test_secret, hidden, values 3 67 %") for row in rows), rows
    assert not any("double-check" in row for row in rows)


def test_who_is_open_is_named_with_the_reason(graded):
    _, rows = report(graded)
    assert "elias not readable not graded: ps.ipynb is not a notebook" in "\n".join(rows)
    assert "dana not graded Handed in again since it was graded." in rows
    assert "finn not graded Handed in, and there is no record of it yet." in rows
    assert "ada by hand 9 of 12, 3 points open essay: It waits for a grade by hand." in rows


def give(root, cell, **entry):
    """What a person enters in Formgrader for one cell of ada's, which then waits no longer."""
    from nbgrader.api import Gradebook

    config = config_of(find_course(root))
    directory = course_directory(config, quiet_log()[0], "ps")
    with Gradebook(directory.db_url, "mixed") as book:
        grade = book.find_grade(cell, "ps", "ps", "ada")
        for name, value in {**entry, "needs_manual_grade": False}.items():
            setattr(grade, name, value)
        book.db.commit()


def test_points_that_were_given_by_hand_count(graded, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    give(root, "essay", manual_score=2.5)
    page, rows = report(root)
    assert "ada 11.5 final, by hand: +2.5" in rows
    assert "<dt>Graded, final</dt><dd>1</dd>" in page


def test_extra_credit_and_a_changed_mark_count_in_every_place_and_a_regrade_has_them_confirmed(graded, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    give(root, "essay", manual_score=2, extra_credit=1)
    give(root, "mean-test", manual_score=0.5)
    note = "by hand: +1.5"

    def said(*arguments):
        return run(root, "torchgrade", *arguments)[1]

    def of_ada(text):
        return next(" ".join(line.split()) for line in text.splitlines() if line.split()[:1] == ["ada"])

    assert of_ada(said("grade", "ps", "-s", "ada")) == f"ada 10.5 of 12, {note}"
    assert said("history", "ps", "-s", "ada").splitlines()[-1] == f"now: 10.5 / 12, final, {note}"
    assert f"ada 10.5 final, {note}" in report(root)[1]
    assert said("export", "ps", "--to", "moodle", "-s", "ada") == "moodle.csv\n"
    assert (root / "moodle.csv").read_text().splitlines()[-1] == "ada,,,,10.5"
    said("feedback", "ps", "-s", "ada")
    for name in ("ps", "more"):  # a page a notebook
        page = (root / "feedback" / "ada" / "ps" / f"{name}.html").read_text()
        assert f"</h4><p>In all: 10.5 / 12 points. This mark is final ({note}).</p>" in page

    assert of_ada(said("grade", "ps", "-s", "ada", "--regrade")) == f"ada 10.5 of 12, to be confirmed in Formgrader, {note}"
    open_mark = said("export", "ps", "--to", "moodle")
    assert "ada/ps (to be confirmed in Formgrader: " in open_mark
    for who, why in (("dana", "handed in again since"), ("elias", "the file that was handed in"), ("finn", "not graded yet")):
        assert f"{who}/ps ({why}" in open_mark
    assert [row.rpartition(",")[2] for row in (root / "moodle.csv").read_text().splitlines()[1:]] == [""] * 6


def test_a_new_gradebook_has_again_what_people_gave(graded, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    give(root, "essay", manual_score=2.5)
    run(root, "torchgrade", "grade", "ps", "-s", "ada")
    (root / "gradebook.db").unlink()
    assert run(root, "torchgrade", "release", "ps", "--no-audit")[0] == 0
    status, said = run(root, "torchgrade", "grade", "ps", "-s", "ada")

    assert status == 1
    assert "ada: the gradebook knew nothing of it: points and comments by hand were put back from " in said
    assert "11.5 of 12, by hand: +2.5" in said


def test_marks_of_nbgraders_own_command_are_there_too(graded, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    status, said = run(root, "nbgrader", "autograde", "ps", "--student", "finn")
    assert status == 0, said
    assert "finn 9 by hand" in report(root)[1]


def test_the_page_of_pseudonyms_names_nobody(graded, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    run(root, "torchgrade", "feedback", "ps")  # pages to link to; some have none
    page, _ = report(root)
    assert set(re.findall(NAMES, page)) == {"ada", "bob", "cora", "dana", "elias", "finn"}
    assert 'href="../../feedback/ada/ps/' in page
    status, said = run(root, "torchgrade", "report", "ps", "--anonymous")
    assert status == 0, said
    assert re.findall(NAMES, (root / "results" / "reports" / "ps-anonymous.html").read_text()) == []


def test_a_test_is_hidden_where_the_courses_own_words_say_so(tmp_path):
    root = tmp_path / "course"
    begin, end = "HIDE FROM HERE", "SHOW FROM HERE"
    classic_course.make(
        root,
        f"c.ClearHiddenTests.begin_test_delimeter = {begin!r}",
        f"c.ClearHiddenTests.end_test_delimeter = {end!r}",
        write=lambda text: text.replace("BEGIN HIDDEN TESTS", begin).replace("END HIDDEN TESTS", end),
    )
    classic_course.hand_in(root, "ann")
    assert classic_course.grade(root)[0] == 0
    _, rows = report(root)
    assert any(row.startswith("total-test hidden, test 1 100 %") for row in rows), rows
    assert any(row.startswith("double-test public, test 2 100 %") for row in rows), rows
