"""The records of every solution in the banks, to hold two states of torchgrade against each other.

    python scripts/records.py dump FILE.json [ASSIGNMENT...]     grades each solution with the same seed, races apart
    python scripts/records.py compare BEFORE.json AFTER.json     says what differs; exit 1 if anything does

Run ``dump`` in a checkout of each state. Times, memory and digests are left out, since they differ from run to run.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from torchgrade.bank import read_bank
from torchgrade.course import find_course
from torchgrade.judge.judge import Judge
from torchgrade.judge.plan import read_plan
from torchgrade.notebook import compose, load_assignment, write_notebook

SEED = 20_261_122
KEPT = ("title", "visibility", "outcome", "points", "max_points", "kind", "message", "hint", "evidence")


def records(assignments: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each solution's name, and what each of its exercise's checks came to."""
    course = find_course(Path.cwd())
    with Judge(course) as judge, tempfile.TemporaryDirectory() as folder:
        for assignment in assignments or [path.name for path in sorted(course.assignments.iterdir()) if path.is_dir()]:
            source, plan = load_assignment(course.assignments, assignment), read_plan(course, assignment)
            for exercise in source.exercises:
                asked = [check.name for check in plan.of(exercise.name) if check.declaration.kind not in ("speed", "memory")]
                for solution in read_bank(course, assignment, exercise.name):
                    file = Path(folder) / "submission.ipynb"
                    write_notebook(compose(source, {exercise.name: solution.text}), file)
                    record = judge.grade(assignment, "somebody", file, seed=SEED, exercise=exercise.name, checks=asked)
                    data: Any = record.to_json()
                    checks = {c["name"]: c for e in data["exercises"] for c in e["checks"] if c["name"] in asked}
                    found = {name: {key: check[key] for key in KEPT} for name, check in checks.items()}
                    name = f"{assignment}/{exercise.name}/{solution.path.parent.name}/{solution.path.stem}"
                    yield name, {"checks": found, "problems": list(record.problems)}
                    print(name, file=sys.stderr)


def compare(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """A line for each difference."""
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            yield f"{name}: only {'after' if name in after else 'before'}"
            continue
        if before[name]["problems"] != after[name]["problems"]:
            yield f"{name}: problems {before[name]['problems']} → {after[name]['problems']}"
        ours, theirs = before[name]["checks"], after[name]["checks"]
        for check in sorted(ours.keys() | theirs.keys()):
            old, new = ours.get(check, {}), theirs.get(check, {})
            yield from (
                f"{name} {check}: {key} {old.get(key)!r} → {new.get(key)!r}" for key in KEPT if old.get(key) != new.get(key)
            )


def main() -> None:
    """Do what the command line says."""
    action, *rest = sys.argv[1:]
    if action == "dump":
        Path(rest[0]).write_text(json.dumps(dict(records(rest[1:])), indent=1), encoding="utf-8")
        return
    before, after = (json.loads(Path(file).read_text(encoding="utf-8")) for file in rest)
    lines = list(compare(before, after))
    print("\n".join(lines[:200]))
    print(f"{len(after)} solutions, {sum(len(each['checks']) for each in after.values())} checks: {len(lines)} differences")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
