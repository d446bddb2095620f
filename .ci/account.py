# ruff: noqa: INP001, T201 - a script
"""Prints what .ci/run noted in a folder: a table of the steps, which took too long, flaky tests; pytest's summary last.

python .ci/account.py FOLDER HOW-IT-ENDED

steps               NAME SECONDS PROCESSOR SHARE, a line a step
NAME.log            what pytest printed
NAME.once-more.log  what it printed when that which had failed was run again
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

_SUMMARY = re.compile(r"^=*\s*(\d+ [a-z]+(?:, \d+ [a-z]+)*) in ([\d.]+)s\b", re.MULTILINE)
_ORDER = ("failed", "errors", "passed", "skipped", "xfailed")


def print_table(lines: list[str]) -> None:
    """Print the steps and their sums, and who took more than its share."""
    rows = [(name, int(wall), int(processor), int(share)) for name, wall, processor, share in map(str.split, lines)]
    print(f"{'step':10} {'seconds':>8} {'processor seconds':>18} {'share':>8}")
    sums = ("all", sum(row[1] for row in rows), sum(row[2] for row in rows), sum(row[3] for row in rows))
    for name, wall, processor, share in [*rows, sums]:
        print(f"{name:10} {wall:8} {processor:18} {share:8}")
    for name, wall, _, share in rows:
        if wall > share:
            print(f"OVER BUDGET: {name} took {wall} s, its share is {share} s")


def counts_of(log: Path) -> tuple[Counter[str], float] | None:
    """What pytest counted, and its seconds; ``None`` where it did not come so far."""
    found = _SUMMARY.findall(log.read_text(errors="replace")) if log.exists() else []
    if not found:
        return None
    words, seconds = found[-1]
    counts = Counter({"errors" if word == "error" else word: int(number) for number, word in re.findall(r"(\d+) (\w+)", words)})
    return Counter({key: counts[key] for key in _ORDER}), float(seconds)


def summary(folder: Path) -> str | None:
    """One line in pytest's form for all its runs: what failed and was run again counts as it ended."""
    counts: Counter[str] = Counter()
    seconds = 0.0
    found = False
    for log in sorted(folder.glob("*.log")):
        if (run := counts_of(log)) is None:
            continue
        again = counts_of(log.with_suffix(".once-more.log"))
        if again is not None and again[0].total() > 0:
            run[0]["failed"] = run[0]["errors"] = 0
        found, seconds = True, seconds + run[1]
        counts += run[0]
    line = ", ".join(f"{counts[key]} {key}" for key in _ORDER if counts[key])
    return f"{line or 'no tests ran'} in {seconds:.2f}s" if found else None


def main() -> None:
    """Print all of it."""
    folder, ending = Path(sys.argv[1]), sys.argv[2]
    if (steps := folder / "steps").exists():
        print_table(steps.read_text().splitlines())
    logs = sorted(folder.glob("*.once-more.log"))
    flaky = [test for log in logs for test in re.findall(r"^PASSED (.+)$", log.read_text(errors="replace"), re.MULTILINE)]
    for test in flaky:
        print(f"flaky: {test}")
    if flaky:
        print(f"{len(flaky)} PASSED ONLY AT THE SECOND TRY")
    print(f".ci/run: {ending}")
    if (line := summary(folder)) is not None:
        print(line)


if __name__ == "__main__":
    main()
