"""How far a race can be trusted on a busy machine: correct solutions that are not passed, slow ones that are, and what it costs.

python -m benchmarks.race [--verdicts 350] [--busy 0 2 6]

Each verdict is the speed check of ``batch_gather`` as its grader states it, with a fresh process for the submission. *Correct*
are the reference, handed in as a student's, and three other solutions of the bank; *slow* are loops, a scripted loop,
``.tolist()`` and a thread pool. ``--verdicts`` is the number of each group, over all solutions of it, for every number of busy
processes.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from benchmarks.machine import FOLDER, keep, svg_pyplot
from torchgrade.checks.declared import CheckFailed, UndecidedError
from torchgrade.checks.notes import Notes, current_notes
from torchgrade.course import find_course
from torchgrade.jail import Session, Student
from torchgrade.jail.resources import process_tree
from torchgrade.judge.judge import Judge
from torchgrade.judge.plan import read_probes
from torchgrade.judge.race import Racers, racers, racing
from torchgrade.notebook import compose, load_assignment, take_program

ASSIGNMENT, EXERCISE, CHECK = "vectorization", "batch_gather", "test_speed"
GROUPS = {
    "correct": ("reference", "wheats/gather", "wheats/flat_index_select", "wheats/meshgrid"),
    "slow": ("chaffs/loop", "chaffs/scripted_loop", "chaffs/tolist", "chaffs/thread_pool"),
}
BUSY = "x = 1\nwhile True: x = x * 3 % 1000003"
COLOURS = {"correct": "#1a7f37", "slow": "#cf222e"}


class Bench:
    """The course, a warm worker, and the check."""

    def __init__(self) -> None:
        self.course = find_course(Path(__file__).parent)
        self.source = load_assignment(self.course.assignments, ASSIGNMENT)
        sys.path.insert(0, str(self.course.root))
        self.check: Callable[[Student], None] = getattr(importlib.import_module(f"graders.{ASSIGNMENT}.test_{EXERCISE}"), CHECK)
        self.probes = read_probes(self.course, ASSIGNMENT)
        self._judge = Judge(self.course)
        self.worker = self._judge.worker
        self.worker.wait_until_ready()

    def close(self) -> None:
        """End the warm worker."""
        self._judge.close()

    def verdict(self, solution: str, seed: int) -> dict[str, Any]:
        """One speed check: how it ended, its ratio, how many batches and seconds it took."""
        text = (self.course.solutions / ASSIGNMENT / EXERCISE / f"{solution}.py").read_text(encoding="utf-8")
        program = take_program(self.source, compose(self.source, {EXERCISE: text})).to_wire()
        torch.default_generator.manual_seed(seed)
        said, started = Notes(), time.perf_counter()
        with Session(self.worker, program, probes=self.probes, seconds=600.0) as session, Racers(*self._field()) as field:
            field.exercise = EXERCISE
            student = Student(session.exchange, seed=seed, process_tree=session.process_tree)
            tokens = current_notes.set(said), racers.set(field)
            try:
                self.check(student)
                outcome = "passed"
            except CheckFailed:
                outcome = "failed"
            except UndecidedError:
                outcome = "ungraded"
            finally:
                current_notes.reset(tokens[0])
                racers.reset(tokens[1])
        race = said.measurements.get("race", {})
        seconds = time.perf_counter() - started
        return {
            "solution": solution,
            "outcome": outcome,
            "ratio": race.get("ratio"),
            "batches": len(race.get("batches", ())),
            "seconds": seconds,
            "says": [batch["says"]["reference"] for batch in race.get("batches", ())],
            "detail": [(b["ratios"]["reference"], b["itself"], b["crowding"], b["after"]) for b in race.get("batches", ())],
        }

    def _field(self) -> tuple[Any, ...]:
        return self.worker, self.course, self.source


def measure(bench: Bench, verdicts: int, busy: int) -> list[dict[str, Any]]:
    """``verdicts`` of each group beside ``busy`` processes that do nothing but take time."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(busy)]
    found = []
    try:
        for number in range(verdicts):
            for group, solutions in GROUPS.items():
                result = bench.verdict(solutions[number % len(solutions)], seed=1 + number)
                found.append({"busy": busy, "group": group, **result})
                if "-v" in sys.argv or result["outcome"] != {"correct": "passed", "slow": "failed"}[group]:
                    print(f"  {result['solution']} {result['outcome']}: {result['detail']}", flush=True)
    finally:
        for other in others:
            other.kill()
            other.wait()
    return found


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Outcomes, seconds and the spread of the ratio of some verdicts."""
    outcomes = collections.Counter(result["outcome"] for result in found)
    seconds = sorted(result["seconds"] for result in found)
    spread = {}
    for solution in sorted({result["solution"] for result in found}):
        ratios = [r["ratio"] for r in found if r["solution"] == solution and r["ratio"] and r["outcome"] != "ungraded"]
        if not ratios:
            continue
        middle = statistics.median(ratios)
        inside = {share: sum(abs(ratio / middle - 1) <= share for ratio in ratios) / len(ratios) for share in (0.1, 0.2)}
        spread[solution] = {
            "verdicts": len(ratios),
            "median": round(middle, 3),
            "lowest": round(min(ratios), 3),
            "highest": round(max(ratios), 3),
            "within 10 %": round(inside[0.1], 4),
            "within 20 %": round(inside[0.2], 4),
        }
    return {
        "verdicts": len(found),
        "outcomes": dict(outcomes),
        "batches": round(statistics.mean(result["batches"] for result in found), 2),
        "seconds": {
            "median": round(statistics.median(seconds), 3),
            "p90": round(seconds[int(0.9 * (len(seconds) - 1))], 3),
            "longest": round(seconds[-1], 3),
        },
        "ratio": spread,
    }


def draw(found: list[dict[str, Any]], path: Path) -> None:
    """Every verdict's ratio, by group and number of busy processes, with the threshold between them."""
    plt = svg_pyplot("race")
    loads = sorted({result["busy"] for result in found})
    figure, axes = plt.subplots(figsize=(8, 1.2 + 1.1 * len(loads)), layout="constrained")
    for row, load in enumerate(loads):
        for group, colour in COLOURS.items():
            some = [r for r in found if (r["busy"], r["group"]) == (load, group) and r["ratio"]]
            places = [row + 0.6 * ((index * 0.618) % 1 - 0.5) for index in range(len(some))]
            label = f"{group} solutions" if row == 0 else None
            axes.scatter([r["ratio"] for r in some], places, s=7, color=colour, alpha=0.5, linewidths=0, label=label)
    axes.axvline(5, color="#57606a", linestyle="--", label="threshold: 5 times the reference")
    axes.set_xscale("log")
    axes.set_xlabel("time as a multiple of the reference solution's, one dot a verdict")
    axes.set_yticks(range(len(loads)), [f"{load} busy processes" for load in loads])
    axes.set_title("Speed verdicts of batch_gather")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--verdicts", type=int, default=350, metavar="N", help="verdicts of each group beside each load (350)")
    parser.add_argument("--busy", type=int, nargs="+", default=[0, 2, 6], metavar="N", help="busy processes beside it (0 2 6)")
    parser.add_argument("--ordinary", action="store_true", help="without real-time priority, as for a user who may not have it")
    parser.add_argument("--name", default="race", help="name of the JSON and of the plot (race)")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    if chosen.ordinary:
        process_tree.prefer = racing.prefer = lambda *_: False  # type: ignore[attr-defined] # as that room has imported it
    found: list[dict[str, Any]] = []
    results: dict[str, Any] = {"check": f"{ASSIGNMENT}/{EXERCISE}: {CHECK}", "at_most": 5.0, "priority": not chosen.ordinary}
    bench = Bench()
    try:
        for busy in chosen.busy:
            some = measure(bench, chosen.verdicts, busy)
            found += some
            results[f"{busy} busy processes"] = {group: summary([r for r in some if r["group"] == group]) for group in GROUPS}
            for group, told in results[f"{busy} busy processes"].items():
                print(f"{busy} busy, {group}: {told}", flush=True)
    finally:
        bench.close()
    print(keep(chosen.name, results))
    draw(found, FOLDER / f"{chosen.name}.svg")


if __name__ == "__main__":
    main()
