"""An answer in words beside exercises that checks grade: the points wait for a person, and every command says so."""

import json
import re
import shutil
import sqlite3

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbgrader.api import Gradebook
from warm_commands import torchgrade
from written_course import replace_words_for_the_author

from torchgrade.course import find_course
from torchgrade.notebook import compose, load_assignment, write_notebook

CONFIG = "from torchgrade.gradebook import configure\n\nc = get_config()\nconfigure(c)\n"
WORDS = {"grade": True, "grade_id": "words", "locked": False, "points": 4, "schema_version": 3, "solution": True, "task": False}

# One white pixel.
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTjO6AAAAABJRU5ErkJggg=="


def run(course, *arguments):
    done = torchgrade(course.root, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    (root / "nbgrader_config.py").write_text(CONFIG)
    course = find_course(root)
    run(course, "new", "small", "centred")
    replace_words_for_the_author(course.assignments, "small")
    path = course.assignments / "small/small.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(new_markdown_cell("Why?", id="words", metadata={"nbgrader": WORDS}))
    plot = {**WORDS, "grade_id": "plot", "points": 3}
    notebook.cells.append(new_code_cell("plot = ...", id="plot", metadata={"nbgrader": plot}))
    nbformat.write(notebook, path)
    run(course, "release", "small", "--no-audit")
    handed_in = course.submitted / "ann/small/small.ipynb"
    handed_in.parent.mkdir(parents=True)
    right = (course.solutions / "small/centred/reference.py").read_text(encoding="utf-8")
    submission = compose(load_assignment(course.assignments, "small"), {"centred": right})
    submission.cells[-2].source = "Because."  # nbgrader gives 0 by itself for an answer that is left as it was
    submission.cells[-1].source = "plot = 'a curve'"
    submission.cells[-1].outputs = [
        new_output("display_data", {"image/png": PICTURE, "text/html": "<b>not a picture</b>"}),
        new_output("display_data", {"image/png": "bm8gcGljdHVyZQ=="}),
        new_output("stream", text="printed"),
    ]
    write_notebook(submission, handed_in)
    return course, run(course, "grade", "small")


def test_a_picture_in_an_answer_that_a_person_grades_is_there_to_be_looked_at_and_nothing_else_that_was_put_out(graded):
    course, _ = graded
    copy = nbformat.read(course.root / "autograded/ann/small/small.ipynb", as_version=4)
    (cell,) = [cell for cell in copy.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "plot"]

    assert [output.data["image/png"] for output in cell.outputs] == [PICTURE]
    assert "text/html" not in cell.outputs[0].data
    run(course, "feedback", "small")
    assert f"data:image/png;base64,{PICTURE}" in (course.feedback / "ann/small/small.html").read_text(encoding="utf-8")


def copy_of(graded, folder):
    """The graded course once more, to be changed."""
    root = folder / "course"
    shutil.copytree(graded[0].root, root)
    return find_course(root)


def give(course, cell, **entry):
    """What a person enters in Formgrader for one cell of ann's, which then waits no longer."""
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        grade = book.find_grade(cell, "small", "small", "ann")
        for name, value in {**entry, "needs_manual_grade": False}.items():
            setattr(grade, name, value)
        book.db.commit()


def cells_of(page):
    """The texts of each row of a page's tables."""
    rows = re.findall(r"<tr.*?(?=<tr|</tbody>|</table>)", page.read_text(encoding="utf-8"), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


def everywhere(course):
    """Each place that shows ann's mark: the line, the row or the number that has it."""
    table, canvas = run(course, "grade", "small"), course.root / "canvas.csv"
    said = run(course, "export", "small", "--to", "canvas", "-o", str(canvas))
    run(course, "export", "small", "--to", "gradescope", "-o", str(course.root / "gradescope"))
    run(course, "report", "small")
    run(course, "feedback", "small")
    page = course.feedback / "ann/small/small.html"
    html = page.read_text(encoding="utf-8")
    return {
        "grade": next(" ".join(line.split()) for line in table.splitlines() if line.split()[:1] == ["ann"]),
        "summary": next(line for line in table.splitlines() if line.startswith("small: ")),
        "canvas": canvas.read_text().splitlines()[-1].rpartition(",")[2],
        "canvas says": said.splitlines()[-1],
        "gradescope": json.loads((course.root / "gradescope/ann/small/results.json").read_text()),
        "class": [row for row in cells_of(course.results / "reports/small.html") if row.startswith("ann ")],
        "history": run(course, "history", "small", "-s", "ann").splitlines()[-1],
        "page": re.search(r"<h1>.*?<small>(.*?)</small>", html)[1],
        "page rows": cells_of(page),
        "page says": html,
    }


def test_nothing_is_called_final_before_a_person_has_given_the_points(graded, tmp_path):
    found = everywhere(copy_of(graded, tmp_path))

    assert found["grade"] == "ann 8 8 / 15 7 points by hand"
    assert found["summary"] == "small: 1 submission: 1 waiting for a grade by hand (ann)"
    assert found["canvas"] == ""
    assert found["canvas says"] == "Still open, so its cell is empty: ann/small (7 points to be given by hand, in Formgrader)"
    assert found["gradescope"]["output"].endswith("Not final: 7 points are still to be given by hand.")
    assert found["class"] == [
        "ann by hand 8 of 15, 7 points open To be given by hand, in Formgrader: plot, words.",
        "ann 8 by hand",
    ]
    assert found["history"] == "now: 8 / 15, 7 points by hand"
    assert found["page"] == "8 of 15 points"
    assert [row for row in found["page rows"] if row.startswith(("plot", "words", "Total"))] == [
        "plot, by hand ? / 3",
        "words, by hand ? / 4",
        "Total 8 / 15",
    ]
    assert "Not final: 7 points are still to be given by hand." in found["page says"]
    assert "This mark is final." not in found["page says"]


def test_one_mark_stands_everywhere_with_what_a_person_gave_changed_and_took_off(graded, tmp_path):
    course = copy_of(graded, tmp_path)
    give(course, "words", manual_score=3)
    give(course, "plot", manual_score=0, extra_credit=1.5)
    give(course, "centred-check", manual_score=7)
    with sqlite3.connect(course.root / "gradebook.db") as database:
        database.execute("UPDATE submitted_notebook SET late_submission_penalty = 2")
    database.close()
    found = everywhere(course)

    # 7 in the place of 8, 3, 1.5; less 2.
    note = "by hand: +3.5, late: -2"
    assert found["grade"] == f"ann 8 9.5 / 15 final {note}"
    assert found["summary"] == "small: 1 submission: 1 with fewer"
    assert found["canvas"] == "9.5"
    assert found["gradescope"]["score"] == 9.5
    assert found["gradescope"]["output"] == f"This mark is final ({note})."
    by_hand = [(t["name"], t["score"], t["max_score"]) for t in found["gradescope"]["tests"] if t["name"].endswith("by hand")]
    assert by_hand == [("centred: by hand", -1, 0), ("plot: by hand", 1.5, 3), ("words: by hand", 3, 4)]
    assert found["class"] == [f"ann 9.5 final, {note}"]
    assert found["history"] == f"now: 9.5 / 15, final, {note}"
    assert found["page"] == "9.5 of 15 points"
    last = [row for row in found["page rows"] if row.startswith(("centred, by", "plot, by", "words, by", "Handed", "Total"))]
    assert last == ["centred, by hand -1", "plot, by hand 1.5 / 3", "words, by hand 3 / 4", "Handed in late -2", "Total 9.5 / 15"]
    assert f"This mark is final ({note})." in found["page says"]


def test_a_mark_that_a_person_gave_before_a_regrade_is_to_be_confirmed_and_nothing_says_to_grade_again(graded, tmp_path):
    course = copy_of(graded, tmp_path)
    for cell, points in (("words", 4), ("plot", 3), ("centred-check", 7)):
        give(course, cell, manual_score=points)
    path = course.submitted / "ann/small/small.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[-2].source = "Because it is."
    nbformat.write(notebook, path)
    found = everywhere(course)

    assert found["grade"] == "ann 8 14 / 15 to be confirmed by hand: +6"
    assert found["summary"] == "small: 1 submission: 1 to be confirmed in Formgrader (ann)"
    assert found["canvas"] == ""
    assert "to be confirmed in Formgrader" in found["canvas says"]
    assert "torchgrade grade" not in found["canvas says"]
    assert found["gradescope"]["extra_data"]["status"] == "to be confirmed"
    assert found["class"][0].startswith("ann to be confirmed 14 of 15, by hand: +6 It was graded again")
    assert found["history"] == "now: 14 / 15, to be confirmed, by hand: +6"
    assert "they have yet to confirm those" in found["page says"]

    for cell in ("words", "plot", "centred-check"):
        give(course, cell)
    assert everywhere(course)["grade"] == "ann 8 14 / 15 final by hand: +6"


def test_without_its_gradebook_no_page_and_no_export_shows_the_checks_alone_for_the_mark(graded, tmp_path):
    course = copy_of(graded, tmp_path)
    (course.root / "gradebook.db").unlink()
    for command in (("report", "small"), ("export", "small", "--to", "canvas"), ("export", "small", "--to", "gradescope")):
        done = torchgrade(course.root, *command)
        assert (done.returncode, done.stdout) == (1, "")
        assert re.fullmatch(r"Error: the gradebook \S+ is not there, and with it the marks\. .*\n", done.stderr), done.stderr
    done = torchgrade(course.root, "history", "small", "-s", "ann")
    assert done.returncode == 1
    assert "8 / 8" in done.stdout
    assert not (course.root / "gradebook.db").exists()


@pytest.mark.parametrize("changed", [False, True])
def test_a_damaged_gradebook_is_made_again_with_all_that_people_gave(graded, tmp_path, changed):
    course = copy_of(graded, tmp_path)
    for cell, points in (("words", {"manual_score": 3}), ("plot", {"manual_score": 0, "extra_credit": 1.5})):
        give(course, cell, **points)
    give(course, "centred-check", manual_score=7)
    with sqlite3.connect(course.root / "gradebook.db") as database:
        cells = "(SELECT id FROM base_cell WHERE name = 'words')"
        assert database.execute(f"UPDATE comment SET manual_comment = 'Well put' WHERE cell_id IN {cells}").rowcount == 1
    database.close()
    run(course, "grade", "small")

    book = course.root / "gradebook.db"
    book.write_text("not a database, but long enough to be looked at as if it were one " * 20)
    done = torchgrade(course.root, "grade", "small")
    assert done.returncode == 1
    assert "is damaged (file is not a database). Put a copy of it back, or move it away. To make a new one: " in done.stderr
    assert "Traceback" not in done.stderr
    book.unlink()
    run(course, "release", "small", "--no-audit")
    if changed:  # what was given to the old answer waits for a person
        (course.results / "ann/small.json").unlink()
        path = course.submitted / "ann/small/small.ipynb"
        notebook = nbformat.read(path, as_version=4)
        answer = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "centred")
        answer.source = "def centred(x):\n    return x\n"
        nbformat.write(notebook, path)
    done = torchgrade(course.root, "grade", "small")

    assert done.returncode == 1
    assert "Problem: the gradebook knew nothing of ann: points and comments by hand were put back from /" in done.stderr
    status = "to be confirmed" if changed else "final"
    assert run(course, "history", "small", "-s", "ann").splitlines()[-1].startswith(f"now: 11.5 / 15, {status}, by hand: +")
    run(course, "feedback", "small")
    assert "Well put" in (course.feedback / "ann/small/small.html").read_text(encoding="utf-8")
    # The gradebook decides from now on, and is asked once.
    give(course, "words", manual_score=None)
    assert "put back" not in run(course, "grade", "small")
    kept = json.loads((course.results / "by-hand/small.json").read_text())["ann"]
    assert kept["small/plot"]["extra"] == 1.5
    assert set(kept["small/words"]) == {"comment"}
