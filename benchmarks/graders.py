"""What each check costs for one correct submission, and what a submission takes of the processor in all.

python -m benchmarks.graders

Seconds of a check are the judge's wall time. Processor seconds are those of this process and of its descendants, of which each
is read every 20 ms; what a process uses after the last reading is lost.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Self

from benchmarks.machine import keep
from benchmarks.throughput import descendants
from torchgrade.course import Course, find_course
from torchgrade.judge.judge import Judge
from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Record

_TICKS = os.sysconf("SC_CLK_TCK")
GOAL = 15.0
"""Processor seconds that a correct submission may take an assignment."""


class ProcessorSeconds:
    """What this process and its descendants use while the block runs."""

    def __enter__(self) -> Self:
        self._seen: dict[int, float] = {}
        self._stop = threading.Event()
        self._before = {pid: _used(pid) for pid in descendants(os.getpid())}
        self._own = time.process_time()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        children = sum(max(0.0, used - self._before.get(pid, 0.0)) for pid, used in self._seen.items())
        self.seconds = time.process_time() - self._own + children

    def _watch(self) -> None:
        while True:
            for pid in descendants(os.getpid()):
                self._seen[pid] = max(self._seen.get(pid, 0.0), _used(pid))
            if self._stop.wait(0.02):
                return


def _used(pid: int) -> float:
    """User and system seconds of a process, without those of its children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def measure(course: Course, judge: Judge, assignment: str) -> dict[str, Any]:
    """Grade the references twice; the second time is measured, as that of any but a judge's first submission."""
    source = load_assignment(course.assignments, assignment)
    cells = {e.name: (course.solutions / assignment / e.name / "reference.py").read_text("utf-8") for e in source.exercises}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reference.ipynb"
        write_notebook(compose(source, cells), path)
        judge.grade(assignment, "reference", path)
        with ProcessorSeconds() as used:
            record = judge.grade(assignment, "reference", path)
    if record.points != record.max_points:
        raise SystemExit(f"{assignment}: the reference lost points")
    _print(record, used.seconds)
    checks = {check.name: check.seconds for exercise in record.exercises for check in exercise.checks}
    return {"processor_s": round(used.seconds, 2), "wall_s": record.seconds, "checks_s": checks}


def _print(record: Record, processor: float) -> None:
    for exercise in record.exercises:
        for check in exercise.checks:
            print(f"{record.assignment:25} {exercise.name:22} {check.name:36} {check.kind:10} {check.seconds:8.3f} s")
    verdict = "under" if processor < GOAL else "OVER"
    print(f"{record.assignment:25} in all {record.seconds:.2f} s, {processor:.2f} s of processor time, {verdict} {GOAL:g}\n")


def main() -> None:
    """Measure, print, keep."""
    course = find_course(Path(__file__).parent.parent)
    with Judge(course) as judge:
        results = {assignment: measure(course, judge, assignment) for assignment in course.assignment_names()}
    print(keep("graders", {"goal_processor_s": GOAL, "assignments": results}))


if __name__ == "__main__":
    main()
