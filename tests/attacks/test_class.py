"""A class with hostile submissions among good ones: the good ones' marks are what they are without them.

Small by default; ``TORCHGRADE_HOSTILE=30 TORCHGRADE_GOOD=60`` gives the full one.
"""

import os
import time

import pytest
from attacked_course import make_course, read_corpus

from torchgrade.course import Submission
from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Outcome, Results
from torchgrade.runs import grade_all

pytestmark = pytest.mark.walls

HOSTILE, GOOD = int(os.environ.get("TORCHGRADE_HOSTILE", "4")), int(os.environ.get("TORCHGRADE_GOOD", "6"))
A = "numerical_stability"
LIMITS = """
c.Limits.call_seconds = 4.0
c.Limits.cells_seconds = 4.0
c.Limits.submission_seconds = 15.0
c.Limits.memory_mb = 300
c.Limits.processes = 40
"""
# The worst neighbours first: they take processor, memory and processes, kill, stay, and leave things behind.
WORST = ["fork_bomb", "eats_memory_in_many", "kills_everyone", "daemon", "loops_for_ever", "fills_the_disk", "thread_bomb"]
NAIVE = "def softmax(logits, dim=-1):\n    exps = logits.exp()\n    return exps / exps.sum(dim, keepdim=True)"


def hand_in(course, student, softmax):
    assignment = load_assignment(course.assignments, A)
    path = course.submission(student, A)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_notebook(compose(assignment, {"softmax": softmax}), path)


def decided(record):
    """Outcome and points of every check; a race may be left open by a machine that is busy, hostile class or not."""
    checks = [check for exercise in record.exercises for check in exercise.checks]
    return {(c.name, c.title): (c.outcome, c.points) for c in checks if c.outcome is not Outcome.UNGRADED and c.kind != "speed"}


def test_good_submissions_get_the_same_marks_in_hostile_company(tmp_path):
    course = make_course(tmp_path / "class", LIMITS)
    right = (course.solutions / A / "softmax" / "reference.py").read_text()
    attacks = {a.path.stem: a for a in read_corpus() if a.assignment == A and a.exercise == "softmax"}
    hostile = [*WORST, *(name for name in sorted(attacks) if name not in WORST)][:HOSTILE]
    # Each with a text of its own: submissions of the same content are graded once.
    good = {f"good-{n:02}": f"{right if n % 2 else NAIVE}\n# {n}\n" for n in range(GOOD)}
    for student, text in good.items():
        hand_in(course, student, text)
    list(grade_all(course, [Submission(A, student) for student in sorted(good)], workers=2))
    alone = {student: decided(Results(course.results).read(student, A)) for student in good}
    for student in good:
        Results(course.results).path(student, A).unlink()
    for number, name in enumerate(hostile):
        hand_in(course, f"eve-{number:02}", attacks[name].text)
    everyone = sorted([*good, *(f"eve-{n:02}" for n in range(len(hostile)))], key=lambda student: student[::-1])
    started = time.monotonic()
    list(grade_all(course, [Submission(A, student) for student in everyone], workers=2))
    assert time.monotonic() - started < 60 + 3 * len(hostile) * course.limits.submission_seconds
    results = Results(course.results)
    for student in good:
        together = decided(results.read(student, A))
        shared = alone[student].keys() & together.keys()
        assert len(shared) >= 0.8 * len(alone[student])
        assert {key: together[key] for key in shared} == {key: alone[student][key] for key in shared}
    for number, name in enumerate(hostile):
        assert results.read(f"eve-{number:02}", A).points <= attacks[name].marks
