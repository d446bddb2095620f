"""How often the misconception that a feedback page names is the right one: by the bank itself, and by leaving each mistake out.

    kept audits (which checks each wrong answer failed, and how) ──► the guess ──► right, wrong, silent

A wrong answer of the bank is graded as the audit saw it. *Known*: the bank has it, so the guess should be its own. *New*: the
bank without it, so the guess should be silent, or another answer's sentence that says the same. The command
``python -m benchmarks.misconceptions`` prints the shares; they are of the audits in ``benchmarks/audits``.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from torchgrade.bank import Known, known_mistakes, misconception, read_chaffs
from torchgrade.course import find_course
from torchgrade.judge.plan import read_plan
from torchgrade.record import Check, Outcome, Visibility

ROOT = Path(__file__).parents[1]
AUDITS = ROOT / "benchmarks" / "audits"
OUTCOMES = {
    "+": Outcome.PASSED,
    "x": Outcome.FAILED,
    "-": Outcome.SKIPPED,
    "o": Outcome.DEFERRED,
    "?": Outcome.UNGRADED,
    " ": None,
}


def attempts() -> Iterator[tuple[str, list[Check], Known, list[Known]]]:
    """Each wrong answer of the bank that fails anything: its exercise, its checks, what is known of it, and of all others."""
    course = find_course(ROOT)
    for path in sorted(AUDITS.glob("*.json")):
        audit = json.loads(path.read_text(encoding="utf-8"))
        plan = read_plan(course, audit["assignment"])
        for exercise in audit["exercises"]:
            chaffs = read_chaffs(course, audit["assignment"], exercise["name"])
            mistakes = known_mistakes(plan, exercise["name"], chaffs, audit)
            known = dict(zip((chaff.path.stem for chaff in chaffs), mistakes, strict=True))
            names = [check["name"] for check in exercise["checks"]]
            for solution in exercise["solutions"]:
                if solution["kind"] == "chaff" and solution["name"] in known:
                    own = known[solution["name"]]
                    others = [each for each in known.values() if each is not own]
                    for number, repeat in enumerate(solution["repeats"]):
                        checks = list(_checks(names, repeat))
                        if any(check.outcome is Outcome.FAILED for check in checks):
                            # As if the audit had not seen this very seed.
                            rest = (*own.seen[:number], *own.seen[number + 1 :])
                            yield exercise["name"], checks, dataclasses.replace(own, seen=rest), others


def _checks(names: list[str], repeat: dict[str, Any]) -> Iterator[Check]:
    for name, letter in zip(names, repeat["outcomes"], strict=True):
        if (outcome := OUTCOMES[letter]) is not None:
            yield Check(
                name,
                name,
                Visibility.HIDDEN,
                outcome,
                0.0,
                1.0,
                message=repeat.get("said", {}).get(name, ""),
                slip=repeat["slips"].get(name, ""),
            )


def verdict(said: str, own: Known) -> str:
    """``right``, ``wrong`` or ``silent``."""
    return "silent" if not said else "right" if said == own.says else "wrong"


def main() -> None:
    """Print the shares, for each exercise and for all."""
    counts: dict[str, dict[str, Counter[str]]] = {}
    for exercise, checks, own, others in attempts():
        for title, mistakes in (("known", [*others, own]), ("new", others)):
            said = verdict(misconception(checks, mistakes), own)
            for row in (exercise, "all"):
                counts.setdefault(row, {}).setdefault(title, Counter())[said] += 1
    print(f"{'':24}{'known to the bank':^33}{'left out of the bank':^33}")
    print(f"{'exercise':24}" + f"{'right':>9}{'silent':>9}{'wrong':>9}{'':6}" * 2)
    for row, both in sorted(counts.items(), key=lambda item: item[0] == "all"):
        print(f"{row:24}" + "".join(_shares(both[title]) for title in ("known", "new")))


def _shares(found: Counter[str]) -> str:
    total = sum(found.values())
    return "".join(f"{found[each] / total:9.1%}" for each in ("right", "silent", "wrong")) + " " * 6


if __name__ == "__main__":
    main()
