"""Files that a student may leave where a notebook is expected, and how a notebook is written."""

import os

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from torchgrade.notebook import NotebookError, read_notebook, write_notebook
from torchgrade.notebook.files import read_bytes


def refusal(path, **limits):
    with pytest.raises(NotebookError) as caught:
        read_notebook(path, **limits)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def notebook():
    return new_notebook(cells=[new_code_cell("x = 'é'", id="one")])


def test_a_written_notebook_is_read_back(tmp_path, notebook):
    write_notebook(notebook, tmp_path / "a.ipynb")
    assert read_notebook(tmp_path / "a.ipynb").cells[0].source == "x = 'é'"


def test_a_missing_file_is_refused_and_what_lies_beside_it_is_named(tmp_path):
    (tmp_path / "Untitled.ipynb").touch()
    message = refusal(tmp_path / "a.ipynb")
    assert "no such file" in message
    assert "Untitled.ipynb" in message


def test_a_symbolic_link_is_refused(tmp_path, notebook):
    write_notebook(notebook, tmp_path / "real.ipynb")
    (tmp_path / "a.ipynb").symlink_to("real.ipynb")
    assert "symbolic link" in refusal(tmp_path / "a.ipynb")


def test_a_dangling_symbolic_link_is_refused(tmp_path):
    (tmp_path / "a.ipynb").symlink_to("nowhere")
    assert "symbolic link" in refusal(tmp_path / "a.ipynb")


def test_a_folder_is_refused(tmp_path):
    assert "needed" in refusal(tmp_path) or "expected" in refusal(tmp_path)


def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "a.ipynb")
    assert "a.ipynb is" in refusal(tmp_path / "a.ipynb")


def test_a_device_is_refused(tmp_path):
    assert "regular file" in refusal(type(tmp_path)("/dev/zero"))


def test_a_file_of_200_mb_is_refused_by_its_size_before_it_is_read(tmp_path):
    path = tmp_path / "a.ipynb"
    path.touch()
    os.truncate(path, 200_000_000)
    message = refusal(path)
    assert "200" in message
    assert "20 MB" in message


def test_a_file_of_exactly_the_limit_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 10)
    assert read_bytes(tmp_path / "a", 10) == b"x" * 10


def test_a_file_that_grows_while_it_is_looked_at_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"x" * 5)
    looked = os.fstat

    def grow(descriptor):
        facts = looked(descriptor)
        path.write_bytes(b"x" * 50)
        return facts

    monkeypatch.setattr(os, "fstat", grow)
    with pytest.raises(NotebookError):
        read_bytes(path, 10)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path):
    path = tmp_path / "a.ipynb"
    path.touch(mode=0)
    assert "Permission denied" in refusal(path)


def test_a_file_name_with_control_characters_does_not_reach_the_message_as_it_is(tmp_path):
    assert "\x1b" not in refusal(tmp_path / "a\x1b[31m.ipynb")


def test_a_notebook_that_cannot_be_written_leaves_the_old_one_and_nothing_else(tmp_path, notebook, monkeypatch):
    path = tmp_path / "a.ipynb"
    path.write_text("old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotebookError, match="No space left"):
        write_notebook(notebook, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_notebook_for_a_folder_that_is_not_there_is_refused_in_one_line(tmp_path, notebook):
    with pytest.raises(NotebookError, match="cannot write"):
        write_notebook(notebook, tmp_path / "no" / "a.ipynb")


def test_a_written_notebook_is_valid_and_ends_with_a_newline(tmp_path, notebook):
    write_notebook(notebook, tmp_path / "a.ipynb")
    text = (tmp_path / "a.ipynb").read_text(encoding="utf-8")
    assert text.endswith("}\n")
    nbformat.validate(nbformat.reads(text, as_version=4))
