"""What a feedback page says of a submission beside its marks."""

import dataclasses
from types import SimpleNamespace

import nbformat
import pytest
from made_records import record

from torchgrade.gradebook.feedback_pages import _cells
from torchgrade.record import Digests, digest


@pytest.fixture
def handed_in(tmp_path):
    """A course, and the bytes that were handed in: a notebook of one cell."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")])
    path = tmp_path / "submitted" / "one.ipynb"
    path.parent.mkdir()
    nbformat.write(book, path)
    course = SimpleNamespace(submission=lambda *_: path, submitted=path.parent, limits=SimpleNamespace(notebook_bytes=10_000))
    return course, path


def graded(data):
    return dataclasses.replace(record(), digests=Digests(digest(data), "g", "e", "s"))


def test_cells_have_the_names_of_the_notebook_that_was_graded(handed_in):
    course, path = handed_in

    assert _cells(course, graded(path.read_bytes())) == {1: "the cell that begins with <code>x = 1</code>"}


def test_cells_keep_their_numbers_where_another_notebook_was_handed_in_since_or_none_is_left(handed_in):
    course, path = handed_in
    of_before = graded(path.read_bytes() + b" ")

    assert _cells(course, of_before) == {}
    path.unlink()
    assert _cells(course, of_before) == {}
