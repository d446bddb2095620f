"""One gradebook for many steps, and its troubles as one line."""

import shutil
import sqlite3

import pytest
from sqlalchemy.exc import DatabaseError, OperationalError

from torchgrade.gradebook.running import explain, own_programs_on_path
from torchgrade.gradebook.store import one_gradebook

URL = "sqlite:///gradebook.db"


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
def test_an_error_becomes_one_line(error, line):
    text = explain(error, URL)
    assert line in text
    assert "\n" not in text
    assert "SQL" not in text
    assert len(text) < 600


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
