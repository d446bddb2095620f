"""The audit through its command: what it finds in a small course, and when what was kept is current."""

import json
import shutil

import pytest
from small_course import make_course
from warm_commands import torchgrade

from torchgrade.audit import audit_folder, keep, rests_on, standing
from torchgrade.course import find_course

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
    return fill(make_course(tmp_path))


def fill(course):
    """Write the bank."""
    for name, title, fails, code in BANK:
        write(course, name, title, fails, code)
    for exercise, allowed in ALLOWED.items():
        entries = [f'[degenerate.{name}]\npoints = {points}\nbecause = "It has this much."\n' for name, points in allowed.items()]
        (course.solutions / "small" / exercise / "audit.toml").write_text("".join(entries), encoding="utf-8")
    return course


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """The course with an audit that was kept, which tests copy; and what the command said."""
    course = fill(make_course(tmp_path_factory.mktemp("once")))
    done = run(course.root, "audit", "--all", "--repeat", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    return course, done.stdout


@pytest.fixture
def audited(once, tmp_path):
    shutil.copytree(once[0].root, tmp_path / "course")
    return find_course(tmp_path / "course")


def write(course, name, title, fails, code):
    path = course.solutions / "small" / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    docstring = f"{title}\n\nFails: {fails}\n" if fails else title
    path.write_text(f'"""{docstring}"""\n\n{code}', encoding="utf-8")


def run(folder, *arguments):
    return torchgrade(folder, *arguments)


def problems(done):
    return [line for line in done.stdout.splitlines() if line.startswith("PROBLEM")]


def test_a_sound_course_is_audited_once_and_released(once, audited):
    assert "No problems." in once[1]
    document = json.loads((audited.results / "audits" / "small.json").read_text(encoding="utf-8"))
    double = document["exercises"][0]
    assert [check["name"] for check in double["checks"]][:2] == ["test_example", "test_values"]
    triple = next(solution for solution in double["solutions"] if solution["name"] == "triple")
    assert [repeat["outcomes"] for repeat in triple["repeats"]] == ["xx----"]
    page = (audited.results / "audits" / "small.html").read_text(encoding="utf-8")
    assert "Triples" in page
    assert "Content-Security-Policy" in page
    released = run(audited.root, "release", "small")
    assert released.returncode == 0, released.stderr
    assert "auditing" not in released.stdout + released.stderr
    assert "audited: no problems" in (audited.results / "releases.log").read_text(encoding="utf-8")


def test_several_assignments_are_audited_one_after_the_other_and_problems_of_one_do_not_hide_the_next(course):
    assert run(course.root, "new", "other", "centred").returncode == 0
    shutil.rmtree(course.solutions / "small" / "double" / "chaffs")
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
    for chaffs in (course.solutions / "small").glob("*/chaffs"):
        shutil.rmtree(chaffs)  # they say nothing here, and take most of the time; so do thoughtless answers
    change(course.assignments / "small" / "small.ipynb", " -> Tensor", "")
    write(course, "double/wheats/cubed", "Thought to be right.", "", "def double(x):\n    return x**3\n")
    done = run(course.root, "release", "small")
    assert done.returncode == 1
    assert "wheat cubed is right and fails test_example" in done.stdout
    assert "not released: the audit of small found" in done.stderr
    assert not (course.release / "small").exists()
    done = run(course.root, "release", "small", "--no-audit")
    assert done.returncode == 0, done.stderr
    assert "not audited (--no-audit)" in done.stdout
    assert "not audited (--no-audit)" in (course.results / "releases.log").read_text(encoding="utf-8")


def test_the_seed_of_a_problem_shows_it_again(course):
    # Right for three draws in four: it is wrong in all of eight repeats once in 65000 runs.
    code = "def double(x):\n    return 2 * x if len(x) != 5 or float(x.detach().sum()) > -4 else 3 * x\n"
    write(course, "double/chaffs/sometimes", "Wrong when the sum is small.", "test_values", code)
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
    assert not standing(course, "small").is_current


def test_what_is_not_there_is_one_line(course):
    done = run(course.root, "audit", "small", "--exercise", "triple")
    assert done.returncode == 1
    assert "has no exercise 'triple'; it has: double, total" in done.stderr
    done = run(course.root, "audit", "small", "--only", "nobody")
    assert "no solution whose name contains 'nobody'" in done.stderr


def test_an_audit_that_cannot_be_kept_is_one_line(course):
    (course.root / "file").write_text("no folder")
    done = run(course.root, "audit", "small", "--only", "triple", "--repeat", "1", "--output", "file/audits")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Error: cannot write to file/audits: ")
    assert "Traceback" not in done.stderr


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def another_engine(course):
    """The kept audit, as if another torchgrade had made it."""
    document = json.loads((audit_folder(course) / "small.json").read_bytes())
    document["rests_on"]["engine"] = "another"
    keep(document, audit_folder(course))


def test_what_is_current_is_not_audited_again_and_all_says_so(audited):
    done = run(audited.root, "audit", "--all")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"small: the audit in {audit_folder(audited)} is current"]
    another_engine(audited)
    assert not standing(audited, "small").is_current
    done = run(audited.root, "audit", "--all", "--repeat", "1", "--quiet")
    assert done.returncode == 0, done.stdout
    assert standing(audited, "small").is_current


@pytest.mark.parametrize(
    ("part", "file", "old", "new"),
    [
        ("graders", "graders/small/test_double.py", "scale=10.0", "scale=20.0"),
        ("bank", "solutions/small/double/chaffs/triple.py", "return 3 * x", "return 4 * x"),
        ("bank", "solutions/small/double/chaffs/triple.py", "Fails: test_example, test_values", "Fails: test_values"),
        ("bank", "solutions/small/double/audit.toml", "points = 5", "points = 4"),
        ("notebook", "assignments/small/small.ipynb", "def double(x: Tensor)", "def double(x: Tensor, y: int = 0)"),
    ],
)
def test_a_check_of_what_was_changed_names_it_and_runs_nothing(audited, part, file, old, new):
    assert run(audited.root, "audit", "--check").returncode == 0
    change(audited.root / file, old, new)
    done = run(audited.root, "audit", "--check")
    path = audit_folder(audited) / "small.json"
    said = f"Error: small: {part} changed since the audit in {path}; run torchgrade audit small\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_prose_leaves_an_audit_as_it_is(audited):
    change(audited.graders / "small" / "test_double.py", "Every element is doubled.", "Each of the elements is doubled.")
    change(audited.solutions / "small/double/chaffs/triple.py", "Triples.", "It triples.")
    change(audited.assignments / "small" / "small.ipynb", "# Small", "# Quite small")
    assert standing(audited, "small").is_current


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"""Right."""; x = 1\n', '"""Right."""; x = 2\n'),
        ('def f(): """Right."""; return 1\n', 'def f(): """Right."""; return 2\n'),
        ('class C:\n    """Right."""; x = 1\n', 'class C:\n    """Right."""; x = 2\n'),
        ('def f():\n    """Right."""\n    return """a\n\nb"""\n', 'def f():\n    """Right."""\n    return """a\nb"""\n'),
    ],
)
def test_code_beside_a_docstring_and_text_that_is_data_are_no_prose(audited, before, after):
    grader = audited.graders / "small" / "more.py"
    grader.write_text(before, encoding="utf-8")
    was = rests_on(audited, "small")["graders"]
    grader.write_text(after, encoding="utf-8")
    assert rests_on(audited, "small")["graders"] != was
    grader.write_text(before.replace("Right.", "Quite right.\n"), encoding="utf-8")
    assert (rests_on(audited, "small")["graders"] == was) is ('return """a' in before)


def test_an_audit_that_is_not_there_or_cannot_be_read_or_has_problems_is_a_line(audited):
    path = audit_folder(audited) / "small.json"
    document = json.loads(path.read_bytes())
    keep({**document, "complete": False}, path.parent)
    assert "is only a part of an audit" in standing(audited, "small").problem
    document["exercises"][0]["problems"] = ["one"]
    keep(document, path.parent)
    assert "its audit found 1 problems" in standing(audited, "small").problem
    path.write_text("[]")
    assert "is not an audit's document" in standing(audited, "small").problem
    path.unlink()
    done = run(audited.root, "audit", "--check", "small")
    assert done.returncode == 1
    assert done.stderr == f"Error: small was never audited: there is no {path}; run torchgrade audit small\n"


def test_a_sample_is_graded_where_the_engine_is_another_one(audited):
    done = run(audited.root, "audit", "--sample")
    assert (done.returncode, done.stdout) == (0, "small: audited with this engine; no sample is needed\n")
    another_engine(audited)
    kept = (audit_folder(audited) / "small.json").read_bytes()
    assert run(audited.root, "audit", "--check").returncode == 0
    done = run(audited.root, "audit", "--sample")
    assert done.returncode == 0, done.stdout
    assert "triple" in done.stdout
    assert "detached" in done.stdout
    assert "in_place" not in done.stdout
    # What an engine does that lets everything pass: here by the grader, which is nearer at hand.
    change(audited.graders / "small" / "test_double.py", "assert_close(student", "(lambda *_, **__: None)(student")
    change(audited.graders / "small" / "public_double.py", "assert_close(student", "(lambda *_, **__: None)(student")
    done = run(audited.root, "audit", "--sample", "--quiet")
    assert done.returncode == 1
    assert "triple does not fail test_values" in "".join(problems(done))
    assert (audit_folder(audited) / "small.json").read_bytes() == kept


def test_options_that_do_not_go_together_are_refused(audited):
    for words, said in [
        ((), "name an ASSIGNMENT, or give --all"),
        (("small", "--all"), "--all means all assignments"),
        (("--check", "--sample"), "give only one of them"),
    ]:
        done = run(audited.root, "audit", *words)
        assert done.returncode == 2
        assert said in done.stderr
