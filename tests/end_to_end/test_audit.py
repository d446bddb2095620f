"""The audit through its command: what it finds in a small course, what it says of ours, and that every check is needed."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from processor_as_gpu import make_up_gpu
from small_course import make_course

from torchgrade.audit import audit_folder, holds
from torchgrade.bank import read_bank
from torchgrade.course import find_course
from torchgrade.judge.judge import Judge
from torchgrade.judge.plan import exercise_of, grader_files, read_plan
from torchgrade.notebook import compose, load_assignment, write_notebook

REPOSITORY = Path(__file__).parents[2]
COURSE = find_course(REPOSITORY)
ASSIGNMENTS = COURSE.assignment_names()
EXERCISES = [(a, e.name) for a in ASSIGNMENTS for e in load_assignment(REPOSITORY / "assignments", a).exercises]
TOOL = Path(sys.executable).parent / "torchgrade"

# Path, what it is, the checks it fails, code.
BANK = [
    ("double/wheats/plus", "Adds.", "", "def double(x):\n    return x + x\n"),
    (
        "double/chaffs/triple",
        "Triples.\n\nCosts: 7, because every value is wrong",
        "test_example, test_values",
        "def double(x):\n    return 3 * x\n",
    ),
    ("double/chaffs/detached", "Cuts the graph.", "test_gradient", "def double(x):\n    return 2 * x.detach()\n"),
    (
        "double/chaffs/in_place",
        "Changes its input.",
        "test_untouched",
        "def double(x):\n    y = 2 * x\n    if not x.requires_grad:\n        x.zero_()\n    return y\n",
    ),
    (
        "double/chaffs/wide",
        "Gives float64.",
        "test_dtype",
        "def double(x):\n    return x * 2 if x.requires_grad else x.double() * 2\n",
    ),
    (
        "double/chaffs/slow",
        "A loop.",
        "test_speed",
        "import torch\n\n\ndef double(x):\n    return torch.stack([2 * r for r in x.unbind()]) if len(x) > 99 else 2 * x\n",
    ),
    ("total/chaffs/rounded", "Rounds.", "test_values", "def total(x):\n    return x.sum().round()\n"),
    (
        "total/chaffs/empty",
        "There is no empty sum.",
        "test_empty",
        "def total(x):\n    return x.sum() if len(x) else x.new_ones(())\n",
    ),
]
ALLOWED = {
    "double": {"shuffled": 1, "broadcast": 1, "wrong_dtype": 5, "detached": 6},
    "total": {"zeros": 2, "ones": 1, "shuffled": 3, "broadcast": 3, "wrong_dtype": 3, "detached": 3},
}


@pytest.fixture
def course(tmp_path):
    course = make_course(tmp_path)
    for name, title, fails, code in BANK:
        write(course, name, title, fails, code)
    for exercise, allowed in ALLOWED.items():
        entries = [f'[degenerate.{name}]\npoints = {points}\nbecause = "It has this much."\n' for name, points in allowed.items()]
        (course.solutions / "small" / exercise / "audit.toml").write_text("".join(entries), encoding="utf-8")
    return course


def write(course, name, title, fails, code):
    path = course.solutions / "small" / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    docstring = f"{title}\n\nFails: {fails}\n" if fails else title
    path.write_text(f'"""{docstring}"""\n\n{code}', encoding="utf-8")


def run(folder, *arguments):
    return subprocess.run([str(TOOL), *arguments], cwd=folder, capture_output=True, text=True, check=False)


def problems(done):
    return [line for line in done.stdout.splitlines() if line.startswith("PROBLEM")]


def test_a_sound_course_is_audited_once_and_released(course):
    done = run(course.root, "audit", "small", "--repeat", "2")
    assert done.returncode == 0, done.stdout
    assert "No problems." in done.stdout
    document = json.loads((course.results / "audits" / "small.json").read_text(encoding="utf-8"))
    double = document["exercises"][0]
    assert [check["name"] for check in double["checks"]][:2] == ["test_example", "test_values"]
    triple = next(solution for solution in double["solutions"] if solution["name"] == "triple")
    assert [repeat["outcomes"] for repeat in triple["repeats"]] == ["xx----", "xx----"]
    assert len({repeat["seed"] for repeat in triple["repeats"]}) == 2
    page = (course.results / "audits" / "small.html").read_text(encoding="utf-8")
    assert "Triples" in page
    assert "Content-Security-Policy" in page
    released = run(course.root, "release", "small")
    assert released.returncode == 0, released.stderr
    assert "auditing" not in released.stdout + released.stderr
    assert "audited: no problems" in (course.results / "releases.log").read_text(encoding="utf-8")


def test_several_assignments_are_audited_one_after_the_other_and_problems_of_one_do_not_hide_the_next(course):
    assert run(course.root, "new", "other", "centred").returncode == 0
    write(course, "double/wheats/cubed", "Thought to be right.", "", "def double(x):\n    return x**3\n")
    done = run(course.root, "audit", "small", "other", "--repeat", "1", "--quick", "--no-mutants")
    assert done.returncode == 1
    small, other = done.stdout.index("small \u00b7 total"), done.stdout.index("other \u00b7 centred")
    assert small < other
    assert "wheat cubed" in done.stdout[small:other]
    assert done.stdout[other:].rstrip().endswith("No problems.")
    refused = run(course.root, "audit", "small", "nowhere")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "there is no assignment 'nowhere'" in refused.stderr
    refused = run(course.root, "audit", "small", "other", "--seed", "1")
    assert refused.returncode == 2
    assert "--exercise, --only and --seed choose within one ASSIGNMENT" in refused.stderr


def test_an_audit_with_problems_stops_the_release_and_no_audit_says_so(course):
    write(course, "double/wheats/cubed", "Thought to be right.", "", "def double(x):\n    return x**3\n")
    done = run(course.root, "release", "small")
    assert done.returncode == 1
    assert "not released: the audit of small found" in done.stderr
    assert not (course.release / "small").exists()
    done = run(course.root, "release", "small", "--no-audit")
    assert done.returncode == 0, done.stderr
    assert "not audited (--no-audit)" in done.stdout
    assert "not audited (--no-audit)" in (course.results / "releases.log").read_text(encoding="utf-8")


def test_the_seed_of_a_problem_shows_it_again(course):
    code = "def double(x):\n    return 2 * x if len(x) != 5 or float(x.detach().sum()) > 0 else 3 * x\n"
    write(course, "double/chaffs/sometimes", "Right when the sum is positive.", "test_values", code)
    first = run(course.root, "audit", "small", "--only", "sometimes", "--repeat", "8")
    assert first.returncode == 1
    line = problems(first)[0]
    assert "chaff sometimes does not fail test_values, which it names" in line
    again = line.partition("[torchgrade ")[2].rstrip("]").replace("'", "").split()
    second = run(course.root, *again)
    assert second.returncode == 1
    assert problems(second)[0] == line


def test_a_check_that_lets_everything_pass_is_a_problem(course):
    path = course.graders / "small" / "test_double.py"
    weak = path.read_text(encoding="utf-8").replace("assert_gradients(", "(lambda *_, **__: None)(")
    path.write_text(weak, encoding="utf-8")
    done = run(course.root, "audit", "small", "--only", "detached", "--repeat", "1")
    assert done.returncode == 1
    assert "does not fail test_gradient" in problems(done)[0]


def test_points_that_wait_for_a_gpu_are_a_problem_where_there_is_none(course):
    path = course.graders / "small" / "test_total.py"
    text = path.read_text(encoding="utf-8").replace("@points(1)", "@pytest.mark.gpu\n@points(1)")
    path.write_text("import pytest\n" + text, encoding="utf-8")
    done = run(course.root, "audit", "small", "--only", "rounded", "--repeat", "1")
    assert done.returncode == 1
    (line,) = problems(done)
    assert "test_empty gives 1 points and waits for a GPU" in line


def test_a_part_of_an_audit_does_not_open_the_gate(course):
    done = run(course.root, "audit", "small", "--only", "plus", "--repeat", "1", "-o", str(audit_folder(course)))
    assert done.returncode == 0, done.stdout
    assert not holds(course, "small")


def test_what_is_not_there_is_one_line(course):
    done = run(course.root, "audit", "small", "--exercise", "triple")
    assert done.returncode == 1
    assert "has no exercise 'triple'; it has: double, total" in done.stderr
    done = run(course.root, "audit", "small", "--only", "nobody")
    assert "no solution whose name holds 'nobody'" in done.stderr


def test_an_audit_that_cannot_be_kept_is_one_line(course):
    (course.root / "file").write_text("no folder")
    done = run(course.root, "audit", "small", "--only", "triple", "--repeat", "1", "--output", "file/audits")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Error: cannot write file/audits: ")
    assert "Traceback" not in done.stderr


SHORT = "vectorization"  # the others' audits take longer than all unit tests together


@pytest.mark.parametrize("assignment", [pytest.param(a, marks=[pytest.mark.long] * (a != SHORT)) for a in ASSIGNMENTS])
def test_our_own_graders_have_no_problems(assignment, tmp_path):
    done = run(REPOSITORY, "audit", assignment, "--repeat", "1", "--quick", "--seed", "1", "--output", str(tmp_path))
    assert done.returncode == 0, "\n".join(problems(done)) + done.stderr
    document = json.loads((tmp_path / f"{assignment}.json").read_text(encoding="utf-8"))
    for exercise in document["exercises"]:
        kinds = [solution["kind"] for solution in exercise["solutions"]]
        leads_up = sum(check["points"] for check in exercise["checks"]) == 1  # to a larger one, which holds most mistakes
        assert kinds.count("wheat") > (2 if leads_up else 10)  # the reference is one of them
        assert kinds.count("chaff") >= (5 if leads_up else 15)


@pytest.fixture(scope="module")
def weakened(tmp_path_factory):
    """A copy of the course whose graders may be spoilt, and a judge for it."""
    root = tmp_path_factory.mktemp("weakened")
    for name in ("assignments", "graders", "solutions"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    with Judge(find_course(root)) as judge:
        yield judge


def without_body(source, name):
    """The grader file with one check that looks at nothing."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            node.body = [node.body[0]]  # its docstring
    return ast.unparse(tree)


def forget_graders():
    for name in [name for name in sys.modules if name.partition(".")[0] == "graders"]:
        del sys.modules[name]


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES, ids=lambda value: value)
def test_weakening_any_single_check_makes_the_audit_fail(assignment, exercise, weakened, tmp_path, monkeypatch):
    """A wrong solution that names the check must be seen to pass it then: the audit calls that a problem (see above)."""
    make_up_gpu(monkeypatch)  # so that the checks that need one are asked
    course = weakened.course
    bank = [solution for solution in read_bank(course, assignment, exercise) if not solution.is_correct]
    unnoticed = []
    for check in read_plan(course, assignment).of(exercise):
        chaff = min((s for s in bank if check.name in s.fails), key=lambda s: (len(s.fails), s.path.name))
        path = next(path for path in grader_files(course, assignment) if exercise_of(path) == check.home)
        whole = path.read_text(encoding="utf-8")
        notebook = compose(load_assignment(course.assignments, assignment), {exercise: chaff.text})
        write_notebook(notebook, tmp_path / "chaff.ipynb")
        try:
            path.write_text(without_body(whole, check.name), encoding="utf-8")
            forget_graders()
            record = weakened.grade(assignment, "someone", tmp_path / "chaff.ipynb", exercise=exercise, checks=[check.name])
        finally:
            path.write_text(whole, encoding="utf-8")
            forget_graders()
        outcome = next(c.outcome for c in record.exercises[0].checks if c.name == check.name)
        if outcome != "passed":
            unnoticed.append((check.name, chaff.path.name, outcome))
    assert unnoticed == []
