"""Races over the small course: a real jail, the judge's own clock, and what the check would have said."""

from __future__ import annotations

import contextlib
import dataclasses
import types

import torch
from small_course import RIGHT, make_course

from torchgrade import assert_close
from torchgrade.checks.declared import CheckFailed, UndecidedError
from torchgrade.checks.notes import Notes, current_notes
from torchgrade.jail import Bounds, Session, Student, StudentFault, WarmWorker
from torchgrade.judge.plan import read_probes
from torchgrade.judge.race import Racers, race, racers
from torchgrade.notebook import compose, load_assignment, take_program

BOUNDS = Bounds(call_seconds=5.0, cells_seconds=10.0, memory=600 << 20, scratch=32 << 20, processes=40, output=64 << 10)
LOOP = "import torch\ndef double(x):\n    return torch.stack([row * 2 for row in x])\n"


@dataclasses.dataclass
class Said:
    """What a check ended with."""

    outcome: str
    message: str
    share: float
    measurements: dict

    @property
    def race(self):
        return self.measurements["race"]


def inputs():
    return (torch.randn(2000, 4),)


def verify(result, x):
    assert_close(result, 2 * x.double(), scale=10.0)


class Track:
    """A warm worker and the small course; ``run`` is one check that does nothing but race ``double``."""

    def __init__(self, root):
        self.course = make_course(root)
        self.source = load_assignment(self.course.assignments, "small")
        self.probes = read_probes(self.course, "small")
        torch.set_num_threads(1)
        self.worker = WarmWorker(BOUNDS)

    def add(self, name, text):
        """Put a file into the exercise's bank."""
        path = self.course.solutions / "small" / "double" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    @contextlib.contextmanager
    def with_probes(self, text):
        """The assignment's probes are ``text`` for a while; gives its functions by name, as a grader would import them."""
        path = self.course.graders / "small" / "probes.py"
        before, self.probes = self.probes, {"probes": text}
        namespace = {"__name__": "graders.small.probes"}
        exec(text, namespace)
        path.write_text(text, encoding="utf-8")
        try:
            yield types.SimpleNamespace(**{name: value for name, value in namespace.items() if not name.startswith("_")})
        finally:
            self.probes = before
            path.write_text(before["probes"], encoding="utf-8")

    @contextlib.contextmanager
    def student(self, source, seconds=60.0):
        notebook = compose(self.source, {**RIGHT, "double": source})
        program = take_program(self.source, notebook).to_wire()
        with Session(self.worker, program, probes=self.probes, seconds=seconds) as session:
            yield Student(session.exchange, seed=1, process_tree=session.process_tree)

    def check(self, source, test, *, seconds=60.0, seed=7):
        """How the check ``test(student)`` ends for a notebook."""
        said = Notes()
        torch.default_generator.manual_seed(seed)
        with self.student(source, seconds) as student, Racers(self.worker, self.course, self.source) as field:
            field.exercise = "double"
            tokens = current_notes.set(said), racers.set(field)
            outcome, message = "passed", said.message
            try:
                test(student)
                outcome, message = ("passed" if said.share == 1 else "partly"), said.message
            except (CheckFailed, StudentFault) as error:
                outcome, message = "failed", str(error)
            except UndecidedError as error:
                outcome, message = "ungraded", str(error)
            finally:
                current_notes.reset(tokens[0])
                racers.reset(tokens[1])
        return Said(outcome, message, said.share, said.measurements)

    def run(self, source, *, seconds=60.0, make_inputs=inputs, verify=verify, **options):
        """How a race of ``double`` ends for a notebook."""
        options = options or {"at_most": 5.0}
        return self.check(
            source, lambda student: race(student.double, make_inputs=make_inputs, verify=verify, **options), seconds=seconds
        )

    def close(self):
        self.worker.close()
