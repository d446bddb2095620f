"""The gradebook on SQLite and on a real PostgreSQL server: the same marks, several writers at once, a server that goes away."""

import dataclasses
import shutil
import subprocess
import sys
import time

import nbformat
import pytest
from nbgrader.api import Gradebook, MissingEntry
from postgresql import PASSWORD, Server, ServerMissing
from small_course import make_course, submit
from tiny_course import REPOSITORY, TinyCourse
from warm_commands import TOOLS, environment, started, torchgrade

from torchgrade.gradebook.nbgrader_course import without_password
from torchgrade.record import Results

pytestmark = pytest.mark.gradebooks

STUDENTS = [f"student{number:02}" for number in range(8)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    try:
        server = Server(tmp_path_factory.mktemp("postgresql"))
    except ServerMissing as error:
        pytest.skip(str(error))
    with server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    """An empty gradebook's address."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/marks.db"
    return request.getfixturevalue("server").new_database()


def run(folder, *arguments):
    return torchgrade(folder, *arguments, COLUMNS="160")


def use_gradebook(root, address):
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.db_url = {address!r}\n")


def test_a_class_is_released_graded_and_given_feedback_with_the_gradebook_on_postgresql(server, tmp_path):
    course = make_course(tmp_path)
    use_gradebook(course.root, server.url)
    done = run(course.root, "release", "small", "--no-audit")
    assert done.returncode == 0, done.stderr
    submit(course, "ann")
    submit(course, "bob", double="def double(x):\n    return 3 * x\n")
    done = run(course.root, "grade", "small")
    assert done.returncode == 0, done.stderr
    with Gradebook(server.url, "small") as book:
        assert {each.student_id: each.score for each in book.assignment_submissions("small")} == {"ann": 10.0, "bob": 3.0}
    assert not (course.root / "gradebook.db").exists()
    done = run(course.root, "feedback", "small")
    assert done.returncode == 0, done.stderr
    assert "Every element is doubled" in (course.feedback / "bob" / "small" / "small.html").read_text()
    server.stop()
    try:
        for line in (["grade", "small"], ["feedback", "small"], ["release", "small", "--no-audit"]):
            done = run(course.root, *line)
            assert done.returncode == 1
            assert "Traceback" not in done.stderr
            assert f"the gradebook {without_password(server.url)} does not answer" in done.stderr
            assert PASSWORD not in done.stderr
            assert "s3cret" not in done.stderr
    finally:
        server.start()
    assert run(course.root, "grade", "small").returncode == 0


RECORD = """
import sys
from torchgrade.course import Submission, find_course
from torchgrade.gradebook import record_marks
from pathlib import Path
course = find_course(Path(sys.argv[1]))
problems = record_marks(course, [Submission(sys.argv[2], student) for student in sys.argv[3:]])
sys.exit("; ".join(problems) or 0)
"""


def recording(course, assignment):
    """An instructor's command, once there are records: it enters the marks of one assignment."""
    line = [sys.executable, "-c", RECORD, str(course.root), assignment, *STUDENTS]
    return started(line, cwd=course.root, env=environment(PYTHONPATH=str(REPOSITORY)), stderr=subprocess.PIPE)


@pytest.fixture
def tiny(tmp_path, address):
    """A course of two assignments that are alike, released, handed in and graded, but for the gradebook."""
    course = TinyCourse(tmp_path / "course")
    notebook = nbformat.read(course.root / "assignments/sums/sums.ipynb", as_version=4)
    course.write(course.root / "assignments/more/more.ipynb", notebook)
    for folder in ("graders", "solutions"):
        shutil.copytree(course.root / folder / "sums", course.root / folder / "more")
    use_gradebook(course.root, address)
    assert run(course.root, "release", "sums", "more", "--no-audit").returncode == 0
    for student in STUDENTS:
        course.submit(student)
        course.write(course.root / "submitted" / student / "more" / "more.ipynb", notebook)
        record = course.grade(student, 4, 3)
        Results(course.root / "results").write(dataclasses.replace(record, assignment="more"))
    return course


def test_two_instructors_and_manual_marks_at_the_same_time_lose_nothing(tiny, address):
    both = [recording(tiny, "sums"), recording(tiny, "more")]
    by_hand = dict.fromkeys(STUDENTS, 0)
    deadline = time.monotonic() + 60
    with Gradebook(address, "tiny") as book:
        while any(by_hand[student] == 0 for student in STUDENTS) and time.monotonic() < deadline:
            for number, student in enumerate(STUDENTS, start=1):
                try:  # as Formgrader does
                    grade = book.find_grade("double-check", "sums", "sums", student)
                    comment = book.find_comment("double", "sums", "sums", student)
                except MissingEntry:
                    continue
                finally:
                    book.db.rollback()
                if by_hand[student] == 0:
                    grade.manual_score, comment.manual_comment = number / 4, f"for {student}"
                    book.db.commit()
                    by_hand[student] = number / 4
    for process in both:
        said = process.communicate(timeout=60)[1]
        assert process.returncode == 0, said
    # Once more, all of it, beside each other: with the marks by hand in place.
    shutil.rmtree(tiny.root / "autograded")
    both = [recording(tiny, "sums"), recording(tiny, "more")]
    assert [process.communicate(timeout=60)[1] for process in both] == ["", ""]
    with Gradebook(address, "tiny") as book:
        for assignment in ("sums", "more"):
            assert len(book.assignment_submissions(assignment)) == len(STUDENTS)
            for student in STUDENTS:
                grades = {g.name: g for g in book.find_submission_notebook(assignment, assignment, student).grades}
                assert {name: grade.auto_score for name, grade in grades.items()} == {"add-check": 4.0, "double-check": 3.0}
                if assignment == "sums":
                    assert grades["double-check"].manual_score == by_hand[student] > 0
                    comment = book.find_comment("double", "sums", "sums", student)
                    assert comment.manual_comment == f"for {student}"


def test_a_server_that_stops_in_the_middle_is_one_line_and_the_next_run_enters_the_rest(server, tmp_path):
    course = make_course(tmp_path)
    address = server.new_database()
    use_gradebook(course.root, address)
    assert run(course.root, "release", "small", "--no-audit").returncode == 0
    for number in range(4):
        submit(
            course, f"student{number}", double=f"import time\ntime.sleep(0.3)\n\ndef double(x):\n    return 2 * x  # {number}\n"
        )
    line = [TOOLS / "torchgrade", "grade", "small", "--workers", "1"]
    grading = started(line, cwd=course.root, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list(course.autograded.glob("*/small/small.ipynb")):
        time.sleep(0.02)
    server.stop()
    try:
        _, said = grading.communicate(timeout=120)
    finally:
        server.start()
    assert grading.returncode == 1
    (problem,) = [line for line in said.splitlines() if line.startswith("Problem")]
    assert "does not answer" in problem
    assert "s3cret" not in said
    done = run(course.root, "grade", "small")
    assert done.returncode == 0, done.stderr
    assert "0 to grade, 4 unchanged" in done.stderr
    with Gradebook(address, "small") as book:
        assert [each.score for each in book.assignment_submissions("small")] == [10.0] * 4
