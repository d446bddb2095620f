"""`check()` under nbgrader's Validate: it has to call a cell failed whose public checks fail, and no other."""

import logging

import nbformat
import pytest
from made_folder import SOFTMAX, write_folder
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.validator import Validator

from torchgrade.student.checker import tell_validation

WARNS = "import warnings\n\ndef softmax(logits, dim=-1):\n    warnings.warn('slow')\n    return torch.softmax(logits, dim)\n"
# The grade cell, by what is to be seen, with the solution that stands above it.
CELLS = {
    'check("softmax")  # right': SOFTMAX,
    'check("softmax")  # wrong': "def softmax(logits, dim=-1):\n    return logits\n",
    'check("softmax")  # warns': WARNS,
    'check("softmaxx")': SOFTMAX,
}


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    """What nbgrader's Validate says of each grade cell that it calls failed."""
    folder = tmp_path_factory.mktemp("validated")
    write_folder(folder)
    cells = [new_code_cell("from torchgrade import check")]
    for number, (call, solution) in enumerate(CELLS.items()):
        grade = {
            "grade": True, "grade_id": f"cell-{number}", "locked": False, "points": 4, "schema_version": 3,
            "solution": False, "task": False, "cell_type": "code",
        }  # fmt: skip
        cells += [new_code_cell(solution), new_code_cell(call, metadata={"nbgrader": grade})]
    notebook = new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "a.ipynb")
    validator = Validator(log=logging.getLogger("validated"))
    return {cell["source"]: cell["raw_error"] for cell in validator.validate(str(folder / "a.ipynb"))["failed"]}


def test_a_wrong_answer_does_not_validate_and_the_text_says_why(failed):
    text = failed['check("softmax")  # wrong']

    assert "✗ 0 / 1  Probabilities sum to 1" in text
    assert "12 of 12 elements are wrong" in text
    assert "Hint: Divide by the sum." in text


def test_a_long_line_is_folded_below_itself(monkeypatch, capsys):
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    tell_validation("softmax: 0 / 1 points\n    Hint: " + "word " * 30)

    first, hint, rest = capsys.readouterr().err.splitlines()
    assert first == "softmax: 0 / 1 points"
    assert hint.startswith("    Hint: word")
    assert len(hint) <= 100
    assert rest.startswith("    word word")


def test_outside_validate_nothing_is_told(capsys):
    tell_validation("softmax: 0 / 1 points")

    assert capsys.readouterr().err == ""


def test_an_answer_that_passes_the_public_checks_validates(failed):
    assert 'check("softmax")  # right' not in failed


def test_a_warning_of_the_students_function_is_no_failure(failed):
    assert 'check("softmax")  # warns' not in failed


def test_an_exercise_without_checks_does_not_validate(failed):
    assert "There are no checks for 'softmaxx'; there are some for softmax." in failed['check("softmaxx")']
