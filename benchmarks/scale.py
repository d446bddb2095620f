"""What a submission costs in classes of different sizes, with one and with two judges, and a run in which little changed.

    python -m benchmarks.scale [--sizes 10 100 1000] [--workers 1 2] [--repeat 1] [--name scale] [--more]

A thousand take the better part of an hour: what was measured is kept after each size, and ``--more`` goes on beside it. With
``--repeat``, numbers of judges take turns, since a shared machine is not the same from one quarter of an hour to the next.

A class is composed from the bank over all exercises of all assignments, right answers and wrong ones in turn, each with a text of
its own. Checks that race are left out: they take their turns on a machine, however many judges there are.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.machine import FOLDER, keep, svg_pyplot
from benchmarks.throughput import PeakMemory, copy_course, run, seconds_of_checks
from torchgrade.bank import read_bank
from torchgrade.course import Course, Submission, find_course
from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Results

TOOL = str(Path(sys.executable).parent / "torchgrade")


def solutions(course: Course) -> Iterator[tuple[str, dict[str, str]]]:
    """Assignments in turn, each time with other solution cells, without end."""
    banks = {}
    for assignment in course.assignment_names():
        names = [exercise.name for exercise in load_assignment(course.assignments, assignment).exercises]
        banks[assignment] = {name: [solution.text for solution in read_bank(course, assignment, name)] for name in names}
    for number in itertools.count():
        for assignment, bank in banks.items():
            # A step that is prime to the sizes of most banks: right and wrong ones mix.
            yield assignment, {name: texts[number * 7 % len(texts)] for name, texts in bank.items()}


def hand_in(course: Course, size: int) -> list[Submission]:
    """A class of that many submissions."""
    submissions = []
    for number, (assignment, cells) in zip(range(size), solutions(course), strict=False):
        submission = Submission(assignment, f"student{number:04}")
        path = course.submission(submission.student, assignment)
        path.parent.mkdir(parents=True)
        own = {name: f"{text}\n# {number}\n" for name, text in cells.items()}
        write_notebook(compose(load_assignment(course.assignments, assignment), own), path)
        submissions.append(submission)
    return submissions


def measure(course: Course, size: int, workers: int) -> dict[str, Any]:
    """One class, graded from nothing."""
    for folder in (course.submitted, course.autograded, course.results):
        shutil.rmtree(folder, ignore_errors=True)
    (course.root / "gradebook.db").unlink(missing_ok=True)
    names = course.assignment_names()
    run([TOOL, "release", *names, "--no-audit"], course.root)
    submissions = hand_in(course, size)
    grade = [TOOL, "grade", *names, "--quiet", "--workers", str(workers)]
    with PeakMemory() as memory:
        seconds = run(grade, course.root)
    results = Results(course.results)
    records = [record for s in submissions if (record := results.read(s.student, s.assignment)) is not None]
    if len(records) != size:
        raise SystemExit(f"{size - len(records)} of {size} submissions have no record")
    checks = seconds_of_checks(records)
    unchanged = run(grade, course.root)
    changed = course.submission(submissions[0].student, submissions[0].assignment)
    changed.write_text(changed.read_text(encoding="utf-8").replace('"# 0', '"# changed'), encoding="utf-8")
    one_changed = run(grade, course.root)
    again = results.read(submissions[0].student, submissions[0].assignment)
    if again is None or again.digests == records[0].digests:
        raise SystemExit("the submission that changed was not graded again")
    found = {
        "size": size,
        "workers": workers,
        "seconds": round(seconds, 1),
        "a_minute": round(60 * size / seconds, 1),
        "seconds_a_submission": round(seconds / size, 4),
        "checks_a_submission": round(checks / size, 4),
        # What the run took longer than its checks, shared among the judges: start-up, notebooks, marks, waiting.
        "overhead_a_submission": round((seconds - checks / workers) / size, 4),
        "peak_memory_gb": round(memory.peak / 2**30, 3),
        "nothing_changed_ms_a_submission": round(1e3 * unchanged / size, 2),
        "one_changed_seconds": round(one_changed, 2),
        "one_changed_besides_its_checks_seconds": round(one_changed - seconds_of_checks([again]), 2),
    }
    print(found, flush=True)
    return found


def median(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The run that took the median time, beside the times of all."""
    ordered = sorted(runs, key=lambda run: float(run["seconds"]))
    return {**ordered[len(ordered) // 2], "all_seconds": [run["seconds"] for run in runs]}


def speed_ups(rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    """By size, how many times as fast two judges were as one, in each round."""
    seconds = {(row["size"], row["workers"]): row["all_seconds"] for row in rows}
    sizes = [size for size, workers in seconds if workers == 1 and (size, 2) in seconds]
    return {str(n): [round(one / two, 2) for one, two in zip(seconds[n, 1], seconds[n, 2], strict=True)] for n in sizes}


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Submissions a minute by the size of the class."""
    plt = svg_pyplot("scale")
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for workers in sorted({row["workers"] for row in rows}):
        mine = [row for row in rows if row["workers"] == workers]
        label = f"{workers} judge{'s' if workers > 1 else ''}"
        axes.plot([row["size"] for row in mine], [row["a_minute"] for row in mine], marker="o", label=label)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("submissions in the class, over all exercises")
    axes.set_ylabel("submissions a minute")
    axes.set_title("Grading a class, marks recorded")
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 1000], metavar="N")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="how often each; the median counts (1)")
    parser.add_argument(
        "--more", action="store_true", help="keep the classes that the JSON holds, and measure those that it lacks"
    )
    parser.add_argument("--name", default="scale", help="name of the JSON and of the plot (scale)")
    chosen = parser.parse_args()
    course = copy_course(find_course(FOLDER).assignment_names())
    path = FOLDER / f"{chosen.name}.json"
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["classes"] if chosen.more else []
    there = {(row["size"], row["workers"]) for row in rows}
    for size in chosen.sizes:
        lacking = [workers for workers in chosen.workers if (size, workers) not in there]
        rounds = [[measure(course, size, workers) for workers in lacking] for _ in range(chosen.repeat)]
        rows += [median(list(runs)) for runs in zip(*rounds, strict=True)]
        rows.sort(key=lambda row: (row["size"], row["workers"]))
        keep(chosen.name, {"classes": rows, "two_judges_over_one": speed_ups(rows)})
    draw(rows, path.with_suffix(".svg"))
    shutil.rmtree(course.root)


if __name__ == "__main__":
    main()
