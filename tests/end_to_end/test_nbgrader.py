"""Release, marks and feedback with the real nbgrader: its converters, gradebook, command line, Formgrader's interface."""

import copy
import errno
import json
import re
import shutil
import sqlite3
import sys
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.server_extensions.formgrader import handlers
from sqlalchemy.exc import OperationalError

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "gradebook"))  # where the tiny course is

from tiny_course import ANSWERS, TinyCourse, assignment_notebook, meta, scores

from torchgrade.course import Submission
from torchgrade.gradebook import GradebookError, feedback, record_marks, release, store
from torchgrade.record import Outcome


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A course with its assignment released, made once: copies of it are quick."""
    root = tmp_path_factory.mktemp("released")
    release(TinyCourse(root).course, "sums")
    return root


@pytest.fixture
def tiny(tmp_path, released):
    """A course of one's own, with its assignment released."""
    root = tmp_path / "course"
    shutil.copytree(released, root)
    return TinyCourse(root)


def enter(course, students):
    return record_marks(course, [Submission("sums", student) for student in students])


def files(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def autograded(tiny, student):
    return nbformat.read(tiny.root / f"autograded/{student}/sums/sums.ipynb", as_version=4)


# --- release -----------------------------------------------------------------------------------------------------------


def test_a_release_has_the_notebook_the_public_checks_and_what_there_is_of_hidden_ones(tiny):
    made = files(tiny.root / "release")
    assert set(made) == {"sums/checks.json", "sums/data.csv", "sums/public_add.py", "sums/sums.ipynb"}
    assert json.loads(made["sums/checks.json"])["exercises"]["double"] == {
        "points": 6,
        "hidden": {"gradients": 2, "values": 1},
    }


def test_stubs_stay_as_they_were_written(tiny):
    notebook = nbformat.read(tiny.root / "release/sums/sums.ipynb", as_version=4)
    assert [c.source for c in notebook.cells] == [c.source for c in assignment_notebook().cells]


def test_a_marked_solution_is_taken_out(tiny):
    notebook = assignment_notebook()
    notebook.cells[3].source = "def add(x):\n    ### BEGIN SOLUTION\n    return secret(x)\n    ### END SOLUTION\n"
    tiny.write(tiny.root / "assignments/sums/sums.ipynb", notebook)
    release(tiny.course, "sums")
    made = nbformat.read(tiny.root / "release/sums/sums.ipynb", as_version=4)
    assert made.cells[3].source == "def add(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()\n"


def test_a_second_release_is_the_same_to_the_byte(tiny):
    before = files(tiny.root / "release")
    release(tiny.course, "sums")
    assert files(tiny.root / "release") == before


def test_nbgraders_own_command_gives_the_same_release(tiny):
    before = files(tiny.root / "release")
    shutil.rmtree(tiny.root / "release")
    done = tiny.nbgrader("generate_assignment", "sums")
    assert done.returncode == 0, done.stderr
    assert files(tiny.root / "release") == before


@pytest.mark.parametrize("by_hand", [False, True])
def test_points_that_differ_stop_a_release(tiny, by_hand):
    notebook = assignment_notebook()
    notebook.cells[4].metadata.nbgrader["points"] = 3
    tiny.write(tiny.root / "assignments/sums/sums.ipynb", notebook)
    line = "sums is not released: the grade cell of 'add' has 3 points, its checks add up to 4"
    if by_hand:
        done = tiny.nbgrader("generate_assignment", "sums", "--force")
        assert done.returncode == 1
        assert line in done.stderr
    else:
        with pytest.raises(GradebookError, match=re.escape(line)):
            release(tiny.course, "sums")


def test_a_release_that_fails_changes_neither_the_release_nor_the_gradebook(tiny):
    release_before, gradebook_before = files(tiny.root / "release"), (tiny.root / "gradebook.db").read_bytes()
    notebook = assignment_notebook()
    notebook.cells[3].source = ANSWERS["add"]
    tiny.write(tiny.root / "assignments/sums/sums.ipynb", notebook)
    with pytest.raises(GradebookError, match=r"an answer would be handed out in cell 4: code of solutions/sums/add"):
        release(tiny.course, "sums")
    assert files(tiny.root / "release") == release_before
    assert (tiny.root / "gradebook.db").read_bytes() == gradebook_before


def test_an_answer_in_a_file_beside_the_notebook_stops_a_release(tiny):
    (tiny.root / "assignments/sums/helper.py").write_text(ANSWERS["add"])
    with pytest.raises(GradebookError, match=r"handed out in helper.py"):
        release(tiny.course, "sums")


def test_a_release_leaves_marks_in_the_gradebook_alone(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 2)
    enter(tiny.course, ["alice"])
    before = scores(tiny.root)
    assignment = assignment_notebook()
    assignment.cells[0].source = "# Sums and more"
    tiny.write(tiny.root / "assignments/sums/sums.ipynb", assignment)
    release(tiny.course, "sums")
    assert scores(tiny.root) == before


def test_a_release_that_nbgrader_refuses_leaves_the_old_one(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 2)
    enter(tiny.course, ["alice"])
    before = files(tiny.root / "release")
    assignment = assignment_notebook()
    assignment.cells.insert(1, new_markdown_cell("more", metadata=meta("more")))
    tiny.write(tiny.root / "assignments/sums/sums.ipynb", assignment)
    with pytest.raises(GradebookError, match="Cannot add or remove cells for notebook 'sums'"):
        release(tiny.course, "sums")
    assert files(tiny.root / "release") == before


def rename_fails(patch):
    """What was made cannot be put in its place."""
    rename = Path.rename

    def renamed(self, target):
        if self.parent.name.startswith(".new-") and self.name == "sums":
            raise OSError(errno.ENOSPC, "No space left on device", str(self))
        return rename(self, target)

    patch.setattr(Path, "rename", renamed)


def commit_fails(patch):
    """The gradebook refuses at the very end."""

    def committed(self):
        raise OperationalError("COMMIT", {}, sqlite3.OperationalError("database is locked"))

    patch.setattr(store._Session, "commit_for_good", committed)


@pytest.mark.parametrize("before", ["released", "new"])
@pytest.mark.parametrize(
    ("fails", "line"),
    [(rename_fails, r"sums is not released: cannot write .*: No space left on device"), (commit_fails, "is locked")],
)
def test_what_cannot_be_written_changes_neither_the_release_nor_the_gradebook(tiny, fails, line, before):
    if before == "new":
        shutil.rmtree(tiny.root / "release" / "sums")
    release_before, gradebook_before = files(tiny.root / "release"), (tiny.root / "gradebook.db").read_bytes()
    notebook = assignment_notebook()
    notebook.cells[0].source = "# More sums"
    tiny.write(tiny.root / "assignments/sums/sums.ipynb", notebook)
    with pytest.MonkeyPatch.context() as patch:
        fails(patch)
        with pytest.raises(GradebookError, match=line):
            release(tiny.course, "sums")
    assert files(tiny.root / "release") == release_before
    assert (tiny.root / "gradebook.db").read_bytes() == gradebook_before
    release(tiny.course, "sums")
    assert "More sums" in (tiny.root / "release/sums/sums.ipynb").read_text()
    assert [path.name for path in (tiny.root / "release").iterdir()] == ["sums"]


def test_a_file_in_the_place_of_the_release_folder_is_one_line(tiny):
    shutil.rmtree(tiny.root / "release")
    (tiny.root / "release").write_text("")
    with pytest.raises(GradebookError, match=r"sums is not released: cannot write .*release: Not a directory"):
        release(tiny.course, "sums")


# --- marks -------------------------------------------------------------------------------------------------------------


def test_a_record_that_is_given_is_not_read_from_the_disk_again(tiny):
    tiny.submit("alice")
    record = tiny.grade("alice", 3, 1.5)
    shutil.rmtree(tiny.root / "results")
    assert record_marks(tiny.course, [record]) == []
    assert scores(tiny.root)["alice"] == {"add-check": (3.0, False), "double-check": (1.5, False)}


def test_marks_are_the_same_through_torchgrade_and_through_nbgraders_command(tiny):
    for student, points in {"alice": (4, 6), "bob": (0, 0), "carol": (1.5, 2.25)}.items():
        tiny.submit(student)
        tiny.grade(student, *points)
    assert enter(tiny.course, ["alice", "bob", "carol"]) == []
    ours, our_files = scores(tiny.root), files(tiny.root / "autograded")
    assert ours == {
        "alice": {"add-check": (4.0, False), "double-check": (6.0, False)},
        "bob": {"add-check": (0.0, False), "double-check": (0.0, False)},
        "carol": {"add-check": (1.5, False), "double-check": (2.25, False)},
    }
    with sqlite3.connect(tiny.root / "gradebook.db") as database:
        database.execute("UPDATE grade SET auto_score = NULL")
    database.close()
    done = tiny.nbgrader("autograde", "sums", "--force")
    assert done.returncode == 0, done.stderr
    assert scores(tiny.root) == ours
    assert files(tiny.root / "autograded") == our_files


def test_a_submission_whose_grade_cells_were_deleted_has_its_marks(tiny):
    notebook = assignment_notebook()
    notebook.cells = [c for c in notebook.cells if "-check" not in str(c.metadata)]
    tiny.submit("alice", notebook)
    tiny.grade("alice", 3, 5)
    assert enter(tiny.course, ["alice"]) == []
    assert scores(tiny.root)["alice"] == {"add-check": (3.0, False), "double-check": (5.0, False)}


def hostile_notebook():
    """Everything in it is against nbgrader, Formgrader or whoever reads the page."""
    notebook = copy.deepcopy(assignment_notebook())
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"a": "</script><script>alert(1)</script>"}}
    for cell in notebook.cells:
        cell.metadata["nbgrader"] |= {"points": 1e9, "schema_version": 99}
    output = nbformat.v4.new_output("execute_result", {"text/plain": "6.0", "text/html": "<script>alert(2)</script>"})
    notebook.cells[4].outputs = [output]
    notebook.cells += [
        new_markdown_cell("<script>alert(3)</script>\n\n<img src=x onerror=alert(4)>\n\n[x](javascript:alert(5)) **bold**"),
        new_raw_cell("<script>alert(6)</script>"),
        new_raw_cell("<script>alert(7)</script>", metadata={"raw_mimetype": "text/html"}),
        new_code_cell("'</pre><script>alert(8)</script>'", metadata={"tags": ["'><script>alert(9)</script>"]}),
        new_code_cell("1", metadata={"nbgrader": {"grade_id": "mine", "grade": True, "points": -5}}),
        new_code_cell("1", metadata={"nbgrader": 5}),
    ]
    return notebook


def test_a_hostile_notebook_gets_the_records_marks_and_no_others(tiny):
    tiny.submit("mallory", hostile_notebook())
    tiny.grade("mallory", 1, 0)
    assert enter(tiny.course, ["mallory"]) == []
    assert scores(tiny.root)["mallory"] == {"add-check": (1.0, False), "double-check": (0.0, False)}


def test_of_the_students_own_outputs_nothing_is_left(tiny):
    notebook = assignment_notebook()
    notebook.cells[3].outputs = [nbformat.v4.new_output("stream", text="mine", name="stderr")]
    tiny.submit("alice", notebook)
    tiny.grade("alice", 4, 6)
    enter(tiny.course, ["alice"])
    shown = [cell for cell in autograded(tiny, "alice").cells if cell.get("outputs")]
    assert [c.metadata.get("nbgrader", {}).get("grade_id") for c in shown] == [None, "add-check", "double-check"]


def test_a_notebook_that_nbgrader_alone_could_not_read_has_its_marks(tiny):
    notebook = assignment_notebook()
    notebook.cells[3].source = "a = '\\ud800'"
    path = tiny.submit("alice", notebook)
    text = path.read_text().replace("\\\\ud800", "\\ud800")  # half a surrogate pair, and a byte order mark
    assert json.loads(text)["cells"][3]["source"] == ["a = '\ud800'"]
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    tiny.grade("alice", 1, 2)
    assert enter(tiny.course, ["alice"]) == []
    assert scores(tiny.root)["alice"] == {"add-check": (1.0, False), "double-check": (2.0, False)}


def test_as_many_cells_as_a_submission_may_have_are_not_too_many_for_its_copy(tiny):
    notebook = assignment_notebook()
    notebook.cells = [new_code_cell("1") for _ in range(1999)] + [notebook.cells[3]]
    tiny.submit("alice", notebook)
    tiny.grade("alice", 1, 2)
    assert enter(tiny.course, ["alice"]) == []
    assert len(autograded(tiny, "alice").cells) == 2000 + 6 + 1


def test_nbgraders_command_refuses_a_link_out_of_the_submissions(tiny):
    path = tiny.submit("mallory")
    path.unlink()
    path.symlink_to(tiny.root / "assignments/sums/sums.ipynb")
    tiny.grade("mallory", 4, 6)
    done = tiny.nbgrader("autograde", "sums")
    assert done.returncode == 1
    assert "symbolic link" in done.stderr
    assert not (tiny.root / "autograded/mallory/sums").exists()


def test_an_open_exercise_has_its_score_so_far_and_is_listed_for_a_person(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 3, outcome=Outcome.DEFERRED)
    enter(tiny.course, ["alice"])
    assert scores(tiny.root)["alice"] == {"add-check": (4.0, False), "double-check": (3.0, True)}


def test_the_flag_goes_once_the_exercise_is_decided(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 3, outcome=Outcome.UNGRADED)
    enter(tiny.course, ["alice"])
    tiny.grade("alice", 4, 3)
    enter(tiny.course, ["alice"])
    assert scores(tiny.root)["alice"]["double-check"] == (3.0, False)


def test_a_submission_is_not_entered_twice_but_is_again_when_anything_differs(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 3)
    copy_of = tiny.root / "autograded/alice/sums/sums.ipynb"

    def entered():
        before = copy_of.stat().st_mtime_ns if copy_of.exists() else None
        assert enter(tiny.course, ["alice"]) == []
        return copy_of.stat().st_mtime_ns != before

    assert entered()
    assert not entered()
    tiny.grade("alice", 4, 2)
    assert entered()
    tiny.submit("alice", timestamp="2026-01-31 12:00:00 UTC")
    assert entered()
    with sqlite3.connect(tiny.root / "gradebook.db") as database:
        database.execute("UPDATE grade SET auto_score = 1")
    database.close()
    assert entered()
    copy_of.unlink()
    assert entered()
    assert not entered()


def test_marks_come_back_after_the_gradebook_was_deleted(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 3)
    enter(tiny.course, ["alice"])
    before = scores(tiny.root)
    (tiny.root / "gradebook.db").unlink()
    assert enter(tiny.course, ["alice"]) == [
        "the gradebook does not know the assignment 'sums': run torchgrade release sums first"
    ]
    release(tiny.course, "sums")
    assert enter(tiny.course, ["alice"]) == []
    assert scores(tiny.root) == before


def test_a_file_that_cannot_be_read_is_no_submission_and_stops_nobody(tiny):
    folder = tiny.submit("bob").parent
    (folder / "sums.ipynb").write_text("not a notebook")
    tiny.grade("bob", 0, 0, readable=False, problems=("sums.ipynb is not a notebook",))
    tiny.submit("carol")
    tiny.grade("carol", 4, 3)
    assert enter(tiny.course, ["bob", "carol"]) == []
    assert list(scores(tiny.root)) == ["carol"]


def test_marks_of_an_earlier_file_are_reported_when_the_new_one_cannot_be_read(tiny):
    tiny.submit("bob")
    tiny.grade("bob", 4, 3)
    enter(tiny.course, ["bob"])
    tiny.grade("bob", 0, 0, readable=False)
    assert "bob: the file that was handed in cannot be read" in enter(tiny.course, ["bob"])[0]


def test_one_students_problem_is_one_line_and_touches_nobody_else(tiny):
    students = ["alice", "bob", "carol", "dave", "erin"]
    for student in students:
        tiny.submit(student)
    for student in students[1:]:
        tiny.grade(student, 4, 3)
    (tiny.root / "submitted/bob/sums/timestamp.txt").write_text("yesterday-ish")
    (tiny.root / "submitted/carol/sums/passwd").symlink_to("/etc/passwd")
    record = json.loads((tiny.root / "results/dave/sums.json").read_text())
    record["exercises"].pop()
    (tiny.root / "results/dave/sums.json").write_text(json.dumps(record))
    problems = enter(tiny.course, students)
    assert [line.split(":")[0] for line in problems] == ["alice", "bob", "carol", "dave"]
    assert "no record in results/" in problems[0]
    assert "timestamp.txt does not hold a time" in problems[1]
    assert "passwd is a link or a device" in problems[2]
    assert "'double-check' has no checks" in problems[3]
    assert [folder.name for folder in (tiny.root / "autograded").iterdir() if any(folder.iterdir())] == ["erin"]
    assert list(scores(tiny.root)) == ["erin"]


def test_a_late_submission_is_late_and_its_penalty_is_the_courses(tiny):
    with (tiny.root / "nbgrader_config.py").open("a") as config:
        config.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    with sqlite3.connect(tiny.root / "gradebook.db") as database:
        database.execute("UPDATE assignment SET duedate = '2026-01-30 12:00:00.000000'")
    database.close()
    tiny.submit("alice", timestamp="2026-01-31 12:00:00 UTC")
    tiny.grade("alice", 4, 3)
    assert enter(tiny.course, ["alice"]) == []
    with sqlite3.connect(tiny.root / "gradebook.db") as database:
        penalty = database.execute("SELECT late_submission_penalty FROM submitted_notebook").fetchone()
    database.close()
    assert penalty == (7.0,)


def test_a_locked_gradebook_is_one_line_and_nothing_is_half_written(tiny):
    for student in ("alice", "bob"):
        tiny.submit(student)
        tiny.grade(student, 4, 3)
    with (tiny.root / "nbgrader_config.py").open("a") as config:
        config.write(f'c.CourseDirectory.db_url = "sqlite:///{tiny.root}/gradebook.db?timeout=0.1"\n')
    database = sqlite3.connect(tiny.root / "gradebook.db", isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    try:
        problems = enter(tiny.course, ["alice", "bob"])
    finally:
        database.close()
    assert len(problems) == 1
    assert "is locked: another program is writing to it" in problems[0]
    assert scores(tiny.root) == {}
    assert not (tiny.root / "autograded").exists()


def test_a_read_only_gradebook_is_one_line(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 3)
    with (tiny.root / "nbgrader_config.py").open("a") as config:
        config.write(f'c.CourseDirectory.db_url = "sqlite:///file:{tiny.root}/gradebook.db?mode=ro&uri=true"\n')
    problems = enter(tiny.course, ["alice"])
    assert len(problems) == 1
    assert "cannot be written (read-only)" in problems[0]
    assert not (tiny.root / "autograded").exists()
    with pytest.raises(GradebookError, match="read-only"):
        release(tiny.course, "sums")


def test_a_file_that_is_no_gradebook_is_one_line(tiny):
    (tiny.root / "gradebook.db").write_text("not a database, but long enough to be looked at as if it were one " * 20)
    problems = enter(tiny.course, ["alice"])
    assert len(problems) == 1
    assert "is damaged (file is not a database)" in problems[0]


def test_an_interrupted_submission_leaves_nothing_in_the_gradebook(tiny):
    from torchgrade.gradebook.preprocessor import FlagOpenMarks

    tiny.submit("alice")
    tiny.grade("alice", 4, 3)

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(FlagOpenMarks, "preprocess", interrupt)
        enter(tiny.course, ["alice"])
    assert scores(tiny.root) == {}
    assert enter(tiny.course, ["alice"]) == []
    assert scores(tiny.root)["alice"]["add-check"] == (4.0, False)


def test_only_students_of_the_course_are_entered_where_the_configuration_says_so(tiny):
    with (tiny.root / "nbgrader_config.py").open("a") as config:
        config.write("c.Autograde.create_student = False\n")
    tiny.submit("alice")
    tiny.grade("alice", 4, 3)
    (problem,) = enter(tiny.course, ["alice"])
    assert problem == "alice: not entered into the gradebook: No student with ID 'alice' exists in the database"


# --- Formgrader and feedback -------------------------------------------------------------------------------------------


def formgrader_config(tiny):
    """As Formgrader's server extension has it: the course's configuration with its own template over it."""
    config = tiny.course.config
    config.CourseDirectory.root = str(tiny.root)
    config.Exchange.root = str(tiny.root / "exchange")
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    return config


def formgrader(tiny):
    """What stands behind Formgrader's buttons."""
    config = formgrader_config(tiny)
    return NbGraderAPI(CourseDirectory(config=config), config=config)


@pytest.mark.filterwarnings("ignore:.*not in session")  # nbgrader's own way to add a submission
def test_formgraders_buttons_give_the_same_marks_and_page(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 2.5)
    enter(tiny.course, ["alice"])
    (page,) = feedback(tiny.course, "sums")
    marks, html = scores(tiny.root), page.read_text()
    shutil.rmtree(tiny.root / "autograded")
    page.unlink()
    api = formgrader(tiny)
    for done in (api.autograde("sums", "alice"), api.generate_feedback("sums", "alice")):
        assert done["success"], done
    assert scores(tiny.root) == marks
    assert page.read_text() == html


def test_formgraders_interface_lists_the_submission_with_its_score(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 2.5, outcome=Outcome.DEFERRED)
    enter(tiny.course, ["alice"])
    listed = formgrader(tiny).get_submissions("sums")
    assert [(s["student"], s["score"], s["max_score"], s["needs_manual_grade"], s["autograded"]) for s in listed] == [
        ("alice", 6.5, 10.0, True, True)
    ]


def test_a_feedback_page_has_the_score_and_the_tables_and_no_bare_number(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 1.25)
    enter(tiny.course, ["alice"])
    (page,) = feedback(tiny.course, "sums")
    html = page.read_text()
    assert page == tiny.root / "feedback/alice/sums/sums.html"
    assert "5.25 of 10 points" in html
    assert html.count("Values are right") >= 2
    assert "check(" not in html
    assert "1.25" not in [text.get_text().strip() for text in BeautifulSoup(html, "html.parser").find_all("pre")]


def test_nbgraders_own_command_gives_the_same_page(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 1.25)
    enter(tiny.course, ["alice"])
    feedback(tiny.course, "sums")
    before = files(tiny.root / "feedback")
    shutil.rmtree(tiny.root / "feedback")
    done = tiny.nbgrader("generate_feedback", "sums")
    assert done.returncode == 0, done.stderr
    assert files(tiny.root / "feedback") == before


def assert_harmless(html):
    page = BeautifulSoup(html, "html.parser")
    assert [script for script in page.find_all("script") if "alert" in str(script)] == []
    assert [element for element in page.find_all() if "alert" in str(element.attrs)] == []
    assert page.find_all(href=re.compile("javascript:", re.IGNORECASE)) == []
    assert page.find("strong", string="bold")
    assert "alert(8)" in page.get_text()


def test_what_a_hostile_notebook_holds_does_not_act_on_its_feedback_page(tiny):
    tiny.submit("mallory", hostile_notebook())
    tiny.grade("mallory", 1, 0)
    enter(tiny.course, ["mallory"])
    (page,) = feedback(tiny.course, "sums")
    assert_harmless(page.read_text())
    assert 'http-equiv="Content-Security-Policy"' in page.read_text()


def test_what_a_hostile_notebook_holds_does_not_act_in_formgrader(tiny):
    tiny.submit("mallory", hostile_notebook())
    tiny.grade("mallory", 1, 0)
    enter(tiny.course, ["mallory"])
    exporter = HTMLExporter(config=formgrader_config(tiny))
    facts = {"base_url": "", "index": 0, "total": 1, "notebook_id": "sums", "assignment_id": "sums", "student": "mallory"}
    html, _ = exporter.from_filename(str(tiny.root / "autograded/mallory/sums/sums.ipynb"), resources=facts)
    assert_harmless(html)
    assert "Values are right" in html


def test_a_file_that_cannot_be_read_has_a_page_that_says_why(tiny):
    tiny.submit("bob")
    tiny.grade("bob", 0, 0, readable=False, problems=("sums.ipynb is not a notebook",))
    (page,) = feedback(tiny.course, "sums")
    assert page == tiny.root / "feedback/bob/sums/sums.html"
    assert "sums.ipynb is not a notebook" in page.read_text()


def test_a_page_that_cannot_be_made_leaves_the_earlier_one(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 3)
    enter(tiny.course, ["alice"])
    (page,) = feedback(tiny.course, "sums")
    before = {path.name: path.read_bytes() for path in page.parent.iterdir()}
    copy = tiny.root / "autograded/alice/sums/sums.ipynb"
    copy.chmod(0o644)
    copy.write_text("{")
    with pytest.raises(GradebookError, match="no feedback page for alice"):
        feedback(tiny.course, "sums")
    assert {path.name: path.read_bytes() for path in page.parent.iterdir()} == before
    assert list(page.parents[1].iterdir()) == [page.parent]


def test_the_page_of_a_file_that_cannot_be_read_has_what_the_exchange_needs(tiny):
    folder = tiny.submit("bob", timestamp="2026-01-31 12:00:00 UTC").parent
    (folder / "submission_secret.txt").write_text("secret")
    (folder / "notes.txt").write_text("mine")
    tiny.grade("bob", 0, 0, readable=False, problems=("sums.ipynb is not a notebook",))
    (page,) = feedback(tiny.course, "sums")
    assert sorted(path.name for path in page.parent.iterdir()) == ["submission_secret.txt", "sums.html", "timestamp.txt"]
    (folder / "submission_secret.txt").unlink()
    (folder / "submission_secret.txt").symlink_to("/etc/passwd")
    feedback(tiny.course, "sums")
    assert sorted(path.name for path in page.parent.iterdir()) == ["sums.html", "timestamp.txt"]


def test_marks_that_the_gradebook_refuses_at_the_last_step_leave_no_copy(tiny, monkeypatch):
    from sqlalchemy.exc import OperationalError

    from torchgrade.gradebook.store import _Session

    tiny.submit("alice")
    tiny.grade("alice", 4, 3)

    def refuse(_):
        raise OperationalError("COMMIT", {}, Exception("database is locked"))

    with monkeypatch.context() as patch:
        patch.setattr(_Session, "commit_for_good", refuse)
        assert "is locked" in enter(tiny.course, ["alice"])[0]
    assert not (tiny.root / "autograded/alice/sums").exists()
    assert enter(tiny.course, ["alice"]) == []
    assert scores(tiny.root)["alice"]["add-check"] == (4.0, False)


def test_a_student_without_marks_is_named_and_the_others_have_their_pages(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 3)
    enter(tiny.course, ["alice"])
    tiny.submit("zoe")
    with pytest.raises(GradebookError, match="no feedback page for zoe") as caught:
        feedback(tiny.course, "sums")
    assert [page.parts[-3] for page in caught.value.pages] == ["alice"]


def test_an_instructors_comment_is_on_the_page(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 4, 3)
    enter(tiny.course, ["alice"])
    with sqlite3.connect(tiny.root / "gradebook.db") as database:
        database.execute("UPDATE comment SET manual_comment = 'Well *done*'")
    database.close()
    (page,) = feedback(tiny.course, "sums", ["alice"])
    assert "Well <em>done</em>" in page.read_text()


def test_an_instructors_own_marks_and_comments_survive_a_regrade(tiny):
    tiny.submit("alice")
    tiny.grade("alice", 1, 3)
    assert enter(tiny.course, ["alice"]) == []
    by_hand = (
        "UPDATE grade SET manual_score = 2.5, extra_credit = 0.5 WHERE auto_score = 1.0",
        "UPDATE comment SET manual_comment = 'Look at the sum again'",
    )
    with sqlite3.connect(tiny.root / "gradebook.db") as database:
        assert [database.execute(line).rowcount > 0 for line in by_hand] == [True, True]
    database.close()
    tiny.submit("alice", timestamp="2026-11-21 12:00:00 UTC")
    tiny.grade("alice", 2, 6)
    assert enter(tiny.course, ["alice"]) == []
    # Formgrader asks for another look at a mark given by hand to an answer that has changed.
    assert scores(tiny.root)["alice"] == {"add-check": (2.0, True), "double-check": (6.0, False)}
    with sqlite3.connect(tiny.root / "gradebook.db") as database:
        kept = database.execute("SELECT auto_score, manual_score, extra_credit FROM grade ORDER BY auto_score").fetchall()
        comments = {text for (text,) in database.execute("SELECT manual_comment FROM comment")}
    database.close()
    assert kept == [(2.0, 2.5, 0.5), (6.0, None, None)]
    assert comments == {"Look at the sum again"}
