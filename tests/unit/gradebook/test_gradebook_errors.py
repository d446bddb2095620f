"""One gradebook for many steps, and its troubles as one line."""

import contextlib
import shutil
import sqlite3

import pytest
from sqlalchemy.exc import DatabaseError, OperationalError

from torchgrade.gradebook import GradebookError
from torchgrade.gradebook.nbgrader_course import explain, own_programs_on_path, without_password
from torchgrade.gradebook.store import one_gradebook

SERVER = "postgresql+psycopg://ann:s3cret@example.org/course"


def test_alembic_is_found_where_the_path_lacks_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with own_programs_on_path():
        assert shutil.which("alembic")
    assert not shutil.which("alembic")


def test_the_path_stays_unset_afterwards(monkeypatch):
    monkeypatch.delenv("PATH")
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with own_programs_on_path():
        pass
    with pytest.raises(KeyError):
        monkeypatch.delenv("PATH")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OperationalError("SQL", {}, sqlite3.OperationalError("database is locked")), "is locked: another program"),
        (OperationalError("SQL", {}, sqlite3.OperationalError("attempt to write a readonly database")), "(read-only)"),
        (OperationalError("SQL", {}, sqlite3.OperationalError("no such column: grade.x")), "nbgrader db upgrade"),
        (DatabaseError("SQL", {}, sqlite3.DatabaseError("file is not a database")), "file is not a database"),
        (ValueError("first\nsecond  line"), "first second line"),
        (ValueError(), "ValueError"),
        (ValueError("x" * 10_000), "x" * 500),
    ],
)
def test_an_error_becomes_one_line(error, line, tmp_path):
    (tmp_path / "gradebook.db").touch()
    text = explain(error, f"sqlite:///{tmp_path}/gradebook.db")
    assert line in text
    assert "\n" not in text
    assert "SQL" not in text
    assert len(text) < 600


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (KeyError("grade_id"), "KeyError: 'grade_id'"),
        (AttributeError("no attribute 'fail'"), "AttributeError: no attribute 'fail'"),
        (ValueError("two\n lines"), "two lines"),
        (ValueError(), "ValueError"),
    ],
)
def test_an_error_whose_text_says_nothing_alone_is_named(error, line):
    assert explain(error, SERVER) == line


class ServerError(Exception):
    """psycopg's, with the server's own name for the error."""

    def __init__(self, text, sqlstate):
        super().__init__(text)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ServerError("connection failed: Connection refused", None), "does not answer (connection failed: Connection refused)"),
        (ServerError("terminating connection due to administrator command", "57P01"), "does not answer"),
        (ServerError("canceling statement due to lock timeout", "55P03"), "is locked: another program"),
        (ServerError("deadlock detected", "40P01"), "is locked: another program"),
        (ServerError("permission denied for table grade", "42501"), "cannot be used: permission denied"),
        (ServerError(f"cannot use {SERVER}", "42501"), "cannot be used: cannot use postgresql+psycopg://ann:***@"),
    ],
)
def test_an_error_of_a_server_is_one_line_without_the_password(error, line):
    text = explain(OperationalError("SQL", {}, error), SERVER)
    assert line in text
    assert "s3cret" not in text


def test_a_gradebook_whose_file_is_gone_is_not_called_read_only(tmp_path):
    error = OperationalError("SQL", {}, sqlite3.OperationalError("attempt to write a readonly database"))
    assert "is gone: its file was moved or deleted" in explain(error, f"sqlite:///{tmp_path}/gradebook.db")


@pytest.mark.parametrize(
    ("address", "printed"),
    [
        ("sqlite:////home/ann/gradebook.db", "sqlite:////home/ann/gradebook.db"),
        (SERVER, "postgresql+psycopg://ann:***@example.org/course"),
        ("postgresql+psycopg://example.org/course?password=s3cret", "postgresql+psycopg://example.org/course?password=***"),
        ("postgresql://ann:s3cret@example.org:no-port/course", "postgresql://***@example.org:no-port/course"),
    ],
)
def test_an_address_is_printed_without_its_password(address, printed):
    assert without_password(address) == printed


def test_a_driver_that_is_missing_is_one_line_that_says_what_to_install():
    with (
        pytest.raises(GradebookError, match=r"ann:\*\*\*@.* pip install 'torchgrade\[postgresql\]'"),
        one_gradebook("postgresql+pg8000://ann:s3cret@example.org/course", "tiny"),
    ):
        pass


def test_metadata_that_nbgraders_schema_refuses_is_refused_in_the_same_words(tmp_path):
    import jsonschema
    from nbformat.v4 import new_code_cell
    from nbgrader.nbgraderformat import MetadataValidator

    facts = {"grade": "yes", "locked": True, "solution": False, "task": False, "schema_version": 3, "grade_id": "x"}
    cell = new_code_cell(metadata={"nbgrader": facts})
    said = []
    for book in (contextlib.nullcontext(), one_gradebook(f"sqlite:///{tmp_path}/gradebook.db", "tiny")):
        with book, pytest.raises(jsonschema.ValidationError) as caught:
            MetadataValidator().validate_cell(cell)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_what_is_written_in_one_block_comes_whole_or_not_at_all(tmp_path):
    url = f"sqlite:///{tmp_path}/gradebook.db"
    with one_gradebook(url, "tiny") as book:
        with book.whole():
            book.add_student("alice")
        with pytest.raises(ZeroDivisionError), book.whole():
            book.add_student("bob")
            assert [student.id for student in book.students] == ["alice", "bob"]
            raise ZeroDivisionError
    with one_gradebook(url, "tiny") as book:
        assert [student.id for student in book.students] == ["alice"]


def test_nbgraders_steps_get_the_open_gradebook_inside_the_block_only(tmp_path):
    from nbgrader.api import Gradebook
    from nbgrader.preprocessors import saveautogrades

    with one_gradebook(f"sqlite:///{tmp_path}/gradebook.db", "tiny") as book:
        with saveautogrades.Gradebook("sqlite:///elsewhere.db") as opened:
            assert opened is book
        assert book.students == []  # still open
    assert saveautogrades.Gradebook is Gradebook


def test_a_step_sees_the_sums_of_what_the_step_before_it_wrote(tmp_path):
    with one_gradebook(f"sqlite:///{tmp_path}/gradebook.db", "tiny") as book, book.whole():
        book.add_assignment("sums")
        book.add_notebook("sums", "sums")
        book.add_grade_cell("add-check", "sums", "sums", max_score=4, cell_type="code")
        book.add_student("alice")
        book.add_submission("sums", "alice")
        notebook = book.find_submission_notebook("sums", "sums", "alice")
        assert notebook.score == 0
        book.find_grade("add-check", "sums", "sums", "alice").auto_score = 3
        book.db.commit()
        assert notebook.score == 3
