"""A judge over a small course: real notebooks, a real jail, real pytest."""

import json

import pytest
from small_course import RIGHT, make_course, submit

from torchgrade.checks.declared import GraderError
from torchgrade.judge.judge import Judge
from torchgrade.record import Evidence, Outcome, Status, Visibility
from torchgrade.record.reading import read_record


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def judge(course):
    with Judge(course) as judge:
        yield judge


@pytest.fixture
def grade(course, judge):
    def graded(**solutions):
        return judge.grade("small", "alice", submit(course, **solutions))

    return graded


def outcomes(record):
    return {check.name if e.name == "double" else f"total.{check.name}": check for e in record.exercises for check in e.checks}


def test_a_correct_submission_gets_full_marks(grade):
    record = grade()
    assert [(c.name, c.message, c.detail) for e in record.exercises for c in e.checks if c.outcome is not Outcome.PASSED] == []
    assert (record.points, record.max_points, record.status) == (10.0, 10.0, Status.FINAL)
    assert [exercise.name for exercise in record.exercises] == ["double", "total"]
    assert record.problems == ()


def test_the_record_survives_json(grade):
    record = grade()
    assert read_record(json.loads(json.dumps(record.to_json()))) == record


def test_a_courses_own_hint_for_an_exception_is_read_for_each_submission(grade, course):
    wrong = "def double(x):\n    raise ValueError('nobody knows')\n"
    assert {c.hint for c in grade(double=wrong).exercises[0].checks} == {""}
    file = course.graders / "errors.toml"
    file.write_text('[[error]]\ntext = "nobody knows"\nhint = "We do."\n')
    try:
        assert {c.hint for c in grade(double=wrong).exercises[0].checks if c.slip == "raised"} == {"We do."}
        file.write_text('[[error]]\ntext = "nobody knows"\n')
        with pytest.raises(GraderError, match=r"errors\.toml: entry 1 is not of the form"):
            grade()
    finally:
        file.unlink()


def test_public_checks_come_first_and_say_that_they_are(grade):
    checks = grade().exercises[0].checks
    assert checks[0].name == "test_example"
    assert [check.visibility for check in checks] == [Visibility.PUBLIC] + 5 * [Visibility.HIDDEN]


@pytest.mark.parametrize(("ends", "outcome"), [("ends_its_process()", Outcome.FAILED), ("", Outcome.PASSED)])
def test_what_a_check_changed_ends_with_its_process_where_the_check_says_so(tmp_path, ends, outcome):
    changed = make_course(tmp_path)
    graders = changed.graders / "small"
    with (graders / "probes.py").open("a") as probes:
        probes.write("\n\ndef help_out(notebook):\n    notebook.total = lambda x: x.sum()\n")
    path = graders / "test_double.py"
    text = path.read_text().replace("    race(\n", f"    student.run(probes.help_out)\n    {ends}\n    race(\n")
    path.write_text("from torchgrade.checks.notes import ends_its_process\n" + text)
    with Judge(changed) as judge:
        record = judge.grade("small", "alice", submit(changed, total="def total(x):\n    return x.sum() + 1\n"))
    checks = outcomes(record)
    assert checks["test_speed"].outcome is Outcome.PASSED
    assert checks["total.test_empty"].outcome is outcome


def test_what_rests_on_the_workers_word_is_said_to(grade):
    checks = outcomes(grade())
    assert checks["test_untouched"].evidence is Evidence.WORD
    assert checks["test_values"].evidence is Evidence.DATA


def test_a_wrong_answer_fails_with_a_message_and_skips_what_needs_it(grade):
    record = grade(double="def double(x):\n    return 3 * x\n")
    checks = outcomes(record)
    assert checks["test_values"].outcome is Outcome.FAILED
    assert "elements are wrong" in checks["test_values"].message
    assert checks["test_values"].hint == "Each element is doubled."
    for name in ("test_gradient", "test_untouched", "test_dtype", "test_speed"):
        assert checks[name].outcome is Outcome.SKIPPED
        assert "Every element is doubled" in checks[name].message
        assert checks[name].points == 0
    assert record.points == 3.0


@pytest.mark.parametrize(
    ("text", "failing"),
    [
        ("def double(x):\n    return x.mul_(2)\n", {"test_gradient", "test_untouched"}),
        ("def double(x):\n    return 2 * x.detach()\n", {"test_gradient"}),
        ("def double(x):\n    return (2 * x).float()\n", {"test_dtype", "test_gradient"}),
        ("import torch\ndef double(x):\n    return torch.stack([r * 2 for r in x])\n", {"test_speed"}),
        ("import torch\ndef double(x):\n    return torch.cat([2 * x, x[:0]])\n", set()),
    ],
    ids=["in place", "detached", "float32", "a loop", "another way"],
)
def test_each_mistake_fails_the_checks_that_look_for_it(grade, text, failing):
    checks = outcomes(grade(double=text))
    assert {name for name, check in checks.items() if check.outcome is Outcome.FAILED} == failing


def test_a_loop_is_told_how_much_slower_it_is_and_the_samples_are_kept(grade):
    checks = outcomes(grade(double="import torch\ndef double(x):\n    return torch.stack([r * 2 for r in x])\n"))
    assert "times the reference; at most 5 allowed" in checks["test_speed"].message
    assert len(checks["test_speed"].measurements["race"]["batches"]) >= 3


def test_part_of_the_points_can_be_awarded(grade):
    check = outcomes(grade(total="def total(x):\n    return x.sum().round()\n"))["total.test_values"]
    assert (check.points, check.outcome, check.message) == (1.0, Outcome.FAILED, "Rounded.")


def test_an_authors_own_message_is_shown_and_the_graders_source_is_not(grade):
    record = grade(total="import torch\ndef total(x):\n    return x.sum() if len(x) else torch.tensor(5.0)\n")
    check = outcomes(record)["total.test_empty"]
    assert check.message == "The sum of nothing is 0"
    assert "assert float" in check.detail


def test_a_parametrised_check_passes_only_as_a_whole(grade):
    check = outcomes(
        grade(double="def double(x):\n    return (2 * x).to(x.dtype if x.dtype.itemsize == 4 else x.float().dtype)\n")
    )
    assert check["test_dtype"].outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "not written"),
        ("def double(x:\n", "Not run: cell 3 has a syntax error in line 1."),
        ("double = 3\n", "type int"),
        ("def double(x):\n    return None\n", "returned None; expected a Tensor"),
        ("def double(x):\n    return 'six'\n", "returned a str; expected a Tensor"),
        ("def double(x):\n    return x / 0 if False else 1 / 0\n", "ZeroDivisionError"),
        ("def double(x):\n    import os\n    os._exit(0)\n", "exit status 0"),
        ("import os\nos._exit(0)\n", "Not run: cell 3 did not run through."),
    ],
    ids=["stub", "syntax error", "no function", "None", "text", "raises", "exits in a call", "exits in a cell"],
)
def test_each_failure_has_its_words_and_the_other_exercise_its_marks(grade, text, said):
    record = grade(double=text)
    double, total = record.exercises
    assert double.points == 0
    assert said in double.checks[0].message
    assert total.points == 3.0
    assert record.status is Status.FINAL


LEAVES_BEHIND = {
    "counts its calls": "calls = 0\ndef double(x):\n    global calls\n    calls += 1\n    assert calls < 4\n    return 2 * x\n",
    "ends later": "import os\ncalls = []\ndef double(x):\n    calls.append(x)\n    calls[4:] and os._exit(1)\n    return 2 * x\n",
    "holds memory": "held = []\ndef double(x):\n    held.append(bytearray(90_000_000))\n    return 2 * x\n",
}


@pytest.mark.parametrize("text", LEAVES_BEHIND.values(), ids=LEAVES_BEHIND)
def test_what_a_check_leaves_behind_costs_no_other_check_anything(grade, text):
    # Any check alone makes fewer calls than these stand; all of them in one process make more. A race makes hundreds.
    checks = outcomes(grade(double=text))
    assert {name for name, check in checks.items() if check.outcome is not Outcome.PASSED} <= {"test_speed"}


def test_the_cells_that_did_not_run_through_are_named(grade):
    record = grade(double="import os\nos._exit(0)\n")
    assert any("'double'" in problem and "exit status 0" in problem for problem in record.problems)


def test_a_bug_in_the_grader_leaves_the_check_open_and_never_at_fault(course, judge, monkeypatch):
    import graders.small.test_total as grader

    def broken(*_args, **_kwargs):
        raise IndexError("a bug")

    monkeypatch.setattr(grader, "assert_close", broken)
    record = judge.grade("small", "alice", submit(course))
    check = outcomes(record)["total.test_values"]
    assert check.outcome is Outcome.UNGRADED
    assert "You lose no points" in check.message
    assert "IndexError: a bug" in check.detail
    assert record.status is Status.UNGRADED


def test_a_run_repeats_with_its_seed(course, judge):
    path = submit(course, double="def double(x):\n    return 2 * x + 1\n")
    first = judge.grade("small", "alice", path)
    again = judge.grade("small", "alice", path, seed=first.seed)
    other = judge.grade("small", "alice", path)
    message = lambda record: outcomes(record)["test_values"].message
    assert message(first) == message(again)
    assert message(first) != message(other)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"{", "not JSON"),
        (b"[1]", "not a notebook"),
        (b'{"nbformat": 99, "cells": []}', "format 99"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}', "none of the solution cells"),
        (b"[" * 100_000, "not JSON"),
    ],
    ids=["empty", "no text", "no JSON", "no notebook", "unknown format", "another notebook", "deep"],
)
def test_a_file_that_is_no_notebook_gets_a_record_that_says_why(course, judge, data, said):
    path = submit(course)
    path.write_bytes(data)
    record = judge.grade("small", "alice", path)
    assert not record.readable
    assert said in record.problems[0]
    assert "\n" not in record.problems[0]
    assert (record.points, record.max_points) == (0, 10)


def test_an_assignment_without_graders_is_the_courses_error(course, judge, tmp_path):
    other = make_course(tmp_path)
    (other.graders / "small" / "test_double.py").unlink()
    (other.graders / "small" / "test_total.py").unlink()
    (other.graders / "small" / "public_double.py").unlink()
    with Judge(other) as lone, pytest.raises(GraderError, match="no graders"):
        lone.grade("small", "alice", submit(other))


def test_a_grade_cell_cannot_change_what_it_is_worth(course, judge):
    path = submit(course, double="def double(x):\n    return 3 * x\n")
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade"):
            cell["metadata"]["nbgrader"]["points"] = 1000
    notebook["cells"] += [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade")]
    path.write_text(json.dumps(notebook))
    record = judge.grade("small", "alice", path)
    assert (record.points, record.max_points) == (3.0, 10.0)


assert set(RIGHT) == {"double", "total"}
