"""The instructor's own remarks about an exercise's audit, in ``solutions/<assignment>/<exercise>/audit.toml``, with reasons.

[degenerate.detached]
points = 6.5
because = "The values are right; what it lacks is the gradient, which is graded apart."

[[equivalent]]
mutant = "x = x.float() → x = x"
because = "log_softmax is asked for float32 in the next line."

A mutant that only a GPU can tell from the reference has a third line, ``on = "cpu"``: on a GPU a check must notice it.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path

from torchgrade.checks.declared import GraderError

FILE = "audit.toml"


@dataclasses.dataclass(frozen=True, slots=True)
class Exceptions:
    """Points that degenerate answers honestly earn, by name, and mutants that are no mistakes, with the reasons.

    ``on_cpu_only``: those of the mutants that are mistakes where there is a GPU.
    """

    degenerate: dict[str, tuple[float, str]]
    equivalent: dict[str, str]
    on_cpu_only: frozenset[str] = frozenset()


def read_exceptions(folder: Path) -> Exceptions:
    """The exceptions of the exercise whose solutions are in ``folder``; none where there is no file."""
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
