"""What waited for a GPU is completed where there is one, and nothing else is asked again. The GPU is made up."""

import dataclasses

import pytest
import torch
from small_course import make_course, submit

from torchgrade.course import Submission
from torchgrade.judge import environment
from torchgrade.judge.judge import Judge
from torchgrade.record import Outcome, Results, Status
from torchgrade.runs import ClassRun, Done, current_record, judging
from torchgrade.runs.reuse import read_submission, to_complete
from torchgrade.runs.tasks import Answer, Event, GradeSubmission

ANN = Submission("small", "ann")
ON_GPU = '''

@pytest.mark.gpu
@points(1)
def test_on_a_gpu(student, device):
    """It runs on the GPU."""
    assert device.type == "cuda"
    assert_close(student.double(torch.ones(3)), torch.full((3,), 2.0))

@points(1, needs=test_on_a_gpu)
def test_after_it(student):
    """It goes on."""
    assert_close(student.double(torch.zeros(3)), torch.zeros(3))
'''


@pytest.fixture
def course(tmp_path):
    course = make_course(tmp_path)
    grader = course.graders / "small" / "test_double.py"
    grader.write_text(grader.read_text() + ON_GPU)
    submit(course, "ann")
    return course


@pytest.fixture
def judge(course):
    with Judge(course) as judge:
        yield judge


@pytest.fixture
def provisional(course, judge):
    record = judge.grade(*ANN, read_submission(course, ANN))
    Results(course.results).write(record)
    return record


@pytest.fixture
def gpu(monkeypatch):
    def appear(there=True):
        monkeypatch.setattr(environment, "has_gpu", lambda: there)
        monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Made Up 9000")

    return appear


def test_without_a_gpu_its_checks_and_those_that_need_them_wait(provisional):
    assert provisional.status is Status.PROVISIONAL
    assert provisional.deferred == {"test_on_a_gpu", "test_after_it"}
    assert provisional.points == 10


def test_with_one_only_those_are_asked_and_the_rest_stands(course, judge, provisional, gpu, monkeypatch):
    gpu()
    asked = []
    grade = Judge.grade
    monkeypatch.setattr(Judge, "grade", lambda *a, **k: asked.append(k["checks"]) or grade(*a, **k))
    file = read_submission(course, ANN)
    record = judging.record_for(GradeSubmission(ANN, file, earlier=to_complete(course, ANN)), judge)
    assert asked == [provisional.deferred]
    assert record.status is Status.FINAL
    assert record.points == 12
    for before, after in zip(provisional.exercises[0].checks, record.exercises[0].checks, strict=True):
        assert after == before if before.name not in provisional.deferred else after.outcome is Outcome.PASSED
    assert record.environment["device"] == "cpu"
    assert record.environment["completed"]["gpu"] == "Made Up 9000"
    assert record.environment["completed"]["seed"] != record.seed


def test_a_completed_record_is_current_with_and_without_a_gpu_a_provisional_one_without(course, judge, provisional, gpu):
    assert current_record(course, *ANN) == provisional
    gpu()
    assert current_record(course, *ANN) is None
    file = read_submission(course, ANN)
    record = provisional.completed_by(judge.grade(*ANN, file, checks=provisional.deferred))
    Results(course.results).write(record)
    assert current_record(course, *ANN) == record
    gpu(there=False)
    assert current_record(course, *ANN) == record


def test_what_the_gpu_run_could_not_decide_goes_on_waiting(provisional):
    first, *others = provisional.exercises
    undecided = tuple(dataclasses.replace(check, outcome=Outcome.UNGRADED) for check in first.checks)
    again = dataclasses.replace(provisional, exercises=(dataclasses.replace(first, checks=undecided), *others))
    assert provisional.completed_by(again).exercises == provisional.exercises


def test_a_run_completes_each_record_by_itself_and_writes_it(course, judge, provisional, gpu):
    submit(course, "bob")
    other = dataclasses.replace(provisional, student="bob", seed=77)
    Results(course.results).write(other)
    gpu()

    def here(_, tasks, **options):
        for key, task in tasks:
            yield Event(key)
            yield Event(key, Answer(judging.record_for(task, judge)))

    bob = Submission("small", "bob")
    done = [event for event in ClassRun(course, [ANN, bob], complete=True, judges=here) if isinstance(event, Done)]
    assert [(each.submission, each.same_as, each.record.status) for each in done] == [
        (ANN, None, Status.FINAL),
        (bob, None, Status.FINAL),
    ]
    assert [Results(course.results).read(name, "small").seed for name in ("ann", "bob")] == [provisional.seed, 77]


def test_settings_of_another_machine_do_not_keep_a_record_from_completion_a_changed_grader_does(course, provisional):
    other = dataclasses.replace(provisional.digests, settings="0" * 64)
    Results(course.results).write(dataclasses.replace(provisional, digests=other))
    assert to_complete(course, ANN).points == 10
    grader = course.graders / "small" / "test_double.py"
    grader.write_text(grader.read_text() + "\n# changed\n")
    assert to_complete(course, ANN) is None


def test_a_final_record_has_nothing_to_complete(course, provisional):
    first, *others = provisional.exercises
    decided = tuple(dataclasses.replace(check, outcome=Outcome.PASSED) for check in first.checks)
    final = dataclasses.replace(provisional, exercises=(dataclasses.replace(first, checks=decided), *others))
    Results(course.results).write(final)
    assert to_complete(course, ANN) is None
