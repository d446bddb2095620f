"""The parts of ``scripts/gpu``. Each takes what was asked for, and gives a line for each thing that it looked at.

Nothing here needs a package index, or a package beyond those that scripts/gpu_wheels.py names.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from gpu_attacks import TimeIsUp, in_a_row

from benchmarks import headlines
from benchmarks import race as bench
from torchgrade.audit import Choice, audit
from torchgrade.course import Course, CourseError, find_course

SLOW_ON_A_GPU = ("chaffs/loop", "chaffs/unbind_and_stack", "chaffs/map_in_place", "chaffs/by_way_of_the_cpu")
ROOT = Path(__file__).parent.parent


@dataclasses.dataclass(frozen=True)
class Asked:
    """What the command line asks for. ``enough`` says when the time is over."""

    device: torch.device
    assignments: tuple[str, ...]
    only: str
    mutants: bool
    workers: int
    verdicts: int
    attacks: int
    rounds: int
    enough: Callable[[], bool]

    @property
    def course(self) -> Course:
        """The repository's course."""
        return find_course(ROOT)


Line = dict[str, Any]


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]


def graders(asked: Asked) -> Iterator[Line]:
    """References, wheats and chaffs of each assignment: right ones pass everything, chaffs fail what they name, no more."""
    names = asked.course.assignment_names()
    if unknown := set(asked.assignments) - set(names):
        raise SystemExit(f"scripts/gpu: there is no assignment {min(unknown)!r}; there are: {', '.join(names)}")
    for assignment in asked.assignments or names:
        if asked.enough():
            raise TimeIsUp
        choice = Choice(only=asked.only, repeats=1, mutants=asked.mutants, quick=True)
        try:
            found = audit(asked.course, assignment, choice, workers=asked.workers)
        except CourseError:
            if not asked.only:
                raise
            continue  # none of its solutions has that in its name
        except Exception as error:  # noqa: BLE001 - whatever a device does to a grader, the others are tried
            yield {"what": assignment, "held": False, "said": _cause(error)}
            continue
        solutions = [solution for exercise in found.exercises for solution in exercise.solutions]
        deferred = sorted({check["name"] for exercise in found.exercises for check in exercise.checks if check["deferred"]})
        said = f"{len(solutions)} solutions in {found.seconds:.0f} s"
        if deferred:
            said += f"; {len(deferred)} kinds of checks need a GPU and were left out: {', '.join(deferred)}"
        yield {"what": assignment, "held": not found.problems, "said": said, "problems": found.problems, "deferred": deferred}


def attacks(asked: Asked) -> Iterator[Line]:
    """Hostile submissions in a row: each costs its own check, and none leaves anything behind."""
    yield from in_a_row(asked.course, asked.device, asked.attacks, asked.enough)


def races(asked: Asked) -> Iterator[Line]:
    """So many verdicts on correct solutions, of which none may fail, and so many on slow ones, of which none may pass."""
    track, groups = bench.Bench(), dict(bench.GROUPS)
    if asked.device.type == "cuda":
        graders_module = importlib.import_module(f"graders.{bench.ASSIGNMENT}.test_{bench.EXERCISE}")
        track.check = functools.partial(graders_module.test_speed_on_a_gpu, device=asked.device)
        groups["slow"] = SLOW_ON_A_GPU
    found: dict[str, list[dict[str, Any]]] = {group: [] for group in groups}
    try:
        for number in range(asked.verdicts):
            if asked.enough():
                break
            for group, solutions in groups.items():
                solution, seed = solutions[number % len(solutions)], 1 + number
                try:
                    found[group].append(track.verdict(solution, seed=seed))
                except Exception as error:  # noqa: BLE001 - a race that nobody can run is a line, the others go on
                    yield {"what": f"{solution}, seed {seed}", "held": False, "said": _cause(error)}
    finally:
        track.close()
    for group, wrong in (("correct", "failed"), ("slow", "passed")):
        if not found[group]:
            continue
        told = bench.summary(found[group])
        ended = told["outcomes"]
        yield {
            "what": f"{group} solutions",
            "held": not ended.get(wrong),
            "complete": len(found[group]) == asked.verdicts,
            "said": f"{len(found[group])} verdicts: {', '.join(f'{count} {name}' for name, count in sorted(ended.items()))}; "
            f"median {told['seconds']['median']} s",
            "summary": told,
        }


def effects(asked: Asked) -> Iterator[Line]:
    """The effects that the course teaches, measured; what holds is that both ways of each give the same."""
    headlines.ROUNDS = asked.rounds
    torch.manual_seed(0)
    headlines.compute_in_full(asked.device)
    for effect in headlines.effects(asked.device):
        if asked.enough():
            raise TimeIsUp
        try:
            row = headlines.measure(effect)
        except Exception as error:  # noqa: BLE001 - whatever a device or its compiler says, the other effects are measured
            yield {"what": effect.name, "held": False, "said": f"could not be measured: {_cause(error)}"}
            continue
        said = f"{row['ratio']} times ({row['least']} to {row['largest']}; reported: {effect.said})"
        yield {"what": effect.name, "held": True, "said": said, "row": row}


PARTS: dict[str, Callable[[Asked], Iterator[Line]]] = {
    "graders": graders,
    "attacks": attacks,
    "races": races,
    "headlines": effects,
}
