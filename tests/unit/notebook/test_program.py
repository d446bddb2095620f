"""Which cells of a submission run, in which order, and what is said about what had been done to the others."""

import copy
import json

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell
from sums_assignment import STUBS, assignment_cells, grade_cell, meta, solution_cell, write_assignment

from torchgrade.notebook import NotebookError, load_assignment, take_program

ORDER = ["imports", "add", "helper", "scale"]


def names(program):
    return [cell.grade_id for cell in program.cells]


def locked(program):
    return {cell.grade_id: cell.source for cell in program.cells if cell.locked}


def test_a_faithful_submission_runs_in_order_without_a_note(hand_in, cells):
    program = hand_in(cells.values())
    assert names(program) == ORDER
    assert program.notes == ()


def test_cells_are_numbered_as_in_the_submitted_notebook(hand_in, cells):
    program = hand_in([new_markdown_cell("hello"), *cells.values()])
    assert [cell.number for cell in program.cells] == [3, 4, 6, 7]


def test_grade_cells_never_run(hand_in, cells):
    assert not any("check(" in cell.source for cell in hand_in(cells.values()).cells)


def test_a_students_own_cell_runs_where_it_stands(hand_in, cells):
    own = new_code_cell("mine = 1")
    *before, last = cells.values()
    program = hand_in([*before, own, last])
    assert names(program) == [*ORDER, None]
    assert program.cells[-1].source == "mine = 1"


def test_an_edited_locked_cell_is_replaced_by_the_original(hand_in, cells):
    cells["imports"].source = "import os; os._exit(0)"
    program = hand_in(cells.values())
    assert locked(program)["imports"] == "import torch"
    assert "The locked cell 'imports' had been changed; the original was used." in program.notes


def test_white_space_at_the_end_of_a_line_is_no_edit(hand_in, cells):
    cells["helper"].source = "def helper():  \n    return add\n\n"
    assert hand_in(cells.values()).notes == ()


def test_a_deleted_locked_cell_runs_in_its_place_with_number_0(hand_in, cells):
    del cells["helper"]
    program = hand_in(cells.values())
    assert names(program) == ORDER
    assert program.cells[2].number == 0
    assert any("'helper'" in note for note in program.notes)


def test_a_duplicated_locked_cell_runs_once(hand_in, cells):
    again = copy.deepcopy(cells["imports"])
    program = hand_in([*cells.values(), again])
    assert names(program) == ORDER
    assert any("'imports'" in note for note in program.notes)


def test_a_second_copy_of_a_locked_cell_that_was_edited_does_not_run(hand_in, cells):
    again = copy.deepcopy(cells["imports"])
    again.source = "torch = None"
    assert "torch = None" not in [cell.source for cell in hand_in([*cells.values(), again]).cells]


def test_a_locked_cell_that_was_moved_behind_a_solution_still_runs_before_it(hand_in, cells):
    imports = cells.pop("imports")
    program = hand_in([*cells.values(), imports])
    assert names(program) == ORDER
    assert any("'imports' had been moved" in note for note in program.notes)


def test_one_moved_cell_is_the_only_one_that_is_said_to_be_moved(hand_in, cells):
    helper = cells.pop("helper")
    program = hand_in([helper, *cells.values()])
    assert [note for note in program.notes if "moved" in note] == [
        "The locked cell 'helper' had been moved; the original was used."
    ]


def test_locked_cells_keep_the_assignments_order_among_themselves(hand_in, cells):
    helper = cells.pop("helper")
    assert names(hand_in([helper, *cells.values()]))[:2] == ["imports", "helper"]


def test_solutions_in_another_order_each_have_the_locked_cells_before_them(hand_in, cells):
    scale = cells.pop("scale")
    assert names(hand_in([cells.pop("title"), scale, *cells.values()])) == ["imports", "helper", "scale", "add"]


@pytest.mark.parametrize("make", [new_markdown_cell, new_raw_cell])
def test_a_locked_code_cell_turned_into_another_kind_still_runs(hand_in, cells, make):
    cells["imports"] = make(cells["imports"].source, metadata=cells["imports"].metadata)
    program = hand_in(cells.values())
    assert locked(program)["imports"] == "import torch"
    assert any("'imports' had been changed" in note for note in program.notes)


def test_a_locked_text_cell_turned_into_code_does_not_run(hand_in, cells):
    cells["title"] = new_code_cell("import os; os._exit(0)", metadata=cells["title"].metadata)
    assert names(hand_in(cells.values())) == ORDER


def test_a_changed_grade_cell_is_noted_and_does_not_run(hand_in, cells):
    cells["add-check"].source = "print('full marks')"
    program = hand_in(cells.values())
    assert names(program) == ORDER
    assert any("'add-check' had been changed" in note for note in program.notes)


def test_points_in_a_submitted_grade_cell_change_nothing(assignment, hand_in, cells):
    cells["add-check"].metadata.nbgrader["points"] = 1000
    hand_in(cells.values())
    assert assignment.exercise("add").points == 4


def test_a_deleted_grade_cell_is_noted(hand_in, cells):
    del cells["add-check"]
    assert any("add" in note for note in hand_in(cells.values()).notes)


def test_a_duplicated_grade_cell_is_noted(hand_in, cells):
    assert any("'add-check'" in note for note in hand_in([*cells.values(), grade_cell("add", 4)]).notes)


def test_a_grade_cell_turned_into_text_is_noted(hand_in, cells):
    cells["add-check"] = new_markdown_cell(cells["add-check"].source, metadata=cells["add-check"].metadata)
    assert any("'add-check' had been changed" in note for note in hand_in(cells.values()).notes)


def test_flags_that_a_student_changed_do_not_change_what_a_cell_is(hand_in, cells):
    cells["imports"].metadata.nbgrader.update(locked=False, solution=True)
    cells["imports"].source = "torch = None"
    cells["add"].metadata.nbgrader.update(locked=True, solution=False, grade=True, points=9)
    program = hand_in(cells.values())
    assert names(program) == ORDER
    assert locked(program)["imports"] == "import torch"


@pytest.mark.parametrize(
    "facts", [3, [], "add", None, {"grade_id": 3}, {"grade_id": ["add"]}, {"grade_id": ""}, {"grade_id": "new"}]
)
def test_a_cell_with_metadata_that_say_nothing_is_the_students_own(hand_in, cells, facts):
    own = new_code_cell("mine = 1", metadata={"nbgrader": facts})
    program = hand_in([*cells.values(), own])
    assert program.cells[-1].source == "mine = 1"
    assert program.cells[-1].grade_id is None


def test_two_solution_cells_of_an_exercise_both_run_in_order(hand_in, cells):
    later = solution_cell("add", "def add(x):\n    return 2")
    program = hand_in([*cells.values(), later])
    assert [cell.source for cell in program.cells if cell.grade_id == "add"] == [cells["add"].source, later.source]
    assert any("2 cells are marked as the solution of 'add'" in note for note in program.notes)


def test_a_missing_solution_cell_is_noted(hand_in, cells):
    del cells["add"]
    program = hand_in(cells.values())
    assert names(program) == ["imports", "helper", "scale"]
    assert any("The solution cell of 'add' is missing" in note for note in program.notes)


@pytest.mark.parametrize("make", [new_markdown_cell, new_raw_cell])
def test_a_solution_cell_that_is_no_code_cell_is_noted_and_not_run(hand_in, cells, make):
    cells["add"] = make(cells["add"].source, metadata=cells["add"].metadata)
    program = hand_in(cells.values())
    assert "add" not in names(program)
    assert [note for note in program.notes if "'add'" in note] == [
        f"The solution cell of 'add' is a {cells['add'].cell_type} cell, so its code was not run."
    ]


def test_a_stub_left_as_it_was_is_noted_and_run(hand_in, cells):
    cells["add"].source = STUBS["add"] + "\n\n"
    program = hand_in(cells.values())
    assert program.notes == ("'add' has not been changed since it was handed out.",)
    assert names(program) == ORDER


def test_a_stub_beside_a_solution_is_not_called_untouched(hand_in, cells):
    program = hand_in([solution_cell("add", STUBS["add"]), *cells.values()])
    assert not any("handed out" in note for note in program.notes)


def test_a_notebook_without_any_solution_cell_is_refused(hand_in, cells):
    with pytest.raises(NotebookError, match=r"'sums'.*add"):
        hand_in([cells["title"], cells["imports"], new_code_cell("def add(x): ...")])


def test_a_notebook_of_another_assignment_is_refused_with_its_name(course, hand_in):
    other = [solution_cell("multiply", "def multiply(): ..."), grade_cell("multiply", 1)]
    write_assignment(course, other, "products")
    with pytest.raises(NotebookError, match="'products'"):
        hand_in(other)


def test_a_broken_assignment_beside_it_does_not_hide_the_refusal(course, hand_in):
    write_assignment(course, [new_markdown_cell("")], "broken")
    with pytest.raises(NotebookError, match="'sums'"):
        hand_in([new_code_cell("x = 1")])


def test_a_notebook_whose_only_solution_cell_became_text_is_still_one_of_the_assignment(hand_in, cells):
    text = new_markdown_cell("def add(x): ...", metadata=cells["add"].metadata)
    assert names(hand_in([text])) == ["imports", "helper"]


def test_a_demonstration_runs_only_when_a_student_changed_it(course):
    demo = new_code_cell("print(1)", id="demo", metadata={"tags": ["demo"]})
    write_assignment(course, [*assignment_cells(), demo])
    assignment = load_assignment(course / "assignments", "sums")
    submission = copy.deepcopy(assignment.notebook)
    assert names(take_program(assignment, submission)) == ORDER
    submission.cells[-1].source = "changed = 1"
    assert names(take_program(assignment, submission)) == [*ORDER, None]


def test_the_program_on_the_wire_is_plain_json(hand_in, cells):
    wire = hand_in(cells.values()).to_wire()
    assert json.loads(json.dumps(wire)) == wire
    assert wire[0] == {"number": 2, "grade_id": "imports", "locked": True, "source": "import torch", "python": "import torch"}


def test_taking_the_program_leaves_assignment_and_submission_as_they_were(assignment, cells):
    submission = new_notebook(cells=list(cells.values()))
    before = copy.deepcopy((assignment.notebook, submission))
    take_program(assignment, submission)
    assert (assignment.notebook, submission) == before


def test_notes_are_single_printable_lines_and_bounded_in_number(hand_in, cells):
    own = new_code_cell("".join(f"!echo {i} \x1b[31m\u202e\n" for i in range(100)), metadata=meta("\x1b[31m"))
    program = hand_in([*cells.values(), own])
    assert len(program.notes) < 50
    assert all(note.isprintable() and len(note) < 300 for note in program.notes)
    assert "80 more" in program.notes[-1]


def test_among_exercises_test_cells_neither_run_nor_are_remarked_upon(course):
    test = new_code_cell("assert add(1) == 1\n### BEGIN HIDDEN TESTS", id="t", metadata=meta("t", grade=True, points=1))
    write_assignment(course, [*assignment_cells(), test])
    assignment = load_assignment(course / "assignments", "sums", tests_in_cells=True)
    submission = copy.deepcopy(assignment.notebook)
    submission.cells[-1].source = "assert add(1) == 1"
    program = take_program(assignment, submission)
    assert names(program) == ORDER
    assert not any("'t'" in note for note in program.notes)


def test_among_tests_any_solution_cell_says_that_it_is_a_notebook_of_the_assignment(course):
    solution = new_code_cell("mean = 1", id="mean", metadata=meta("mean", solution=True, locked=False))
    write_assignment(course, [*assignment_cells(), solution])
    assignment = load_assignment(course / "assignments", "sums", tests_in_cells=True)
    submission = copy.deepcopy(assignment.notebook)
    submission.cells = submission.cells[-1:]
    assert "mean" in names(take_program(assignment, submission))
