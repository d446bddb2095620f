"""A record as outputs of grade cells, and the points that must agree."""

import dataclasses
import math

import pytest
from nbformat.v4 import new_output
from nbgrader.utils import determine_grade
from tiny_course import assignment_notebook, exercise

from torchgrade.course import CHECKS_COURSE
from torchgrade.gradebook.handout import checks_json, differing_points
from torchgrade.gradebook.nbgrader_course import GradebookError, HandedOn
from torchgrade.gradebook.preprocessor import OURS, GradeWithTorchgrade, exercise_of, score, stamp
from torchgrade.record import Outcome

RESOURCES = {"nbgrader": {"assignment": "sums", "student": "alice", "notebook": "sums"}}


@pytest.fixture
def grade():
    """Run the step on a notebook, with a record that a converter hands on."""

    def run(record, notebook):
        return GradeWithTorchgrade().preprocess(notebook, HandedOn(record).put_into({**RESOURCES}))[0]

    return run


def graded_cells(notebook):
    return {name: cell for cell in notebook.cells if (name := exercise_of(cell))}


def test_nbgrader_reads_the_records_points_from_each_grade_cell(tiny, grade):
    cells = graded_cells(grade(tiny.grade("alice", 3, 1.5), assignment_notebook()))
    assert {name: determine_grade(cell) for name, cell in cells.items()} == {"add": (3.0, 4.0), "double": (1.5, 6.0)}


def test_zero_points_are_zero_and_not_full_marks(tiny, grade):
    cells = graded_cells(grade(tiny.grade("alice", 0, 0), assignment_notebook()))
    assert [determine_grade(cell)[0] for cell in cells.values()] == [0.0, 0.0]


def test_the_number_comes_first_and_the_table_after_it(tiny, grade):
    outputs = graded_cells(grade(tiny.grade("alice", 3, 1), assignment_notebook()))["add"].outputs
    assert [o.output_type for o in outputs] == ["execute_result", "display_data"]
    assert outputs[0].data == {"text/plain": "3.0"}
    assert "Values are right" in outputs[1].data["text/html"]
    assert "Values are right" in outputs[1].data["text/plain"]


def test_only_what_torchgrade_made_says_so(tiny, grade):
    notebook = assignment_notebook()
    forged = new_output("display_data", {"text/html": "<script>"}, metadata={OURS: {"table": True}, "isolated": True})
    notebook.cells[1].outputs = [forged]
    graded = grade(tiny.grade("alice", 3, 1), notebook)
    assert forged.metadata == {"isolated": True}
    ours = [OURS in output.metadata for cell in graded.cells for output in cell.get("outputs", ())]
    assert ours == [True, False, True, True, True, True]


def test_a_summary_that_is_no_cell_of_nbgraders_stands_at_the_top(tiny, grade):
    first = grade(tiny.grade("alice", 3, 1), assignment_notebook()).cells[0]
    assert "nbgrader" not in first.metadata
    assert "text/html" in first.outputs[0].data


@pytest.mark.parametrize(("points", "expected"), [(-1.0, 0.0), (4.5, 4.0), (2.25, 2.25), (3, 3.0)])
def test_a_score_is_clamped_to_the_cells_points(points, expected):
    got = score(exercise("add", points), 4.0)
    assert (got, repr(got)) == (expected, repr(float(expected)))


@pytest.mark.parametrize("points", [math.nan, math.inf])
def test_points_that_are_not_a_number_are_an_error(points):
    with pytest.raises(GradebookError, match="not a number"):
        score(exercise("add", points), 4.0)


def test_a_record_with_other_points_than_the_cell_is_an_error():
    with pytest.raises(GradebookError, match=r"'add' was graded for 4 points, but its cell in the gradebook has 5"):
        score(exercise("add", 1), 5.0)


def test_a_grade_cell_that_the_record_does_not_know_is_an_error(tiny, grade):
    record = tiny.grade("alice", 1, 1)
    record = dataclasses.replace(record, exercises=record.exercises[:1])
    with pytest.raises(GradebookError, match="'double-check' has no checks"):
        grade(record, assignment_notebook())


def test_an_exercise_without_a_grade_cell_is_an_error(tiny, grade):
    notebook = assignment_notebook()
    notebook.cells.pop()
    with pytest.raises(GradebookError, match="no grade cell for double"):
        grade(tiny.grade("alice", 1, 1), notebook)


def test_a_submission_that_could_not_be_read_is_an_error_and_not_a_zero(tiny, grade):
    record = tiny.grade("alice", 0, 0, readable=False, problems=("sums.ipynb is empty",))
    with pytest.raises(GradebookError, match=r"alice's submission cannot be read: sums\.ipynb is empty"):
        grade(record, assignment_notebook())


def test_cells_that_a_person_grades_are_left_alone(tiny, grade):
    notebook = assignment_notebook()
    notebook.cells[4].metadata.nbgrader.update(solution=True, locked=False, grade_id="essay")
    with pytest.raises(GradebookError, match="no grade cell for add"):
        grade(tiny.grade("alice", 1, 1), notebook)
    assert notebook.cells[4].outputs == []


def test_an_open_exercise_says_so(tiny, grade):
    cells = graded_cells(grade(tiny.grade("alice", 3, 2, outcome=Outcome.DEFERRED), assignment_notebook()))
    assert {name: cell.outputs[0].metadata["torchgrade"]["open"] for name, cell in cells.items()} == {
        "add": False,
        "double": True,
    }


def test_two_records_have_two_stamps(tiny):
    assert stamp(tiny.grade("alice", 1, 1)) != stamp(tiny.grade("alice", 1, 2))


def test_points_that_differ_are_named_for_every_exercise():
    wrong = differing_points(assignment_notebook(), {"add": 5.0, "extra": 1.0}, "sums", CHECKS_COURSE)
    assert wrong == [
        "the grade cell of 'add' has 4 points, its checks add up to 5",
        "'double' has a grade cell of 6 points, but no checks in graders/sums",
        "graders/sums has checks for 'extra', but the notebook has no grade cell 'extra-check'",
    ]


def test_checks_json_counts_hidden_checks_by_kind():
    text = checks_json("sums", {"add": 4.0, "half": 0.5}, {"add": {"values": 2, "dtype": 1}})
    assert text.decode() == (
        '{\n "assignment": "sums",\n "exercises": {\n  "add": {\n   "points": 4,\n   "hidden": {\n    "dtype": 1,\n'
        '    "values": 2\n   }\n  },\n  "half": {\n   "points": 0.5,\n   "hidden": {}\n  }\n }\n}\n'
    )
