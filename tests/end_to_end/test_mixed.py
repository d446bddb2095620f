"""Notebooks with tests in their own cells and with exercises that have checks: one gradebook, by both commands."""

import re
import shutil

import nbformat
import pytest
from mixed_course import CONFIG, GRADERS, cell, hand_in, make_mixed, write
from nbclient import NotebookClient
from quickstart import run, table
from written_course import replace_words_for_the_author

from torchgrade.cli import grade as class_grading
from torchgrade.course import Submission, find_course
from torchgrade.record import Results

pytestmark = pytest.mark.classic

WRONG = "def double(x):\n    return 3 * x\n"
# Whatever runs in the process of the student's code believes anything after this.
PATCHES = (
    "import builtins, torchgrade, torch\n"
    "torch.testing.assert_close = torchgrade.assert_close = lambda *_, **__: None\n"
    "torch.allclose = torch.equal = lambda *_, **__: True\n"
    "check = lambda _: 4.0\n"
)


def _forge(notebook):
    """Write the paper anew: marks, outputs and names of cells."""
    cells = {each.metadata["nbgrader"]["grade_id"]: each for each in notebook.cells}
    test, checked = cells["mean-test"], cells["double-check"]
    test.source = "2.0"
    checked.source = "4.0"
    checked.metadata["nbgrader"].update(points=100, solution=True, locked=False)
    notebook.cells.append(nbformat.from_dict({**checked, "id": "again"}))
    cells["essay"].metadata["nbgrader"].update(grade=False, solution=False)
    notebook.cells.remove(cells["share-test"])
    notebook.metadata["torchgrade"] = {"record": "mine", "graded_from": "mine"}


CLASS = {
    "right": {},
    "wrong": {"double": WRONG},
    "patches": {"double": PATCHES + WRONG},
    "forges": {"double": WRONG, "mean": "mean = None\n", "change": _forge},
    "guesses": {"mean": "def mean(values):\n    return 2\n"},
    "exits": {"share": "import os\nos._exit(0)"},
    # Called in the kernel, it would cost the tests below it.
    "ends": {"double": "def double(x):\n    import os\n    os._exit(0)\n"},
    "half": {"share": "share = 0.25", "double": "def double(x):\n    return x + 3 if x.numel() == 1 else x\n"},
}
# mean-test and share-test of ps, double-check, mean-test of more; None waits for a person.
MARKS = {
    "right": (2, 1, 4, 2),
    "wrong": (2, 1, 0, 2),
    "patches": (2, 1, 0, 2),
    "forges": (0, 1, 0, 0),
    "guesses": (0, 1, 4, 0),
    "exits": (2, 0, 4, 2),
    "ends": (2, 1, 0, 2),
    "half": (2, 0.25, 1, 2),
}


def _marks(root):
    found = {}
    for student, notebook, name, score, *_ in table(root):
        found.setdefault(student, {})[notebook, name] = score
    cells = [("ps", "mean-test"), ("ps", "share-test"), ("ps", "double-check"), ("more", "mean-test")]
    return {student: tuple(scores[each] for each in cells) for student, scores in found.items()}


def grade(root, *options):
    """``torchgrade grade ps``; its exit status and what it said."""
    return run(root, "torchgrade", "grade", "ps", "--workers", "2", *options)


@pytest.fixture(scope="module")
def courses(tmp_path_factory):
    """The same class twice: graded by torchgrade's command, and by nbgrader's."""
    root = tmp_path_factory.mktemp("mixed")
    make_mixed(root / "torchgrade")
    for student, facts in CLASS.items():
        hand_in(root / "torchgrade", student, **facts)
    shutil.copytree(root / "torchgrade", root / "nbgrader")
    status, said = grade(root / "torchgrade")
    assert status == 0, said
    status, said = run(root / "nbgrader", "nbgrader", "autograde", "ps")
    assert status == 0, said
    return {name: root / name for name in ("torchgrade", "nbgrader")}


def test_a_release_hides_answers_and_hidden_tests_and_adds_the_public_checks(courses):
    release = courses["torchgrade"] / "release" / "ps"
    assert {path.name for path in release.iterdir()} == {"ps.ipynb", "more.ipynb", "public_double.py", "checks.json"}
    sources = {
        each.metadata["nbgrader"]["grade_id"]: each.source for each in nbformat.read(release / "ps.ipynb", as_version=4).cells
    }
    assert sources["double"] == cell("double").source
    assert sources["mean"] == "# YOUR CODE HERE\nraise NotImplementedError()"
    assert sources["mean-test"] == "assert mean([1, 2, 3]) == 2"


def test_nbgraders_own_command_makes_the_same_release(courses, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(courses["torchgrade"], root)
    before = {path.name: path.read_bytes() for path in (root / "release" / "ps").iterdir()}
    status, said = run(root, "nbgrader", "generate_assignment", "ps", "--force")
    assert status == 0, said
    assert {path.name: path.read_bytes() for path in (root / "release" / "ps").iterdir()} == before


@pytest.mark.parametrize("name", ["torchgrade", "nbgrader"])
def test_tests_in_cells_and_checks_give_their_marks_whatever_a_notebook_claims(courses, name):
    assert _marks(courses[name]) == MARKS


def test_both_commands_flag_what_a_person_has_to_grade(courses):
    flags = [[row for row in table(courses[name]) if row[-1]] for name in courses]
    assert flags[0] == flags[1]
    assert {(student, name) for student, _, name, *_ in flags[0]} == {(student, "essay") for student in CLASS}


def test_the_copy_shows_the_table_of_the_checks_and_the_outputs_of_the_tests(courses):
    copy = nbformat.read(courses["torchgrade"] / "autograded" / "half" / "ps" / "ps.ipynb", as_version=4)
    outputs = {each.metadata.get("nbgrader", {}).get("grade_id"): each.get("outputs") for each in copy.cells}
    assert "Every element is doubled" in outputs["double-check"][1].data["text/html"]
    assert outputs["share-test"][0].data["text/plain"] == "0.25"
    summary = outputs[None][0].data["text/html"]
    assert ("1 / 4" in summary, "Total" in summary, "Final" in summary) == (True, False, False)


def test_pages_show_both_and_neither_hidden_tests_nor_graders(courses):
    root = courses["torchgrade"]
    status, said = run(root, "torchgrade", "feedback", "ps")
    assert status == 0, said
    page = (root / "feedback" / "guesses" / "ps" / "ps.html").read_text()
    text = re.sub(r"<[^>]+>", "", page)
    assert "not for every list" in text
    assert "Every element is doubled" in text
    assert page.count('<table class="torchgrade-table">') == 2  # theirs alone is shown as it is made
    assert "Content-Security-Policy" in page
    assert "A hidden test stands here." in text
    for secret in ("2.25", "student.double", "test_secret"):
        assert secret not in page
    assert "check(&quot;double&quot;)" not in page.replace("&#34;", "&quot;")
    assert "assert mean([1, 2, 3]) == 2" in text


@pytest.fixture
def course(courses, tmp_path):
    """A copy of the graded course, to be changed."""
    root = tmp_path / "course"
    shutil.copytree(courses["torchgrade"], root)
    return root


def test_a_second_run_grades_nothing(course):
    status, said = grade(course)
    assert (status, "ps: 0 graded in" in said, "checks first" in said) == (0, True, False), said


def test_a_changed_grader_grades_again_and_so_does_a_changed_notebook(course):
    graders = course / "graders" / "ps" / "test_double.py"
    graders.write_text(GRADERS.replace("2 * x.double()", "3 * x.double()"))
    status, said = grade(course)
    assert (status, f"ps: {len(CLASS)} graded in" in said) == (0, True), said
    assert {student: marks[2] for student, marks in _marks(course).items()} == {
        "right": 1,
        "wrong": 3,
        "patches": 3,
        "forges": 3,
        "guesses": 1,
        "exits": 1,
        "ends": 0,
        "half": 1,
    }
    hand_in(course, "half", double=WRONG)
    status, said = grade(course)
    assert (status, "ps: 1 graded in" in said) == (0, True), said
    assert _marks(course)["half"] == (2, 1, 3, 2)


def test_an_exercise_that_is_still_open_is_flagged_in_the_gradebook(course):
    (course / "graders" / "ps" / "test_double.py").write_text(GRADERS.replace("torch.randn(5, 7)", "1 / 0"))
    status, said = grade(course, "--student", "right")
    assert status == 0, said
    flagged = {(name, score) for student, _, name, score, _, by_hand in table(course) if by_hand and student == "right"}
    assert flagged == {("double-check", 1.0), ("essay", None)}


def test_an_exercise_without_checks_is_refused_in_one_line(course):
    (course / "graders" / "ps" / "test_double.py").unlink()
    (course / "graders" / "ps" / "public_double.py").unlink()
    for command in (("grade", "ps"), ("release", "ps", "--no-audit")):
        status, said = run(course, "torchgrade", *command)
        assert status == 1
        assert said.startswith("Error: the exercise 'double' of ps has no checks: expected ")
        assert len(said.splitlines()) == 1


def test_an_exercise_in_another_notebook_is_refused_in_one_line(course):
    write(course / "source" / "ps" / "more.ipynb", map(cell, ("mean", "mean-test", "double", "double-check")))
    status, said = run(course, "torchgrade", "grade", "ps")
    assert status == 1
    assert said.startswith("Error: the exercise 'double' is in more.ipynb, but checks look only into ps.ipynb")
    assert len(said.splitlines()) == 1


def test_graders_whose_exercise_the_notebook_does_not_call_are_refused_by_release(course):
    (course / "graders" / "ps" / "test_triple.py").write_text(GRADERS)
    status, said = run(course, "torchgrade", "release", "ps", "--no-audit")
    assert status == 1
    assert "has checks for 'triple', but the notebook has no grade cell 'triple-check' that calls check('triple')" in said


def test_an_answer_in_the_release_is_refused(course):
    leaking = {"double": "def double(x):\n    twice = x.new_tensor(2)\n    return twice * x\n"}
    cells = [cell(name) for name in ("imports", "mean", "mean-test", "double", "double-check")]
    cells[3].source = leaking["double"]
    write(course / "source" / "ps" / "ps.ipynb", cells)
    status, said = run(course, "torchgrade", "release", "ps", "--no-audit")
    assert (status, "code of solutions/ps/double/reference.py" in said) == (1, True), said


def test_a_student_without_the_mixed_notebook_still_has_marks_for_the_other(course):
    (course / "submitted" / "right" / "ps" / "ps.ipynb").unlink()
    status, said = grade(course, "--student", "right")
    assert (status, "right                    2 of 12" in said) == (0, True), said


def test_a_notebook_that_cannot_be_read_costs_its_own_student_alone(course):
    (course / "submitted" / "right" / "ps" / "ps.ipynb").write_text("{")
    hand_in(course, "wrong")
    status, said = grade(course)
    assert status == 1
    (problem,) = [line for line in said.splitlines() if line.startswith("Problem")]
    assert problem.startswith("Problem: right: not graded: ps.ipynb is not a notebook: it is not JSON")
    assert _marks(course)["wrong"] == MARKS["right"]


def test_check_works_in_the_released_notebook(courses):
    release = courses["torchgrade"] / "release" / "ps"
    notebook = nbformat.read(release / "ps.ipynb", as_version=4)
    NotebookClient(notebook, resources={"metadata": {"path": str(release)}}, allow_errors=True).execute()
    shown = next(each for each in notebook.cells if each.metadata["nbgrader"]["grade_id"] == "double-check").outputs
    assert "Twice three is six" in str(shown)


def test_what_the_record_keeps_is_the_exercise_alone(courses):
    record = Results(courses["torchgrade"] / "results").read("half", "ps")
    assert [(exercise.name, exercise.points, exercise.max_points) for exercise in record.exercises] == [("double", 1.0, 4.0)]
    assert not any("mean-test" in problem for problem in record.problems)


def test_a_new_exercise_behind_classic_tests_audits_and_releases(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    write(tmp_path / "source" / "ps" / "ps.ipynb", map(cell, ("mean", "mean-test")))
    status, said = run(tmp_path, "torchgrade", "release", "ps")
    assert (status, "no checks to be audited" in said) == (0, True), said
    assert run(tmp_path, "torchgrade", "new", "ps", "masked_mean")[0] == 0
    replace_words_for_the_author(tmp_path / "source", "ps")
    status, said = run(tmp_path, "torchgrade", "release", "ps")
    assert (status, "audited: no problems" in said) == (0, True), said
    files = {path.name for path in (tmp_path / "release" / "ps").iterdir()}
    assert files == {"ps.ipynb", "checks.json", "public_masked_mean.py"}


def test_marks_for_gradescope_and_a_cluster_are_refused_in_one_line(courses):
    for command in (("export", "ps", "--to", "gradescope"), ("grade", "ps", "--ray", "auto")):
        status, said = run(courses["torchgrade"], "torchgrade", *command)
        assert status == 2
        assert said.splitlines()[-1].startswith("Error: --")


def test_a_history_of_what_nbgraders_own_command_graded_has_its_exercises(courses):
    status, said = run(courses["nbgrader"], "torchgrade", "history", "ps", "--student", "half")
    assert (status, said.splitlines()[0]) == (0, "Its exercises with checks:"), said
    assert "1 / 4" in said.splitlines()[1]


def test_a_ctrl_c_while_a_run_is_being_made_begins_nothing(course, monkeypatch):
    hand_in(course, "half", double=WRONG)
    grading, make_run = class_grading.ClassicGrading(find_course(course), workers=1, quiet=True), class_grading.ClassRun

    def interrupted(*arguments, **options):
        grading.finish()
        return make_run(*arguments, **options)

    monkeypatch.setattr(class_grading, "ClassRun", interrupted)
    assert grading.grade("ps", [Submission("ps", "half")]) == ([], [])
    assert Results(course / "results").read("half", "ps").points == 1.0
