"""What must not be handed out is found, and nothing else is."""

import copy
import json

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from tiny_course import ANSWERS, assignment_notebook

from torchgrade.gradebook.leaks import Answers


@pytest.fixture
def answers(tiny):
    return Answers(tiny.root / "solutions/sums", tiny.root / "graders/sums")


def with_cell(cell):
    notebook = copy.deepcopy(assignment_notebook())
    notebook.cells.append(cell)
    return notebook


def test_the_assignment_itself_gives_nothing_away(answers):
    assert answers.in_notebook(assignment_notebook()) == []


def test_an_answer_left_in_its_solution_cell_is_found(answers):
    notebook = assignment_notebook()
    notebook.cells[3].source = ANSWERS["add"]
    assert answers.in_notebook(notebook) == ["cell 4: code of solutions/sums/add/reference.py"]


def test_an_answer_is_found_in_another_layout(answers):
    source = "def mine(x):\n  # sum up\n  total = x.new_zeros( () )   # zero\n\n  return (total + x.sum(dim = -1))\n"
    assert answers.in_notebook(with_cell(new_code_cell(source)))


def test_an_answer_of_one_line_is_found(answers):
    assert answers.in_notebook(with_cell(new_code_cell("def f(x):\n    return torch.add(x, x, alpha=1)")))


def test_an_answer_in_a_text_is_found(answers):
    text = "Like this:\n\n```python\ndef add(x):\n    total = x.new_zeros(())\n    return total + x.sum(dim=-1)\n```\n"
    assert answers.in_notebook(with_cell(new_markdown_cell(text)))


def test_a_solution_delimiter_is_found(answers):
    assert answers.in_notebook(with_cell(new_code_cell("### BEGIN SOLUTION\n### END SOLUTION")))


def test_a_locked_cell_may_show_what_an_answer_says_too(answers):
    notebook = assignment_notebook()
    notebook.cells[1].source = ANSWERS["double"]
    assert answers.in_notebook(notebook) == []


def test_the_naive_form_may_be_shown(answers):
    assert answers.in_notebook(with_cell(new_code_cell("def naive(x):\n    return x.detach() + x.detach()"))) == []


@pytest.mark.parametrize("name", ["test_add.py", "sub/test_add.py"])
def test_a_hidden_graders_file_is_found(answers, name):
    assert answers.in_files({name: b"anything"}) == [f"{name}: a hidden grader's file"]


def test_a_copy_under_another_name_is_found(answers, tiny):
    copies = {
        "a.txt": (tiny.root / "graders/sums/test_add.py").read_bytes(),
        "b.txt": (tiny.root / "solutions/sums/double/chaffs/naive.py").read_bytes(),
    }
    assert [line.split(": a copy of")[0] for line in answers.in_files(copies)] == ["a.txt", "b.txt"]


def test_an_answer_in_a_public_check_or_in_a_second_notebook_is_found(answers):
    notebook = json.dumps({"cells": [{"source": ANSWERS["add"].splitlines(keepends=True)}]}).encode()
    found = answers.in_files({"public_add.py": ANSWERS["add"].encode(), "extra.ipynb": notebook, "data.csv": b"1,2\n"})
    assert [line.split(":")[0] for line in found] == ["extra.ipynb", "public_add.py"]
