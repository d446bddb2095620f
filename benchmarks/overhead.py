"""What the wall costs: a session's start, a check's fork, and calls through the proxy beside the same calls in one process.

python -m benchmarks.overhead
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from benchmarks.machine import keep, spread, times
from torchgrade.jail import FakeWorker, Session, Student, WarmWorker

SOURCE = """
import torch
def softmax(x, dim=-1):
    return torch.softmax(x, dim)
"""
# What a small notebook has besides: a few cells that define things.
CELLS = ["import torch\nfrom torch import Tensor", SOURCE, "def helper(x):\n    return x", "y = torch.ones(3)"]
SMALL = torch.randn(2, 3)
MEGABYTE = torch.randn(512, 512)


def program() -> list[dict[str, Any]]:
    """The notebook in wire form."""
    return [{"number": n, "grade_id": None, "source": text, "python": text} for n, text in enumerate(CELLS, start=1)]


def main() -> None:
    """Measure, print, keep."""
    torch.set_num_threads(1)
    local = FakeWorker(SOURCE).student()
    results: dict[str, Any] = {"unit": "milliseconds"}
    worker = WarmWorker()

    def first_answer() -> None:
        with Session(worker, program()) as session:
            session.load()
            Student(session.exchange, seed=1).softmax(SMALL)

    def ready() -> None:
        with Session(worker, program()) as session:
            session.load()

    try:
        results["session, cells run, ended again"] = spread(times(ready, 60))
        results["session, cells run, first answer, ended again"] = spread(times(first_answer, 60))
        with Session(worker, program()) as session:
            student = Student(session.exchange, seed=1)

            def check() -> None:
                student.softmax(SMALL)
                session.end_check()

            results["check: fork, one call, looked after"] = spread(times(check, 100))
            for name, x in (("24 bytes", SMALL), ("1 MB", MEGABYTE)):
                results[f"call, {name}"] = spread(times(functools.partial(student.softmax, x), 2000 if x is SMALL else 400))
                results[f"call, {name}, one process, encoded"] = spread(times(functools.partial(local.softmax, x), 400))
                results[f"call, {name}, one process, plain"] = spread(times(functools.partial(torch.softmax, x, -1), 400))
    finally:
        worker.close()
    for name, value in results.items():
        print(f"{name:50} {value}")
    print(keep("overhead", results))


if __name__ == "__main__":
    main()
