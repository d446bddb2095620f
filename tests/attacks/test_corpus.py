"""Every attack of the corpus, through the real judge: no mark, no secret, nothing left behind, nobody else touched."""

import json
from pathlib import Path

import pytest
from attacked_course import SECRET, descendants, read_corpus

from torchgrade.jail import Session, Student
from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Evidence, Outcome
from torchgrade.report.pages import exercise_html, record_text

ATTACKS = read_corpus()
FIRST = {attack.wall: attack.name for attack in reversed(ATTACKS)}
# The ordinary run has one attack on each wall. The others come where the engine has changed, and each night.
BY_NAME = [
    pytest.param(attack, id=attack.name, marks=() if FIRST[attack.wall] == attack.name else pytest.mark.walls)
    for attack in ATTACKS
]
# What the next submission of the same judge finds, as it can see it.
LOOK = """
import os, torch
def look():
    found = {"processes": [], "files": [], "patched": torch.softmax.__module__ or ""}
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (1, os.getpid(), os.getppid()):
            found["processes"].append(open(f"/proc/{name}/cmdline").read())
    for folder in ("/tmp", "/dev", "/dev/shm", "/dev/mqueue", "/"):
        if os.path.isdir(folder):
            found["files"] += [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    found["sockets"] = [line.split()[-1] for line in open("/proc/net/unix").readlines()[1:] if "@" in line]
    found["memory"] = open("/proc/sysvipc/shm").read().splitlines()[1:]
    return found
"""


def look_around(worker):
    """What a fresh session of the warm worker sees."""
    with Session(worker, [{"number": 1, "grade_id": None, "source": LOOK, "python": LOOK}]) as session:
        return Student(session.exchange, seed=0).look()


@pytest.fixture(scope="module")
def before(judge, tmp_path_factory):
    """How things are when nothing has been attacked yet: inside, outside, and on the disk of others.

    One submission was graded, which holds the secret.
    """
    path = tmp_path_factory.mktemp("first") / "first.ipynb"
    assignment = load_assignment(judge.course.assignments, "numerical_stability")
    write_notebook(compose(assignment, {"softmax": f"held = '{SECRET}' * 1000\ndef softmax(x, dim=-1):\n    return held"}), path)
    judge.grade(assignment.name, "alice", path, exercise="softmax")
    inside = look_around(judge.worker)
    return inside, len(descendants(judge.worker.pid)), others(judge.course.root), Path("/dev/null").stat().st_mode


def others(root):
    """Everything in the course's folder that is not the attacker's, with its bytes."""
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def shown(record):
    """All that anybody gets to see of a record: the file, the page, the terminal."""
    texts = [json.dumps(record.to_json(), ensure_ascii=False), record_text(record)]
    return "\n".join([*texts, *map(exercise_html, record.exercises)])


@pytest.mark.parametrize("attack", BY_NAME)
def test_an_attack_gains_nothing_and_leaves_nothing(attack, grade, judge, before, record_property):
    record_property("attack", (attack.family, attack.name, attack.wall))
    inside, processes, files, null = before
    record = grade(attack.assignment, attack.exercise, attack.text)
    exercise = next(e for e in record.exercises if e.name == attack.exercise)
    gained = {check.name for check in exercise.checks if check.points and check.evidence is Evidence.WORD}
    assert exercise.points <= attack.marks, [(c.name, c.points) for c in exercise.checks if c.points]
    assert attack.word <= gained, "the file says that its word is believed here"
    # An attack that leaves a check open has made the grader stumble; a busy machine may leave a race open.
    assert [c.message for c in exercise.checks if c.outcome is Outcome.UNGRADED and c.kind != "speed"] == []
    text = shown(record)
    assert SECRET not in text
    assert attack.says in text, "it did not run as its file says"
    assert look_around(judge.worker) == inside
    assert len(descendants(judge.worker.pid)) == processes
    assert others(judge.course.root) == files
    assert list(Path("/tmp").glob("torchgrade-attack*")) == []
    assert Path("/dev/null").stat().st_mode == null


def test_notes_of_one_submission_are_not_there_for_the_next(grade, before):
    (attack,) = (each for each in ATTACKS if each.name == "numerical_stability/leaves_notes")
    for _ in range(2):
        assert attack.says in shown(grade(attack.assignment, attack.exercise, attack.text))


def test_the_corpus_covers_every_assignment_and_family_with_a_wall_for_each():
    families = {attack.family for attack in ATTACKS}
    assert families == {
        "forging a verdict",
        "reading what is secret",
        "wearing the machine out",
        "outliving the run",
        "harming others",
        "through the paper",
    }
    assert len(ATTACKS) >= 60
    assert all(sum(attack.assignment == name for attack in ATTACKS) >= 5 for name in {a.assignment for a in ATTACKS})
    assert len({attack.assignment for attack in ATTACKS}) == 5


def test_what_is_marked_as_honest_earns_what_the_attack_may(grade):
    """A sample: the wrong answers that the attacks end with, without their tricks, get no less than the attacks."""
    done = {}
    for attack in ATTACKS:
        if attack.honest is not None and attack.marks == 0 and attack.assignment == "numerical_stability":
            text = attack.honest.strip()
            if text not in done:
                done[text] = grade(attack.assignment, attack.exercise, text).points
    assert set(done.values()) == {0.0}
