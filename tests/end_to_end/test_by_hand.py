"""An answer in words beside exercises that checks grade: the points wait for a person, and every command says so."""

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


def test_nothing_is_called_final_before_a_person_has_given_the_points_and_all_is_then(graded):
    course, said = graded
    assert "7 points by hand" in said
    assert "1 waiting for a grade by hand (ann)" in said
    assert "Formgrader" in said

    assert "ann/small (7 points to be given by hand, in Formgrader)" in run(course, "export", "small", "--to", "canvas")
    run(course, "feedback", "small")
    assert "This mark is final." not in (course.feedback / "ann/small/small.html").read_text(encoding="utf-8")

    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        for name in ("words", "plot"):
            grade = book.find_grade(name, "small", "small", "ann")
            grade.manual_score, grade.needs_manual_grade = 3, False
        book.db.commit()
    said = run(course, "grade", "small")
    assert "by hand" not in said
    assert "Still open" not in run(course, "export", "small", "--to", "canvas")
