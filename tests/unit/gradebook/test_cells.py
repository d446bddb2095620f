"""The autograded copy of a submission: the student's text, the assignment's everything else."""

import copy

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell
from tiny_course import assignment_notebook, meta

from torchgrade.gradebook.cells import restore
from torchgrade.notebook.cells import grade_id_of


@pytest.fixture
def assignment():
    return assignment_notebook()


@pytest.fixture
def submission(assignment):
    return copy.deepcopy(assignment)


def names(notebook):
    return [grade_id_of(cell) for cell in notebook.cells]


def cell(notebook, name):
    return next(c for c in notebook.cells if grade_id_of(c) == name)


def test_an_honest_submission_stays_as_it_is(assignment, submission):
    cell(submission, "add").source = "def add(x): return 1"
    restored = restore(submission, assignment)
    assert names(restored) == names(assignment)
    assert cell(restored, "add").source == "def add(x): return 1"


def test_a_deleted_grade_cell_is_put_back_after_its_exercise(assignment, submission):
    submission.cells = [c for c in submission.cells if grade_id_of(c) != "add-check"]
    assert names(restore(submission, assignment)) == names(assignment)


def test_grade_cells_are_put_back_when_everything_is_deleted(assignment, submission):
    submission.cells = []
    restored = restore(submission, assignment)
    assert [n for n in names(restored) if n.endswith("-check")] == ["add-check", "double-check"]


def test_edited_locked_and_grade_cells_are_the_assignments_again(assignment, submission):
    for c in submission.cells:
        c.source = "print('mine')"
    restored = restore(submission, assignment)
    changed = [c.source for c in restored.cells if c.source == "print('mine')"]
    assert len(changed) == 2


def test_points_and_locks_that_a_student_wrote_are_the_assignments_again(assignment, submission):
    for c in submission.cells:
        c.metadata = {"nbgrader": {"grade_id": grade_id_of(c), "points": 1e9, "grade": True, "locked": False}, "x": 1}
    assert [c.metadata for c in restore(submission, assignment).cells] == [c.metadata for c in assignment.cells]


@pytest.mark.parametrize("facts", [5, [], None, {}, {"grade_id": 5}, {"grade_id": "unknown", "grade": True, "points": -1}])
def test_metadata_that_nbgrader_would_stop_at_is_gone(assignment, submission, facts):
    submission.cells.append(new_code_cell("1", metadata={"nbgrader": facts}))
    restored = restore(submission, assignment)
    assert restored.cells[-1].metadata == {}
    nbformat.validate(restored)


def test_of_two_cells_with_one_name_the_last_keeps_it(assignment, submission):
    submission.cells.append(new_code_cell("def add(x): return 2", metadata=meta("add", locked=False, solution=True)))
    restored = restore(submission, assignment)
    assert names(restored).count("add") == 1
    assert cell(restored, "add").source == "def add(x): return 2"


def test_a_grade_cell_made_into_text_is_code_again(assignment, submission):
    place = names(submission).index("add-check")
    submission.cells[place] = new_markdown_cell("hello", metadata=meta("add-check"))
    restored = restore(submission, assignment)
    assert cell(restored, "add-check").cell_type == "code"
    assert names(restored) == names(assignment)


def test_a_raw_cell_becomes_text_that_is_only_shown(assignment, submission):
    submission.cells.append(new_raw_cell("<script>\n```\n</script>"))
    last = restore(submission, assignment).cells[-1]
    assert (last.cell_type, last.source) == ("markdown", "    <script>\n    ```\n    </script>")


def test_text_that_cannot_be_written_or_that_hides_its_order_is_replaced(assignment, submission):
    cell(submission, "add").source = "a = '\ud800' # \u202e\u2066"
    assert cell(restore(submission, assignment), "add").source == "a = '?' # \ufffd\ufffd"


def test_pictures_pasted_into_a_text_stay_and_other_attachments_go(assignment, submission):
    attachments = {"a.png": {"image/png": "AAAA"}, "b": {"text/html": "<script>"}, "c": 5, "d": {"image/png": ["x"]}}
    submission.cells.append(new_markdown_cell("![](attachment:a.png)"))
    submission.cells[-1].attachments = attachments
    assert restore(submission, assignment).cells[-1].attachments == {"a.png": {"image/png": "AAAA"}}


def test_metadata_of_the_notebook_is_the_assignments(assignment, submission):
    submission.metadata = {"widgets": {"application/vnd.jupyter.widget-state+json": {"state": "</script>"}}}
    assert restore(submission, assignment).metadata == assignment.metadata


def test_the_same_submission_gives_the_same_copy(assignment, submission):
    submission.cells.insert(1, new_code_cell("1"))
    assert restore(submission, assignment) == restore(submission, assignment)
