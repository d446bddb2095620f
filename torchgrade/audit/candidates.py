"""Everything that an audit grades for one exercise: the bank, degenerate answers, and mutants of the reference."""

from __future__ import annotations

import dataclasses
import enum
import math
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from torchgrade.audit.mutants import mutants_of
from torchgrade.bank import Price, Solution
from torchgrade.checks.declared import GraderError
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
    author defends. ``most_points``: what a degenerate answer may earn; it must fail some check anyway. ``because``: why it may
    earn them, or why a mutant may pass.
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
    """The reference and two wrong answers: the one that fails most checks, and the one that fails most of the other checks."""
    reference, *others = bank
    wrong = sorted((s for s in others if not s.is_correct), key=lambda s: (-len(s.fails), s.path.stem))
    first = wrong[:1]
    known = first[0].fails if first else frozenset()
    second = sorted(wrong[1:], key=lambda s: (-len(s.fails - known), s.path.stem))[:1]
    return [reference, *first, *second]


def candidates_of(
    exercise: ExerciseCells, bank: list[Solution], exceptions: Exceptions, *, gpu: bool = False
) -> Iterator[Candidate]:
    """The candidates of one exercise, the reference first. ``gpu``: whether the checks that need a GPU are run."""
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


# ---- degenerate answers
#
# They are what a function returns if its author did not think at all. The audit makes them from the reference. They are as close
# to a right answer as can be (its shape, its dtype), so a check that one of them passes looks at too little.
#
# One more of them remembers: for new shapes, dtypes and settings it computes the right answer, and when the same ones come again,
# it repeats that answer.

_FOR_TENSORS = {
    "zeros": "torch.zeros_like(answer)",
    "ones": "torch.ones_like(answer)",
    "nan": "torch.full_like(answer, float('nan'))",
    "constant": "torch.full_like(answer, 0.25)",
    "input": "next(a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor))",
    "shuffled": "answer.flip(tuple(range(answer.dim())))",
    "broadcast": "answer.reshape(-1)[:1].expand(answer.numel()).reshape(answer.shape)",
    "wrong_dtype": "answer.to(torch.float32 if answer.dtype == torch.float64 else torch.float64)",
    "wrong_shape": "answer.unsqueeze(0)",
    "detached": "answer.detach()",
    "none": "None",
}
_FOR_LISTS = {
    "zeros": "[0.0 for _ in answer]",
    "ones": "[1.0 for _ in answer]",
    "nan": "[float('nan') for _ in answer]",
    "constant": "[0.25 for _ in answer]",
    "shuffled": "answer[::-1]",
    "broadcast": "answer[:1] * len(answer)",
    "wrong_dtype": "[torch.tensor(each) for each in answer]",
    "wrong_shape": "answer + answer[-1:]",
    "none": "None",
}
_BY_KIND: Mapping[str, Mapping[str, str]] = {"Tensor": _FOR_TENSORS, "list[float]": _FOR_LISTS}

_WRAPPED = """{reference}

import torch

_right = {name}


def {name}(*args, **kwargs):
    answer = _right(*args, **kwargs)
    return {answer}
"""

REMEMBERED = "remembered"

_REMEMBERING = """{reference}

import torch

_right = {name}
_answers = {{}}


def _form(value):
    if isinstance(value, torch.Tensor):
        return (value.shape, value.dtype, value.device)
    if isinstance(value, (list, tuple)):
        return tuple(map(_form, value))
    return value if isinstance(value, (bool, int, float, str, torch.dtype, type(None))) else type(value)


def {name}(*args, **kwargs):
    if torch.is_grad_enabled() and any(isinstance(a, torch.Tensor) and a.requires_grad for a in (*args, *kwargs.values())):
        return _right(*args, **kwargs)
    form = tuple(map(_form, (*args, *sorted(kwargs.items()))))
    if form not in _answers:
        _answers[form] = _right(*args, **kwargs)
    answer = _answers[form]
    return answer.clone() if isinstance(answer, torch.Tensor) else list(answer)
"""

_WRAPPED_CLASS = """{reference}

import torch

_Right = {name}


class {name}(_Right):
    def forward(self, *args, **kwargs):
        answer = super().forward(*args, **kwargs)
        return {answer}
"""


def degenerates_of(exercise: ExerciseCells, reference: str) -> Iterator[tuple[str, str]]:
    """Name and cell text of each degenerate answer of a function, or of a class's ``forward``; none without a return type."""
    method = f"{exercise.name}.forward"
    template = _WRAPPED_CLASS if method in exercise.returns else _WRAPPED
    answers = _BY_KIND.get(exercise.returns.get(method, exercise.returns.get(exercise.name, "")), {})
    for name, answer in answers.items():
        yield name, template.format(reference=reference, name=exercise.name, answer=answer)
    if answers and template is _WRAPPED:
        yield REMEMBERED, _REMEMBERING.format(reference=reference, name=exercise.name)


# ---- exceptions that the instructor allows

FILE = "audit.toml"


@dataclasses.dataclass(frozen=True, slots=True)
class Exceptions:
    """Points that degenerate answers honestly earn, by name, and mutants that are not mistakes, with the reasons.

    The instructor writes them into ``solutions/<assignment>/<exercise>/audit.toml``::

        [degenerate.detached]
        points = 6.5
        because = "The values are right; what it lacks is the gradient, which is graded apart."

        [[equivalent]]
        mutant = "x = x.float() → x = x"
        because = "log_softmax is asked for float32 in the next line."

    A mutant that can be told from the reference only on a GPU has a third line, ``on = "cpu"``. It is then in ``on_cpu_only``,
    and on a GPU a check must notice it.
    """

    degenerate: dict[str, tuple[float, str]]
    equivalent: dict[str, str]
    on_cpu_only: frozenset[str] = frozenset()


def read_exceptions(folder: Path) -> Exceptions:
    """The exceptions of the exercise whose solutions are in ``folder``; none if there is no such file."""
    path = folder / FILE
    if not path.is_file():
        return Exceptions({}, {})
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return Exceptions(
            {name: (float(entry["points"]), _reason(entry)) for name, entry in data.pop("degenerate", {}).items()},
            {str(entry["mutant"]): _reason(entry) for entry in data.get("equivalent", [])},
            frozenset(str(entry["mutant"]) for entry in data.get("equivalent", []) if _only_on_cpu(entry)),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GraderError(
            f"{path}: {error!r}; expected [degenerate.<name>] with points and because, and [[equivalent]] with mutant and because"
        ) from error


def _only_on_cpu(entry: Mapping[str, object]) -> bool:
    if entry.get("on", "cpu") != "cpu":
        raise ValueError(f'on = {entry["on"]!r}; only "cpu" has a meaning')
    return "on" in entry


def _reason(entry: Mapping[str, object]) -> str:
    reason = str(entry["because"]).strip()
    if not reason:
        raise ValueError("a reason is missing")
    return reason
