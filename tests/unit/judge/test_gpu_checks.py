"""A submission graded where there is a GPU: real judge, real jail, real notebook; the GPU and its errors are made up."""

import pytest
import torch
from made_gpu import MADE_UP, SEEMS_TO_WORK
from small_course import make_course, submit

from torchgrade.judge import environment, judge
from torchgrade.judge.judge import Judge
from torchgrade.record import Outcome, Status

CHECKS = '''

@pytest.mark.gpu
@points(1)
def test_on_the_device(student, device):
    """It runs on the GPU."""
    assert student.place(device) == "cuda"

@pytest.mark.gpu
@points(1)
def test_index(student, device):
    """It asks for an index that is there."""
    student.gather(device, 100)

@pytest.mark.gpu
@points(1)
def test_hang(student, device):
    """Its kernel ends."""
    student.hang(device)

@pytest.mark.gpu
@points(1)
def test_clean(student, device):
    """What comes after a lost context works."""
    assert student.state(device) == ["init"]

@pytest.mark.gpu
@points(1)
def test_arithmetic(student, device):
    """Both sides compute alike."""
    assert student.tf32(device) is torch.backends.cuda.matmul.allow_tf32 is False
'''
# Each call that meets the GPU fails for good once the context is lost, as with CUDA.
DOUBLE = (
    SEEMS_TO_WORK.replace("time.sleep(3)", "")
    + """
def double(x): return 2 * x
lost = False
torch.backends.cuda.matmul.allow_tf32 = True
def place(device): return device.type
def gather(device, index):
    global lost
    lost = True
    raise RuntimeError("CUDA error: device-side assert triggered\\nand advice")
def hang(device): time.sleep(1000)
def state(device):
    if lost: raise RuntimeError("CUDA error: device-side assert triggered\\nand advice")
    return log[:1]
def tf32(device): return torch.backends.cuda.matmul.allow_tf32
"""
)
GPU_CHECKS = ("test_on_the_device", "test_index", "test_hang", "test_clean", "test_arithmetic")


@pytest.fixture
def course(tmp_path):
    course = make_course(tmp_path)
    grader = course.graders / "small" / "test_double.py"
    grader.write_text(grader.read_text() + CHECKS)
    return course


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.setattr(environment, "has_gpu", lambda: True)
    monkeypatch.setattr(judge, "choose_gpu", lambda: MADE_UP)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Made Up 9000")
    torch.backends.cuda.matmul.allow_tf32 = True  # what an earlier check may have left


def graded(course, **solutions):
    path = submit(course, **solutions)
    with Judge(course) as made:
        record = made.grade("small", "alice", path, exercise="double", checks=GPU_CHECKS)
    return record, {check.name: check for check in record.checks if check.name in GPU_CHECKS}


def test_without_a_gpu_all_of_it_waits(course, monkeypatch):
    monkeypatch.setattr(environment, "has_gpu", lambda: False)
    record, checks = graded(course, double=DOUBLE)
    assert {check.outcome for check in checks.values()} == {Outcome.DEFERRED}
    assert record.status is Status.PROVISIONAL


def test_an_assert_on_the_device_and_a_hang_cost_their_own_checks_alone(course, gpu):
    record, checks = graded(course, double=DOUBLE)
    told = {name: (check.outcome.value, check.message) for name, check in checks.items()}
    assert {name: outcome for name, (outcome, _) in told.items()} == {
        "test_on_the_device": "passed",
        "test_index": "failed",
        "test_hang": "failed",
        "test_clean": "passed",
        "test_arithmetic": "passed",
    }
    assert "device-side assert triggered. A kernel found an impossible value, most often an index" in told["test_index"][1]
    assert "did not answer within 2 s" in told["test_hang"][1]
    assert record.environment["gpu"] == "Made Up 9000"


def test_a_gpu_that_works_in_no_jail_leaves_its_checks_open(course, gpu):
    record, checks = graded(course)
    assert {check.outcome for check in checks.values()} == {Outcome.UNGRADED}
    assert record.status is Status.UNGRADED
    assert "GPU cannot be used in the jail" in checks["test_clean"].detail
