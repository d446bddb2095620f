"""What entering marks into the gradebook costs, on SQLite and on PostgreSQL, and a second run in which nothing changed.

    python -m benchmarks.recording [--students 1000]

One submission is graded; the rest of the class hands in the same answers with a line of their own, and has records made from
that one, so that nothing but recording and looking is timed. PostgreSQL is a server of one's own, on this machine's disk, for as
long as the benchmark runs; where the system has none, its half is left out, and the output says so.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.machine import keep
from benchmarks.throughput import ASSIGNMENT, make_course, run
from torchgrade.course import Course, find_course
from torchgrade.gradebook import record_marks
from torchgrade.record import Record, Results, digest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from postgresql import Server, ServerMissing

TOOL = str(Path(sys.executable).parent / "torchgrade")
REPEAT = 3
GOAL_UNCHANGED = 0.005
"""Seconds a submission that a run may take in which nothing changed."""


def hand_in(students: int) -> tuple[Course, Record]:
    """A class with its records, and the one that was graded."""
    course = make_course(1)
    run([TOOL, "release", ASSIGNMENT, "--no-audit"], course.root)
    run([TOOL, "grade", ASSIGNMENT, "--quiet"], course.root)
    results = Results(course.results)
    (record,) = results.all(ASSIGNMENT)
    text = course.submission(record.student, ASSIGNMENT).read_text(encoding="utf-8")
    for number in range(1, students):
        path = course.submission(f"student{number:03}", ASSIGNMENT)
        path.parent.mkdir(parents=True)
        own = text.replace('"# 0', f'"# {number}')
        path.write_text(own, encoding="utf-8")
        digests = dataclasses.replace(record.digests, notebook=digest(own.encode()))
        results.write(dataclasses.replace(record, student=path.parent.parent.name, digests=digests, seed=number))
    return course, record


def measure(course: Course, students: int) -> dict[str, float]:
    """Seconds a submission: entering all marks, and a second run of the command."""
    shutil.rmtree(course.autograded, ignore_errors=True)
    submissions = course.handed_in(ASSIGNMENT)
    started, processor = time.perf_counter(), time.process_time()
    if problems := record_marks(course, submissions):
        raise SystemExit("\n".join(problems))
    recording, processor = time.perf_counter() - started, time.process_time() - processor
    before = _processor_of_children()
    unchanged = [run([TOOL, "grade", ASSIGNMENT, "--quiet"], course.root) for _ in range(REPEAT)]
    return {
        "recording": recording / students,
        "recording, processor": processor / students,
        "nothing changed, in all": min(unchanged) / students,
        "nothing changed, in all, processor": (_processor_of_children() - before) / REPEAT / students,
    }


def _processor_of_children() -> float:
    """Processor seconds of the commands that have ended; on a busy machine they say more than the clock on the wall."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=1000)
    students = parser.parse_args().students
    course, record = hand_in(students)
    results: dict[str, Any] = {
        "students": students,
        "unit": "seconds a submission",
        "checks of a submission": len([check for exercise in record.exercises for check in exercise.checks]),
        "grading, one judge, without races": record.seconds,
    }
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, course.root)
        (course.root / "gradebook.db").unlink()
        run([TOOL, "release", ASSIGNMENT, "--no-audit"], course.root)
        results["SQLite"] = measure(course, students)
        try:
            server = stack.enter_context(Server(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        except ServerMissing as error:
            print(f"PostgreSQL is not measured: {error}")
        else:
            with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as config:
                config.write(f"\nc.CourseDirectory.db_url = {server.url!r}\n")
            run([TOOL, "release", ASSIGNMENT, "--no-audit"], course.root)
            results["PostgreSQL"] = measure(find_course(course.root), students)
    for name in ("SQLite", "PostgreSQL"):
        if name in results:
            found = results[name]
            results[f"{name}: recording / grading"] = found["recording"] / record.seconds
            results[f"{name}: nothing changed / goal"] = found["nothing changed, in all"] / GOAL_UNCHANGED
    for name, value in results.items():
        print(f"{name:40} {value}")
    print(keep("recording", results))


if __name__ == "__main__":
    main()
