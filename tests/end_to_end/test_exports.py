"""Marks for learning platforms, from a real gradebook."""

import csv
import json
import sqlite3

import pytest
from made_records import check, exercise, record
from tiny_course import TinyCourse

from torchgrade.course import CourseError, Submission
from torchgrade.gradebook import GradebookError, record_marks, release
from torchgrade.gradebook.exporters import export_marks
from torchgrade.record import Outcome
from torchgrade.report.gradescope import gradescope_results


@pytest.fixture
def tiny(tmp_path):
    tiny = TinyCourse(tmp_path)
    release(tiny.course, "sums")
    tiny.submit("alice")
    tiny.grade("alice", 4, 2.5)
    tiny.submit("bob")
    tiny.grade("bob", 1, 0, outcome=Outcome.UNGRADED)
    assert record_marks(tiny.course, [Submission("sums", student) for student in ("alice", "bob")]) == []
    with sqlite3.connect(tiny.root / "gradebook.db") as database:
        database.execute("INSERT INTO student (id, first_name, last_name, email) VALUES ('zoe', '=1+1', '@SUM(A1)', '+z@x.org')")
        database.execute("UPDATE student SET first_name = 'Alice', last_name = 'Ito, Dr.' WHERE id = 'alice'")
    database.close()
    return tiny


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_canvas_gets_marks_points_and_logins_and_open_marks_stay_empty(tiny, tmp_path):
    path = tmp_path / "canvas.csv"
    assert export_marks(tiny.course, "canvas", path, ["sums"]) == [
        "bob/sums (some checks are not decided: torchgrade grade sums)"
    ]
    assert rows_of(path) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "sums"],
        ["    Points Possible", "", "", "", "", "10"],
        ["Ito, Dr., Alice", "", "", "alice", "", "6.5"],
        ["bob", "", "", "bob", "", ""],
        ["'@SUM(A1), '=1+1", "", "", "zoe", "", ""],
    ]


def test_moodle_gets_what_it_can_map_and_no_formula(tiny, tmp_path):
    path = tmp_path / "moodle.csv"
    export_marks(tiny.course, "moodle", path, ["sums"])
    rows = rows_of(path)
    assert rows[0] == ["username", "email", "firstname", "lastname", "sums"]
    assert rows[1] == ["alice", "", "Alice", "Ito, Dr.", "6.5"]
    assert rows[-1] == ["zoe", "'+z@x.org", "'=1+1", "'@SUM(A1)", ""]


def test_some_students_alone(tiny, tmp_path):
    path = tmp_path / "some.csv"
    assert export_marks(tiny.course, "moodle", path, ["sums"], ["alice"]) == []
    assert [row[0] for row in rows_of(path)] == ["username", "alice"]


def test_a_late_penalty_is_taken_off(tiny, tmp_path):
    with sqlite3.connect(tiny.root / "gradebook.db") as database:
        database.execute(
            "UPDATE submitted_notebook SET late_submission_penalty = 2.0 WHERE assignment_id IN "
            "(SELECT id FROM submitted_assignment WHERE student_id = 'alice')"
        )
    database.close()
    path = tmp_path / "late.csv"
    export_marks(tiny.course, "moodle", path, ["sums"])
    assert rows_of(path)[1][-1] == "4.5"


def test_nbgraders_own_command_exports_the_same(tiny, tmp_path):
    path = tmp_path / "canvas.csv"
    export_marks(tiny.course, "canvas", path, ["sums"])
    done = tiny.nbgrader("export", "--exporter=torchgrade.gradebook.exporters.CanvasExporter", f"--to={tmp_path}/theirs.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "theirs.csv").read_bytes() == path.read_bytes()


def test_what_cannot_be_exported_is_one_line(tiny, tmp_path):
    with pytest.raises(GradebookError, match="does not know products; it has: sums"):
        export_marks(tiny.course, "canvas", tmp_path / "x.csv", ["products"])
    with pytest.raises(CourseError, match="cannot write"):
        export_marks(tiny.course, "canvas", tmp_path / "nowhere" / "x.csv", ["sums"])


def test_gradescope_gets_a_test_a_check_and_the_sum():
    made = record(
        exercise(
            check("passed", 2, 2, title="Values", hint="Not shown."),
            check("failed", 0, 1, title="Large", message="nan\x1b[31m", hint="Subtract."),
        )
    )
    results = gradescope_results(made)
    assert json.loads(json.dumps(results))["score"] == 2
    assert [(t["name"], t["score"], t["max_score"], t["status"]) for t in results["tests"]] == [
        ("softmax: Values", 2, 2, "passed"),
        ("softmax: Large", 0, 1, "failed"),
    ]
    assert results["tests"][0]["output"] == ""
    assert results["tests"][1]["output"] == "nan\nHint: Subtract."
