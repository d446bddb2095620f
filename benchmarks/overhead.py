"""What the wall costs: a session's start, a check's fork, and calls through the proxy beside the same calls in one process.

A layer's call through its handle is compared with a call of a function that gets the same weights as arguments.

python -m benchmarks.overhead
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.machine import keep, spread, times
from torchgrade.jail import FakeWorker, Session, Student, WarmWorker

SOURCE = """
import torch
def softmax(x, dim=-1):
    return torch.softmax(x, dim)
def linear(x, weight):
    return x @ weight.T
class Linear(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(n, n))
    def forward(self, x):
        return x @ self.weight.T
"""
# What a small notebook has besides: a few cells that define things.
CELLS = ["import torch\nfrom torch import Tensor", SOURCE, "def helper(x):\n    return x", "y = torch.ones(3)"]
SMALL = torch.randn(2, 3)
MEGABYTE = torch.randn(512, 512)


def program() -> list[dict[str, Any]]:
    """The notebook in wire form."""
    return [{"number": n, "grade_id": None, "source": text, "python": text} for n, text in enumerate(CELLS, start=1)]


def objects(student: Student, other: Student, n: int, many: int) -> dict[str, Any]:
    """A layer of ``n`` to ``n``, called by its handle, and the function of one who never asked for an object, in turn."""
    layer, x = student.Linear(n), torch.rand(2, n)
    weight = layer.weight.detach().clone()
    found: dict[str, Any] = {}
    for what, wanted in (("forward", False), ("forward and backward", True)):

        def call(function: Callable[..., torch.Tensor], *args: torch.Tensor, wanted: bool = wanted) -> None:
            with torch.set_grad_enabled(wanted):
                result = function(*args)
            if wanted:
                result.sum().backward()

        ratios, handle, plain = [], [], []
        for _ in range(many // 10):
            of_handle = times(functools.partial(call, layer, x), 10)
            of_function = times(functools.partial(call, other.linear, x, weight.requires_grad_(wanted)), 10)
            layer.weight.grad = weight.grad = None
            ratios.append(statistics.median(of_handle) / statistics.median(of_function))
            handle += of_handle
            plain += of_function
        name = f"[{n}, {n}], {what}"
        found[f"a layer's call, {name}"] = spread(handle)
        found[f"a function's call, {name}"] = spread(plain)
        found[f"the former by the latter, {name}"] = round(statistics.median(ratios), 3)
    return found


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
        with Session(worker, program()) as session, Session(worker, program()) as second:
            for n, many in ((3, 2000), (512, 300)):
                results |= objects(Student(session.exchange, seed=1), Student(second.exchange, seed=1), n, many)
    finally:
        worker.close()
    for name, value in results.items():
        print(f"{name:50} {value}")
    print(keep("overhead", results))


if __name__ == "__main__":
    main()
