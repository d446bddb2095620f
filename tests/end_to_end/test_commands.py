"""The commands as an instructor runs them: real processes, a real course, and every kind of file that students hand in."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import nbformat
import pytest
import warm_commands
from small_course import make_course, submit
from warm_commands import TOOLS, environment, started, torchgrade

from torchgrade.course import find_course
from torchgrade.judge.environment import has_gpu
from torchgrade.notebook import read_notebook, write_notebook
from torchgrade.record import Results


def run(course, *arguments, **options):
    return torchgrade(course.root, *arguments, COLUMNS="160", **options)


def marks(course):
    """Auto scores in the gradebook, by student and grade cell."""
    with sqlite3.connect(course.root / "gradebook.db") as database:
        rows = database.execute(
            "select s.id, b.name, g.auto_score from grade g join base_cell b on g.cell_id = b.id"
            " join submitted_notebook n on g.notebook_id = n.id join submitted_assignment a on n.assignment_id = a.id"
            " join student s on a.student_id = s.id"
        )
        return {(student, name): score for student, name, score in rows}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("course"))
    done = run(course, "release", "small", "--no-audit")
    assert done.returncode == 0, done.stderr
    return course


def test_an_assignment_that_was_not_released_is_refused_before_anything_is_graded(tmp_path):
    course = make_course(tmp_path)
    submit(course, "ann")
    done = run(course, "grade", "small")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "Error: the gradebook does not know the assignment 'small': run torchgrade release small first. Nothing was graded"
    )
    assert Results(course.results).read("ann", "small") is None
    assert not course.autograded.exists()


def test_release_writes_what_students_get(course):
    folder = course.release / "small"
    assert {path.name for path in folder.iterdir()} == {"small.ipynb", "public_double.py", "checks.json"}
    checks = json.loads((folder / "checks.json").read_text())
    assert checks["exercises"]["double"]["hidden"]["gradients"] == 1


def test_a_release_whose_points_disagree_is_refused_and_leaves_the_old_one(course):
    grader = course.graders / "small" / "test_total.py"
    before, released = grader.read_text(), (course.release / "small" / "checks.json").read_bytes()
    grader.write_text(before.replace("@points(1)", "@points(4)"))
    try:
        done = run(course, "release", "small", "--no-audit")
    finally:
        grader.write_text(before)
    assert done.returncode == 1
    assert "total" in done.stderr
    assert "Traceback" not in done.stderr
    assert (course.release / "small" / "checks.json").read_bytes() == released


@pytest.fixture(scope="module")
def released(course, tmp_path_factory):
    """A released course with a right submission that is graded; to be copied."""
    root = tmp_path_factory.mktemp("released") / "course"
    shutil.copytree(course.root, root)
    submit(copy := find_course(root), "ann")
    assert run(copy, "grade", "small", "--quiet").returncode == 0
    return copy


def take_away_the_hidden_checks(course):
    (course.graders / "small" / "test_double.py").unlink()


def make_a_check_worth_more(course):
    path = course.graders / "small" / "test_double.py"
    path.write_text(path.read_text().replace("@points(2)", "@points(29)", 1))


def make_a_check_of_another_kind(course):
    path = course.graders / "small" / "test_double.py"
    path.write_text(path.read_text().replace('@points(1, kind="inputs"', '@points(1, kind="values"', 1))


def leave_a_line_unfinished(course):
    (course.graders / "small" / "test_total.py").write_text("def\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            take_away_the_hidden_checks,
            "not those that it was released with: the grade cell of 'double' has 7 points, its checks add up to 1.",
        ),
        (make_a_check_worth_more, "the grade cell of 'double' has 7 points, its checks add up to 34."),
        (
            make_a_check_of_another_kind,
            "1 dtypes, 1 gradients, 1 speed, 2 values, and was released with 7 points and these hidden checks: 1 dtypes,",
        ),
        (leave_a_line_unfinished, "test_total.py cannot be imported: SyntaxError"),
    ],
)
def test_a_class_is_graded_by_the_graders_that_it_was_released_with_or_not_at_all(released, tmp_path, change, said):
    shutil.copytree(released.root, tmp_path / "course")
    course = find_course(tmp_path / "course")
    submit(course, "bob")
    submit(course, "cem")
    change(course)
    before, had = marks(course), Results(course.results).read("ann", "small")
    for command in (("grade", "small"), ("grade", "small", "--regrade"), ("watch", "small", "--once")):
        done = run(course, *command)
        assert done.returncode == (0 if command[0] == "watch" else 1)
        assert said in done.stderr.splitlines()[-1]
        assert done.stderr.count("small is not graded: ") == 1
        assert marks(course) == before
        results = Results(course.results)
        assert (results.read("ann", "small"), results.read("bob", "small")) == (had, None)


def test_a_release_compares_points_before_its_audit(course, tmp_path):
    shutil.copytree(course.root, tmp_path / "course")
    copy = find_course(tmp_path / "course")
    make_a_check_worth_more(copy)
    done = run(copy, "release", "small")
    assert done.returncode == 1
    assert done.stderr == "Error: small is not released: the grade cell of 'double' has 7 points, its checks add up to 34\n"


def test_graders_that_were_released_again_grade_again(released, tmp_path):
    shutil.copytree(released.root, tmp_path / "course")
    course = find_course(tmp_path / "course")
    make_a_check_of_another_kind(course)
    assert run(course, "release", "small", "--no-audit").returncode == 0
    done = run(course, "grade", "small")
    assert done.returncode == 0, done.stderr
    assert "1 to grade" in done.stderr


def test_the_courses_own_hints_for_exceptions_are_handed_out(course, tmp_path):
    shutil.copytree(course.root, tmp_path / "course")
    hints = '[[error]]\ntext = "nobody knows"\nhint = "We do."\n'
    (tmp_path / "course/graders/errors.toml").write_text(hints)
    assert run(find_course(tmp_path / "course"), "release", "small", "--no-audit").returncode == 0
    assert (tmp_path / "course/release/small/errors.toml").read_text() == hints


HOSTILE = {
    "empty": lambda path: path.write_bytes(b""),
    "binary": lambda path: path.write_bytes(b"\xff\xfe\x00\x01"),
    "nojson": lambda path: path.write_text("my homework"),
    "nonotebook": lambda path: path.write_text('{"a": 1}'),
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "link": lambda path: (path.unlink(), path.symlink_to("/etc/hostname")),
    "dangling": lambda path: (path.unlink(), path.symlink_to("/nowhere")),
    "huge": lambda path: os.truncate(path, 200_000_000),
    "fifo": lambda path: (path.unlink(), os.mkfifo(path)),
    "renamed": lambda path: path.rename(path.with_name("mine.ipynb")),
}


def test_files_that_are_no_notebooks_cost_nobody_else_anything(tmp_path):
    course = make_course(tmp_path)
    assert run(course, "release", "small", "--no-audit").returncode == 0
    for student, spoil in HOSTILE.items():
        spoil(submit(course, student))
    submit(course, "good")
    submit(course, "wrong", double="def double(x):\n    return 3 * x\n")
    done = run(course, "grade", "small", "--workers", "2")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    results = Results(course.results)
    for student in HOSTILE:
        record = results.read(student, "small")
        assert not record.readable, student
        assert len(record.problems) == 1
        assert "\n" not in record.problems[0]
    assert marks(course) == {
        ("good", "double-check"): 7.0,
        ("good", "total-check"): 3.0,
        ("wrong", "double-check"): 0.0,
        ("wrong", "total-check"): 3.0,
    }
    again = run(course, "grade", "small")
    assert "0 to grade" in again.stderr
    pages = run(course, "feedback", "small")
    assert pages.returncode == 0, pages.stderr
    for student in [*HOSTILE, "good", "wrong"]:
        page = (course.feedback / student / "small" / "small.html").read_text()
        assert "Content-Security-Policy" in page
    assert "regular file" in (course.feedback / "fifo" / "small" / "small.html").read_text()


def test_odd_notebooks_are_graded_for_what_they_hold(tmp_path):
    course = make_course(tmp_path)
    assert run(course, "release", "small", "--no-audit").returncode == 0

    def change(student, edit):
        path = submit(course, student)
        notebook = read_notebook(path)
        edit(notebook)
        write_notebook(notebook, path)

    def solution(notebook):
        return next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "double")

    def wrong_first(notebook):
        copy = nbformat.v4.new_code_cell("def double(x): return 3 * x", metadata=solution(notebook).metadata)
        notebook.cells.insert(0, copy)

    change("nocell", lambda notebook: notebook.cells.remove(solution(notebook)))
    change("twocells", wrong_first)
    change("nograde", lambda notebook: notebook.cells.__delitem__(slice(-1, None)))
    change("reversed", lambda notebook: notebook.cells.reverse())
    change("noimports", lambda notebook: notebook.cells.__delitem__(1))
    done = run(course, "grade", "small")
    assert done.returncode == 0, done.stderr
    points = {record.student: record.points for record in Results(course.results).all("small")}
    assert points == {"nocell": 3.0, "twocells": 10.0, "nograde": 10.0, "reversed": 10.0, "noimports": 10.0}
    assert marks(course)[("nograde", "total-check")] == 3.0
    notes = {record.student: " ".join(record.problems) for record in Results(course.results).all("small")}
    assert "missing" in notes["nocell"]
    assert "2 cells are marked as the solution" in notes["twocells"]
    assert "had been deleted; the original was used" in notes["noimports"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["grade", "nope"], "there is no assignment 'nope'"),
        (["grade", "small", "--student", "zoe"], "zoe has not handed in small"),
        (["grade", "small"], "nothing was handed in"),
        (["release", "nope"], "there is no assignment"),
        (["feedback", "small", "--student", "zoe"], "zoe has not handed in"),
        (["compose", "small", "-e", "nope=graders/__init__.py", "-o", "x.ipynb"], "has no exercise 'nope'"),
        (["compose", "small", "-e", "double=nowhere.py", "-o", "x.ipynb"], "cannot read nowhere.py: No such file"),
        (["grade", "small", "--device", "cuda"], "no GPU"),
        (["grade", "small", "--json"], "--json: only with --notebook"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_a_non_zero_exit(course, arguments, said):
    done = run(course, *arguments)
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_release_without_a_place_for_its_log_is_one_line(tmp_path):
    course = make_course(tmp_path)
    course.results.write_text("no folder")
    done = run(course, "release", "small", "--no-audit")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: small is released, but ")
    assert "releases.log cannot be written: " in done.stderr
    assert (course.release / "small" / "small.ipynb").is_file()


def test_one_notebook_is_graded_without_the_gradebook_and_its_record_printed(course, tmp_path):
    path = submit(course, "elsewhere")
    mine = tmp_path / "mine.ipynb"
    path.rename(mine)
    path.parent.rmdir()
    done = run(course, "grade", "small", "--notebook", str(mine), "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["points"], record["max_points"], record["status"], record["student"]) == (10, 10, "final", "mine")
    assert not (course.results / "mine").exists()
    part = run(course, "grade", "small", "--notebook", str(mine), "--check", "test_gradient", "--json")
    checks = {
        check["name"]: check["outcome"] for exercise in json.loads(part.stdout)["exercises"] for check in exercise["checks"]
    }
    assert (json.loads(part.stdout)["partial"], record["partial"]) == (True, False)
    assert checks == {"test_values": "passed", "test_gradient": "passed"}
    told = run(course, "grade", "small", "--notebook", str(mine), "--check", "test_gradient").stdout
    assert "not reached" not in told
    assert "This is a part, not a mark" in told


def test_compose_and_pytest_use_the_same_graders(course, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text('"""Wrong."""\ndef double(x):\n    return 3 * x\n')
    done = run(course, "compose", "small", "-e", f"double={wrong}", "-o", str(tmp_path / "x.ipynb"))
    assert done.returncode == 0, done.stderr
    line = [sys.executable, "-m", "pytest", "graders/small", "--submission", str(tmp_path / "x.ipynb"), "-k", "double"]
    tested = subprocess.run(line, cwd=course.root, capture_output=True, text=True, check=False)
    assert tested.returncode == 1
    assert "double: 0 of 7 points" in tested.stdout
    assert "2 failed, 5 skipped" in tested.stdout
    nowhere = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    refused = subprocess.run(
        [*line, "--torchgrade-device", "cuda"], cwd=course.root, capture_output=True, text=True, check=False, env=nowhere
    )
    assert refused.returncode == 4
    assert "ERROR: --device cuda: torch sees no GPU on this machine; torchgrade doctor says more" in refused.stderr


def test_graders_without_a_submission_say_what_they_need(course):
    line = [sys.executable, "-m", "pytest", "graders/small"]
    done = subprocess.run(line, cwd=course.root, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "--submission FILE.ipynb" in done.stdout


def test_a_machine_without_user_namespaces_refuses_and_says_how_to_mend_it(course):
    path = submit(course, "nojail")
    # A user namespace in which no further one can be made is such a machine.
    limit = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    before = ["unshare", "--user", "--map-root-user", "sh", "-c", limit, "sh"]
    done = run(course, "grade", "small", "--notebook", str(path), before=before)
    path.unlink()
    path.parent.rmdir()
    assert done.returncode == 1
    assert "cannot jail" in done.stderr
    assert "sysctl -w user.max_user_namespaces" in done.stderr


def test_without_a_jail_a_record_says_so(course, tmp_path):
    path = submit(course, "unsafe")
    path = path.rename(tmp_path / "unsafe.ipynb")
    done = run(course, "grade", "small", "--notebook", str(path), "--json", "--unsafe-no-jail")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["points"] == 10
    assert record["environment"]["jail"] == "none (--unsafe-no-jail)"


def test_a_full_disk_is_said_before_anything_is_graded(tmp_path):
    course = make_course(tmp_path)
    assert run(course, "release", "small", "--no-audit").returncode == 0
    submit(course, "ann")
    course.results.mkdir(exist_ok=True)
    mount = 'mount -t tmpfs -o size=4k none results && dd if=/dev/zero of=results/full bs=4k count=1 2>/dev/null; exec "$@"'
    before = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh"]
    done = run(course, "grade", "small", before=before)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Nothing was graded" in done.stderr
    assert run(course, "grade", "small").returncode == 0


def test_a_locked_gradebook_is_one_line_and_the_next_run_records_the_marks(tmp_path):
    course = make_course(tmp_path)
    assert run(course, "release", "small", "--no-audit").returncode == 0
    submit(course, "ann")
    lock = sqlite3.connect(course.root / "gradebook.db", isolation_level=None)
    lock.execute("begin exclusive")
    done = run(course, "grade", "small")
    lock.execute("rollback")
    lock.close()
    assert done.returncode == 1
    assert "locked" in done.stderr
    assert "Traceback" not in done.stderr
    assert Results(course.results).read("ann", "small").points == 10
    again = run(course, "grade", "small")
    assert again.returncode == 0, again.stderr
    assert "0 to grade" in again.stderr
    assert marks(course)[("ann", "double-check")] == 7.0


def test_nbgraders_own_commands_give_the_same_marks(tmp_path):
    course = make_course(tmp_path)

    def nbgrader(*arguments):
        done = warm_commands.run([TOOLS / "nbgrader", *arguments], cwd=course.root, env=environment())
        assert done.returncode == 0, done.stderr

    nbgrader("generate_assignment", "small", "--create")
    submit(course, "ann")
    submit(course, "bob", double="def double(x):\n    return 3 * x\n")
    nbgrader("autograde", "small")
    by_nbgrader = marks(course)
    assert by_nbgrader[("bob", "double-check")] == 0.0
    assert by_nbgrader[("ann", "double-check")] == 7.0
    assert run(course, "grade", "small", "--regrade").returncode == 0
    assert marks(course) == by_nbgrader
    nbgrader("generate_feedback", "small")
    page = (course.feedback / "bob" / "small" / "small.html").read_text()
    assert "Every element is doubled" in page
    assert "elements are wrong" in page


def test_doctor_says_what_the_machine_can_do(course):
    done = run(course, "doctor")
    assert done.returncode == 0, done.stdout
    for line in ("jail", "no network: held", "no capabilities: held", "GPU", f"course: {course.root / 'nbgrader_config.py'}"):
        assert line in done.stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [("c.Limits.memory = 3", "did you mean 'memory_mb'?"), ("c.Limit.x = 3", "did you mean c.Limits?"), ("(", "SyntaxError")],
)
def test_doctor_reads_the_configuration_of_the_course_that_it_is_in(tmp_path, line, said):
    course = make_course(tmp_path)
    path = course.root / "nbgrader_config.py"
    path.write_text(path.read_text() + line + "\n")
    done = run(course, "doctor")
    assert done.returncode == 1
    assert "MISSING  course: its configuration cannot be used" in done.stdout
    assert said in done.stdout


def test_ctrl_c_finishes_what_is_in_flight_and_the_same_command_goes_on(tmp_path):
    course = make_course(tmp_path)
    assert run(course, "release", "small", "--no-audit").returncode == 0
    for number in range(12):
        submit(
            course,
            f"student-{number:02}",
            double=f"import time\ntime.sleep(0.5)\n\ndef double(x):\n    return 2 * x  # {number}\n",
        )
    line = [TOOLS / "torchgrade", "grade", "small", "--workers", "2"]
    grading = started(line, cwd=course.root, stderr=subprocess.PIPE, start_new_session=True)
    events = course.results / "events.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (events.exists() and '"graded"' in events.read_text()):
        time.sleep(0.05)
    os.killpg(grading.pid, signal.SIGINT)  # as a terminal does: to the judges and their jails too
    _, said = grading.communicate(timeout=60)
    assert grading.returncode == 130
    assert "Finishing what is in flight" in said
    assert "goes on where this one stopped" in said
    assert "Traceback" not in said
    done = {record.student: record.points for record in Results(course.results).all("small")}
    assert 1 <= len(done) < 12
    assert set(done.values()) == {10.0}
    assert {student for student, _ in marks(course)} == set(done)
    log = [json.loads(line) for line in events.read_text().splitlines()]
    assert [event["event"] for event in log if event["event"] in ("run", "end")] == ["run", "end"]
    assert {event["student"] for event in log if event["event"] == "graded"} == set(done)
    again = run(course, "grade", "small", "--workers", "2")
    assert again.returncode == 0, again.stderr
    assert f"12 submissions of small: {12 - len(done)} to grade, {len(done)} unchanged" in again.stderr
    assert {record.points for record in Results(course.results).all("small")} == {10.0}


def test_quiet_says_nothing_and_only_grades_those_that_it_names(tmp_path):
    course = make_course(tmp_path)
    assert run(course, "release", "small", "--no-audit").returncode == 0
    submit(course, "ann")
    done = run(course, "grade", "small", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert marks(course)[("ann", "total-check")] == 3.0
    for command in (["release", "--no-audit"], ["feedback"], ["report"], ["export", "--to", "canvas"]):
        done = run(course, command[0], "small", *command[1:], "--quiet")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), command
    done = run(course, "grade", "small", "--only", "provisional")
    assert "1 submission of small: 0 to grade, 1 others" in done.stderr


@pytest.mark.skipif(has_gpu(), reason="this machine has a GPU")
def test_what_waits_for_a_gpu_is_not_asked_again_where_there_is_none(tmp_path):
    course = make_course(tmp_path)
    grader = course.graders / "small" / "test_total.py"
    grader.write_text(grader.read_text().replace("@points(2)", "import pytest\n\n@pytest.mark.gpu\n@points(2)", 1))
    assert run(course, "release", "small", "--no-audit").returncode == 0
    submit(course, "ann")
    assert run(course, "grade", "small").returncode == 0
    before = Results(course.results).read("ann", "small")
    assert before.status.value == "provisional"
    done = run(course, "grade", "small", "--only", "provisional")
    assert done.returncode == 1
    assert "1 provisional submission waits for a GPU, and this machine has none" in done.stderr
    assert Results(course.results).read("ann", "small") == before
    assert "0 to grade, 1 unchanged" in run(course, "grade", "small").stderr


def test_history_shows_what_changed_a_mark(tmp_path):
    course = make_course(tmp_path)
    assert run(course, "release", "small", "--no-audit").returncode == 0
    submit(course, "ann", double="def double(x):\n    return 3 * x\n")
    done = run(course, "history", "small", "--student", "ann")
    assert done.returncode == 1
    assert "was never graded" in done.stderr
    assert run(course, "grade", "small").returncode == 0
    submit(course, "ann")
    assert run(course, "grade", "small").returncode == 0
    done = run(course, "history", "small", "--student", "ann")
    assert done.returncode == 0, done.stderr
    first, second, *differences = done.stdout.splitlines()
    assert "3 / 10" in first
    assert "10 / 10" in second
    assert "changed: notebook " in second
    assert "    double: Every element is doubled: failed (0 / 2) → passed (2 / 2)" in differences
    records = json.loads(run(course, "history", "small", "--student", "ann", "--json").stdout)
    assert [record["points"] for record in records] == [3.0, 10.0]


@pytest.mark.cold
def test_every_command_starts_from_nothing_too(tmp_path):
    """As a user's do; elsewhere they are forked (``warm_commands.py``), but for those that a shell runs in ``test_init.py``."""
    course = make_course(tmp_path)
    assert run(course, "release", "small", "--no-audit").returncode == 0
    submit(course, "ann")
    assert run(course, "grade", "small").returncode == 0
    for command, status, said in (
        ("report small", 0, "small.html"),
        ("history small --student ann", 0, "10 / 10"),
        ("export small --to canvas", 0, "canvas.csv"),
        ("solutions small", 0, "solutions/small.html"),
        ("audit small --exercise total --only e --no-mutants --repeat 1", 1, "PROBLEM"),
        ("watch small --once", 0, "is looked at"),
        ("doctor", 0, "a right answer gets 100% of the points"),
        ("new small more", 0, "test_more.py"),
        ("docs", 0, "troubles"),
    ):
        done = run(course, *command.split(), cold=True)
        assert (done.returncode, said in done.stdout + done.stderr) == (status, True), done.stdout + done.stderr
