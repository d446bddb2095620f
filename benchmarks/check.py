"""How long a student waits for ``check("...")``: in a real kernel, in the released notebook with a right answer in it.

python -m benchmarks.check

The first call also imports the exercise's graders; those after it are what "warm" means. A cell that does nothing says what the
kernel itself takes.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from benchmarks.machine import keep
from torchgrade.course import Course, find_course
from torchgrade.notebook import Assignment, load_assignment
from torchgrade.notebook.cells import CHECK, grade_id_of

REPEAT = 7
GOAL_SECONDS = 2.0


def main() -> None:
    """Measure, print, keep."""
    course = find_course(Path(__file__).parent)
    rows: dict[str, Any] = {}
    for name in course.assignment_names():
        source = load_assignment(course.assignments, name)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(course.release / name, folder, dirs_exist_ok=True)
            rows |= _of_assignment(course, source, folder)
    print(keep("check", {"unit": "seconds", "goal": GOAL_SECONDS, "exercises": rows}))


def _of_assignment(course: Course, source: Assignment, folder: str) -> dict[str, Any]:
    manager, client = start_new_kernel(cwd=folder)
    rows = {}
    try:
        for cell in source.notebook.cells:
            name = grade_id_of(cell) or ""
            if cell.cell_type != "code":
                continue
            if name in {exercise.name for exercise in source.exercises}:
                reference = course.solutions / source.name / name / "reference.py"
                _timed(client, reference.read_text(encoding="utf-8"))
            elif name.endswith(CHECK):
                rows[name.removesuffix(CHECK)] = _of_exercise(client, name.removesuffix(CHECK))
            else:
                _timed(client, cell.source)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return rows


def _of_exercise(client: BlockingKernelClient, name: str) -> dict[str, float]:
    first, *warm = [_timed(client, f'check("{name}")') for _ in range(REPEAT + 1)]
    nothing = [_timed(client, "pass") for _ in range(REPEAT)]
    row = {
        "first": round(first, 3),
        "warm": round(statistics.median(warm), 3),
        "slowest": round(max(warm), 3),
        "kernel alone": round(statistics.median(nothing), 4),
    }
    print(f"{name:24} {row}", flush=True)
    return row


def _timed(client: BlockingKernelClient, code: str) -> float:
    """Seconds until the kernel has done it and said so. Raises where it ends in an error, or prints that a check failed."""
    shown: list[dict[str, Any]] = []
    started = time.perf_counter()
    reply = client.execute_interactive(code, timeout=120, output_hook=shown.append)
    seconds = time.perf_counter() - started
    text = "".join(message["content"].get("data", {}).get("text/plain", "") for message in shown)
    if code.startswith("check(") and ("✓" not in text or "✗" in text):
        raise RuntimeError(f"{code} did not pass: {text[:1000]}")
    if reply["content"]["status"] != "ok":
        raise RuntimeError(f"{code[:60]!r} ended with {reply['content'].get('ename')}: {reply['content'].get('evalue')}")
    return seconds


if __name__ == "__main__":
    main()
