"""Everything that an audit grades for one exercise: the bank, degenerate answers, and mutants of the reference."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Iterator, Mapping

from torchgrade.audit.degenerate import REMEMBERED, degenerates_of
from torchgrade.audit.exceptions import Exceptions
from torchgrade.audit.mutants import mutants_of
from torchgrade.bank import Price, Solution
from torchgrade.notebook import ExerciseCells


class Kind(enum.StrEnum):
    """The kind of a candidate, which decides what the checks must make of it."""

    WHEAT = "wheat"  # right: full marks
    CHAFF = "chaff"  # wrong: loses the checks that it names, and no others
    DEGENERATE = "degenerate"  # thoughtless: earns no more than it honestly can
    MUTANT = "mutant"  # the reference with one change: some check notices, or it is equivalent


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate:
    """A solution cell, and what its marks must be.

    ``fails``: the checks that a chaff names; ``slips``: how it fails some of them. ``costs``: the price of its mistake that its
    author defends. ``most_points``: what a degenerate answer may earn, which fails some check anyway. ``because``: why it may, or
    why a mutant may pass.
    """

    kind: Kind
    name: str
    title: str
    text: str
    fails: frozenset[str] = frozenset()
    slips: Mapping[str, str] = dataclasses.field(default_factory=dict)
    most_points: float = 0.0
    because: str = ""
    costs: Price | None = None


def sample_of(bank: list[Solution]) -> list[Solution]:
    """The reference and two wrong answers: the one that fails most checks, and the one that fails most others."""
    reference, *others = bank
    wrong = sorted((s for s in others if not s.is_correct), key=lambda s: (-len(s.fails), s.path.stem))
    first = wrong[:1]
    known = first[0].fails if first else frozenset()
    second = sorted(wrong[1:], key=lambda s: (-len(s.fails - known), s.path.stem))[:1]
    return [reference, *first, *second]


def candidates_of(
    exercise: ExerciseCells, bank: list[Solution], exceptions: Exceptions, *, gpu: bool = False
) -> Iterator[Candidate]:
    """The candidates of one exercise, the reference first. ``gpu``: whether the checks that need one are asked."""
    for solution in bank:
        kind = Kind.WHEAT if solution.is_correct else Kind.CHAFF
        name, title, text = solution.path.stem, solution.title, solution.text
        yield Candidate(kind, name, title, text, solution.fails, solution.slips, costs=solution.costs)
    reference = bank[0].text
    for name, text in degenerates_of(exercise, reference):
        points, because = exceptions.degenerate.get(name, (math.inf if name == REMEMBERED else 0.0, ""))
        title = f"The reference's answer, but {name.replace('_', ' ')}"
        yield Candidate(Kind.DEGENERATE, name, title, text, most_points=points, because=because)
    for number, mutant in enumerate(mutants_of(reference), start=1):
        because = exceptions.equivalent.get(mutant.change, "")
        if gpu and mutant.change in exceptions.on_cpu_only:
            because = ""
        yield Candidate(Kind.MUTANT, f"mutant {number}", mutant.change, mutant.text, because=because)
