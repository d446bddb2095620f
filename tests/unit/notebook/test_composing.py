"""Solution files become a submission."""

import copy

import nbformat
import pytest

from torchgrade.notebook import NotebookError, compose, take_program

RIGHT = "def add(x):\n    return x.sum()"


def source_of(notebook, grade_id):
    return next(cell.source for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


def test_a_text_goes_into_the_exercises_solution_cell(assignment):
    assert source_of(compose(assignment, {"add": RIGHT + "\n"}), "add") == RIGHT


def test_an_exercise_that_is_not_named_keeps_its_stub(assignment):
    assert source_of(compose(assignment, {"add": RIGHT}), "scale") == assignment.exercise("scale").stub


def test_the_composed_notebook_is_valid_and_a_submission(assignment):
    notebook = compose(assignment, {"add": RIGHT, "scale": "def scale(x, by): ...\n# %%\n# more"})
    nbformat.validate(notebook)
    assert take_program(assignment, notebook).notes == ()


def test_the_assignment_stays_as_it_was(assignment):
    before = copy.deepcopy(assignment.notebook)
    compose(assignment, {"add": RIGHT})
    assert assignment.notebook == before


def test_an_exercise_that_is_not_there_is_refused_with_those_that_are(assignment):
    with pytest.raises(NotebookError, match=r"'subtract'.*add, scale"):
        compose(assignment, {"subtract": ""})


@pytest.mark.parametrize("name", ["imports", "add-check", "title"])
def test_a_cell_that_is_no_solution_cell_is_no_exercise(assignment, name):
    with pytest.raises(NotebookError):
        compose(assignment, {name: ""})


@pytest.mark.parametrize(
    "docstring",
    [
        '"""Right."""',
        "'''Right.\n\nAll of it.\n'''",
        "# A note.\n'Right.'",
        "r'Right.'",
        '"""a"""  # why',
        '"a" \\\n"b"',
    ],
)
def test_the_docstring_of_a_file_stays_out(assignment, docstring):
    text = source_of(compose(assignment, {"add": f"{docstring}\n\n\n{RIGHT}\n"}), "add")
    assert "Right." not in text
    assert text.endswith(RIGHT)


def test_the_docstring_stays_out_of_code_with_a_syntax_error_too(assignment):
    assert (
        source_of(compose(assignment, {"add": '"""Wrong."""\ndef add(x:\n    return x\n'}), "add") == "def add(x:\n    return x"
    )


@pytest.mark.parametrize("text", ["x = 'Right.'", "b'bytes'\nx = 1", "'text'.upper()\nx = 1", "f'{a}'\nx = 1", "'''never closed"])
def test_a_first_statement_that_is_no_docstring_stays(assignment, text):
    assert source_of(compose(assignment, {"add": text}), "add") == text


def test_lines_with_the_mark_split_a_text_into_cells(assignment):
    notebook = compose(assignment, {"add": "a = 1\n\n# %%\nb = 2\n\n# %%\n\nc = 3\n"})
    at = next(i for i, cell in enumerate(notebook.cells) if cell.source == "a = 1")
    assert [cell.source for cell in notebook.cells[at : at + 4]] == ["a = 1", "b = 2", "c = 3", 'check("add")']
    assert all("nbgrader" not in cell.metadata for cell in notebook.cells[at + 1 : at + 3])


def test_only_a_line_that_is_exactly_the_mark_splits(assignment):
    text = "a = 1\n# %% Title\n #  %%\nb = '# %%'\n    # %%"
    assert source_of(compose(assignment, {"add": text}), "add") == text


def test_a_text_that_opens_with_the_mark_has_no_empty_first_cell(assignment):
    notebook = compose(assignment, {"add": '"""Two cells."""\n# %%\na = 1\n# %%\nb = 2\n'})
    assert source_of(notebook, "add") == "a = 1"


def test_an_empty_text_gives_an_empty_solution_cell(assignment):
    assert source_of(compose(assignment, {"add": ""}), "add") == ""


def test_composing_twice_gives_the_same_notebook(assignment):
    texts = {"add": "a = 1\n# %%\nb = 2"}
    assert compose(assignment, texts) == compose(assignment, texts)
