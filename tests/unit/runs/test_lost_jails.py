"""A submission is graded again where its jail was lost, which nothing that it writes can feign."""

import os
import signal

import pytest
from small_course import make_course, submit

from torchgrade.course import Submission
from torchgrade.judge.judge import Judge
from torchgrade.runs import judging
from torchgrade.runs.reuse import read_submission
from torchgrade.runs.tasks import GradeSubmission

ANN = Submission("small", "ann")


@pytest.mark.parametrize(
    ("body", "times"),
    [("raise RuntimeError('SIGKILL: your process is gone')", 1), ("import os\n    os.kill(os.getpid(), 9)", 2)],
    ids=["says it was killed", "was killed"],
)
def test_what_was_killed_before_its_jail_was_lost_is_graded_again_and_what_says_so_is_not(tmp_path, monkeypatch, body, times):
    course = make_course(tmp_path)
    submit(course, "ann", double=f"def double(x):\n    {body}\n")
    graded, grade = [], Judge.grade

    def grade_and_lose_the_first(judge, *args, **options):
        graded.append(grade(judge, *args, **options))
        if len(graded) == 1:
            os.killpg(judge.worker.pid, signal.SIGKILL)
        return graded[-1]

    monkeypatch.setattr(Judge, "grade", grade_and_lose_the_first)
    with Judge(course) as judge:
        record = judging.record_for(GradeSubmission(ANN, read_submission(course, ANN)), judge)
    assert len(graded) == times
    assert record == graded[-1]
    assert any("SIGKILL" in check.message for check in record.checks)
