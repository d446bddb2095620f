"""The page of a class of a thousand: how long it takes to make, how large it is, how long a browser takes to open and sort it.

python -m benchmarks.report [--students 1000]

Records are made by chance, 40 checks each, four of them races with their samples, and written as grading writes them. Times in
the browser end when what changed has been drawn.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.machine import keep
from torchgrade.record import Results, digest

HELPERS = Path(__file__).parent.parent / "tests" / "helpers"
TOOL = str(Path(sys.executable).parent / "torchgrade")
A = "numerical_stability"
NOTEBOOK = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}' + b" " * 20_000
REPEATS = 5
DRAWN = "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)))"
FIND = "document.getElementById"
ACTIONS = {
    "sort by mark": "document.querySelector('th[data-key=mark] button').click()",
    "sort by a check": "document.querySelector('th[data-key=\"20\"] button').click()",
    "filter by text": f"{FIND}('text').value = 'ada'; {FIND}('text').dispatchEvent(new Event('input'))",
    "filter by outcome": f"{FIND}('outcome').value = 'f'; {FIND}('outcome').dispatchEvent(new Event('input'))",
}


def course_of(root: Path, students: int) -> None:
    """Write a course whose class is graded."""
    from made_class import LARGE, made_class  # noqa: PLC0415 - found where the tests keep it

    (root / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.source_directory = 'assignments'\n")
    (root / "assignments" / A).mkdir(parents=True)
    (root / "assignments" / A / f"{A}.ipynb").write_bytes(NOTEBOOK)
    results = Results(root / "results")
    for record in made_class(students, items=LARGE):
        folder = root / "submitted" / record.student / A
        folder.mkdir(parents=True)
        (folder / f"{A}.ipynb").write_bytes(NOTEBOOK)
        digests = dataclasses.replace(record.digests, notebook=digest(NOTEBOOK))
        results.write(dataclasses.replace(record, digests=digests))


def middle(function: Callable[[], float]) -> float:
    """The median of a few calls, in seconds."""
    return round(statistics.median(function() for _ in range(REPEATS)), 3)


def made(root: Path) -> float:
    """Seconds of the command, start to end."""
    started = time.perf_counter()
    subprocess.run([TOOL, "report", A], cwd=root, check=True, capture_output=True)
    return time.perf_counter() - started


def in_browser(page: Path) -> dict[str, float]:
    """Seconds in headless Chromium."""
    from browser import chromium  # noqa: PLC0415 - found where the tests keep it

    with chromium() as browser:

        def opened() -> float:
            window = browser.new_page(viewport={"width": 1280, "height": 900})
            window.goto(page.as_uri())
            seconds = float(window.evaluate(DRAWN)) / 1000
            window.close()
            return seconds

        def done(action: str) -> float:
            window = browser.new_page(viewport={"width": 1280, "height": 900})
            window.goto(page.as_uri())
            window.evaluate("document.getElementById('controls').scrollIntoView()")
            window.evaluate(DRAWN)
            seconds = window.evaluate(
                f"async () => {{ const began = performance.now(); {action}; return await {DRAWN} - began; }}"
            )
            window.close()
            return float(seconds) / 1000

        return {"open": middle(opened)} | {name: middle(functools.partial(done, action)) for name, action in ACTIONS.items()}


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=1000)
    students = parser.parse_args().students
    sys.path.insert(0, str(HELPERS))
    root = Path(tempfile.mkdtemp(prefix="torchgrade-report-"))
    try:
        course_of(root, students)
        seconds: dict[str, float] = {"torchgrade report": middle(lambda: made(root))}
        page = root / "results" / "reports" / f"{A}.html"
        results: dict[str, Any] = {"students": students, "checks": 40, "unit": "seconds, median of 5"}
        results |= {"page_mb": round(page.stat().st_size / 1e6, 2), "seconds": seconds | in_browser(page)}
    finally:
        shutil.rmtree(root)
    print(results)
    print(keep("report", results))


if __name__ == "__main__":
    main()
