"""An assignment's exercises, and what is wrong with an assignment's notebook."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from sums_assignment import ASSIGNMENT, STUBS, assignment_cells, grade_cell, meta, solution_cell, write_assignment

from torchgrade.notebook import NotebookError, list_assignments, load_assignment
from torchgrade.notebook.cells import exercise_among_tests


def refusal(course, name=ASSIGNMENT):
    with pytest.raises(NotebookError) as caught:
        load_assignment(course / "assignments", name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_exercises_come_in_the_order_of_the_notebook_with_their_points(assignment):
    assert [(exercise.name, exercise.points) for exercise in assignment.exercises] == [("add", 4.0), ("scale", 2.5)]


def test_an_exercise_has_the_source_of_its_cell_as_stub(assignment):
    assert assignment.exercise("add").stub == STUBS["add"]


def test_an_exercise_names_what_its_stub_defines(assignment):
    assert assignment.exercise("scale").names == ("scale", "Scaler")


def test_an_exercise_says_what_its_functions_return(assignment):
    assert dict(assignment.exercise("scale").returns) == {"scale": "list[Tensor]"}


def test_an_assignment_keeps_the_bytes_of_its_file(course, assignment):
    assert assignment.source == (course / "assignments/sums/sums.ipynb").read_bytes()


def test_an_exercise_that_is_not_there_is_refused_with_those_that_are(assignment):
    with pytest.raises(NotebookError, match=r"'subtract'.*add, scale"):
        assignment.exercise("subtract")


def test_assignments_are_listed_by_name(course):
    write_assignment(course, assignment_cells(), "again")
    (course / "assignments" / "empty").mkdir()
    assert list_assignments(course / "assignments") == ["again", "sums"]


def test_a_folder_without_assignments_has_none(tmp_path):
    assert list_assignments(tmp_path / "assignments") == []


@pytest.mark.parametrize("name", ["products", "", "..", "../assignments/sums", "sums/../sums", "/etc", "a\x1bb", "sums\n"])
def test_an_assignment_that_is_not_there_is_refused_with_those_that_are(course, name):
    assert "there are: sums" in refusal(course, name)


def test_a_notebook_without_a_solution_cell_is_refused(course):
    write_assignment(course, [new_markdown_cell("# Nothing")])
    assert "no exercise" in refusal(course)


def test_a_grade_cell_without_its_solution_cell_is_refused(course):
    write_assignment(course, [*assignment_cells(), grade_cell("other", 1)])
    assert "'other-check'" in refusal(course)


def test_a_grade_cell_before_its_solution_cell_is_refused(course):
    write_assignment(course, [grade_cell("add", 1), solution_cell("add", "def add(): ...")])
    assert "'add-check'" in refusal(course)


def test_a_grade_cell_that_is_not_named_after_an_exercise_is_refused(course):
    stray = new_code_cell("", id="stray", metadata=meta("stray", grade=True, points=1))
    write_assignment(course, [*assignment_cells(), stray])
    assert "'stray'" in refusal(course)


def test_a_solution_cell_without_a_grade_cell_is_refused(course):
    write_assignment(course, [*assignment_cells(), solution_cell("other", "def other(): ...")])
    assert "'other-check'" in refusal(course)


def test_a_name_that_two_cells_have_is_refused(course):
    again = new_markdown_cell("", id="again", metadata=meta("imports"))
    write_assignment(course, [*assignment_cells(), again])
    assert "two cells have the grade_id 'imports'" in refusal(course)


def test_a_locked_cell_without_a_name_is_refused(course):
    nameless = new_code_cell("import os", id="nameless", metadata=meta(""))
    write_assignment(course, [*assignment_cells(), nameless])
    assert "no grade_id" in refusal(course)


@pytest.mark.parametrize("points", [-1, float("nan"), float("inf"), "3", True, None, [1]])
def test_points_that_are_no_number_or_negative_are_refused(course, points):
    write_assignment(course, [solution_cell("add", STUBS["add"]), grade_cell("add", points)])
    assert "'add-check'" in refusal(course)


def test_no_points_are_points(course):
    write_assignment(course, [solution_cell("add", STUBS["add"]), grade_cell("add", 0)])
    assert load_assignment(course / "assignments", ASSIGNMENT).exercise("add").points == 0


@pytest.mark.parametrize("name", ["a b", "../add", "1st"])
def test_an_exercise_whose_name_is_no_python_name_is_refused(course, name):
    cells = [solution_cell("one", STUBS["add"]), grade_cell("two", 1)]
    cells[0].metadata.nbgrader["grade_id"], cells[1].metadata.nbgrader["grade_id"] = name, f"{name}-check"
    write_assignment(course, cells)
    assert repr(name) in refusal(course)


def test_a_stub_that_is_not_python_is_refused(course):
    write_assignment(course, [solution_cell("add", "def add(:"), grade_cell("add", 1)])
    assert "the stub of 'add' is not Python" in refusal(course)


def test_an_assignment_that_is_no_notebook_is_refused_with_its_path(course):
    (course / "assignments/sums/sums.ipynb").write_text("{")
    assert "assignments/sums/sums.ipynb" in refusal(course)


def _classic(grade_id, source="assert add(1) == 1", **flags):
    return new_code_cell(source, id=grade_id, metadata=meta(grade_id, **{"grade": True, "points": 1, **flags}))


def test_where_tests_stand_in_cells_only_what_calls_check_belongs_to_an_exercise(course):
    solution = _classic("mean", "mean = 1", grade=False, solution=True, locked=False)
    cells = [*assignment_cells(), solution, _classic("mean-test"), _classic("mean-check")]
    write_assignment(course, cells)
    assignment = load_assignment(course / "assignments", ASSIGNMENT, tests_in_cells=True)
    assert [exercise.name for exercise in assignment.exercises] == ["add", "scale"]


def test_where_tests_stand_in_cells_there_may_be_no_exercise(course):
    write_assignment(course, [_classic("mean-test")])
    assert load_assignment(course / "assignments", ASSIGNMENT, tests_in_cells=True).exercises == ()


def test_where_tests_stand_in_cells_an_exercise_still_needs_its_solution_cell(course):
    write_assignment(course, [*assignment_cells(), grade_cell("other", 1)])
    with pytest.raises(NotebookError, match="'other-check' must be named"):
        load_assignment(course / "assignments", ASSIGNMENT, tests_in_cells=True)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("check('add')", "add"),
        ('import torchgrade\ntorchgrade.check( "add" )', "add"),
        ("check('scale')", None),
        ("recheck('add')", None),
        ("assert add(1) == 1", None),
    ],
)
def test_a_cell_belongs_to_the_exercise_that_it_is_named_after_and_checks(source, found):
    assert exercise_among_tests(_classic("add-check", source)) == found
    assert exercise_among_tests(_classic("add-check", source, solution=True)) is None
