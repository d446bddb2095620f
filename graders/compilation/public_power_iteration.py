"""Public checks: power_iteration. You may read and run them; `check("power_iteration")` does."""

import io
import itertools
import warnings
from typing import Any

import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, points

F64 = torch.float64
NEGATIVE = torch.tensor([[-3.0, 0.0], [0.0, 1.0]], dtype=F64)
POSITIVE = torch.tensor([[3.0, 0.0], [0.0, 1.0]], dtype=F64)
"""From [1, 1] the errors of the first five steps are 1, 0.6, 0.22, 0.07 and 0.02 with this one."""
START = torch.tensor([1.0, 1.0], dtype=F64)


HINTS = {
    "undefined value": "The compiler asks what this name is if the loop was never entered.",
    "cannot be used as a value": "This name lives outside of the function, where the compiler does not look.",
    "return along all paths": "Follow each path through the function to its end. What does it give back there?",
    "annotated as having type": "The signature says one thing. What comes back on this path?",
    "previously had type": "A name keeps the type that it began with.",
    "must be ints": "The compiler knows types from the signature. What does yours say about each argument?",
    "found Tensor": "The compiler knows types from the signature. What does yours say about each argument?",
    "weak reference": "NumPy is not PyTorch: the compiler knows nothing of it.",
    "no attribute or method": "A method has to be one that the compiler knows. It knows most of PyTorch's, and nothing of NumPy.",
    "Python function call": "It compiles, but it cannot be saved: a file has no room for what only Python can run.",
}
"""By words of the compiler's error. Everything else gets a hint for all."""


def refused(error: str) -> None:
    """Fail, with the first line of TorchScript's error and the line of the function that it points to."""
    lines = [line for line in error.splitlines() if line.strip()] or ["it says nothing"]
    marked = [line.strip() for line, below in itertools.pairwise(lines) if "<--- HERE" in below]
    hint = next(
        (HINTS[words] for words in HINTS if words in lines[0]),
        "Python can do this, and the compiler cannot. Is there a plainer way?",
    )
    at = f" (at: {marked[0]})" if marked else ""
    raise CheckFailed(f"TorchScript refuses the function: {lines[0].strip().rstrip(':.')}{at}", hint=hint)


def parts(result: Any, numbers: bool = True) -> tuple[Any, Any]:
    """The value, as a tensor even if it is a number, and the count."""
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise CheckFailed(f"the result is {result!r}; expected two things, the value and the number of steps")
    value, steps = result
    return torch.tensor(value, dtype=F64) if numbers and isinstance(value, float) else value, steps


@points(1)
def test_by_hand(student):
    """For the matrix [[-3, 0], [0, 1]] and the start [1, 1], the values of the first three steps are -1, -2.6 and -121 / 41."""
    hint = "A step has three lines: w, the value, and the error. Which v do they use, how long is it, and what comes last?"
    for max_steps, right in ((1, -1.0), (2, -2.6), (3, -121 / 41)):
        value, _ = parts(student.power_iteration(NEGATIVE, START, 1e-6, max_steps))
        what = f"the value after {max_steps} step{'s' * (max_steps > 1)}"
        assert_close(value, torch.tensor(right, dtype=F64), precision=F64, ulps=2**22, what=what, hint={"values": hint})


@points(1)
def test_steps_by_hand(student):
    """The errors of [[3, 0], [0, 1]], which are 1, 0.6, 0.22, 0.07, say when to stop; an eigenvector takes one step."""
    eigenvector = torch.tensor([0.0, 1.0], dtype=F64)
    for start, tolerance, right in ((START, 0.8, 2), (START, 0.3, 3), (START, 0.1, 4), (eigenvector, 0.0, 1)):
        _, steps = parts(student.power_iteration(POSITIVE, start, tolerance, 8))
        if steps != right:
            called = "[1, 1]" if start is START else "the eigenvector [0, 1]"
            raise CheckFailed(
                f"from {called} with a tolerance of {tolerance}, the number of steps is {steps}; expected {right}",
                hint="Which number has the first step, how is its error computed, and when is it small enough?",
            )


def compiled(notebook: Any, calls: list[tuple[Tensor, Tensor, float, int]]) -> Any:
    """What the function gives after it was scripted, saved and loaded; or why TorchScript refuses it."""
    function, file = notebook.power_iteration, io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that TorchScript is deprecated
        try:
            torch.jit.save(torch.jit.script(function), file)
        except Exception as error:  # noqa: BLE001 - whatever it is, the student reads it
            return str(error)
        file.seek(0)
        loaded = torch.jit.load(file)
    return [loaded(matrix.clone(), start.clone(), tolerance, max_steps) for matrix, start, tolerance, max_steps in calls]


@points(1)
def test_scripted(student):
    """TorchScript accepts the function; saved and loaded, it gives what the function gives in Python."""
    calls = [(NEGATIVE, START, *limits) for limits in ((1.5, 5), (0.2, 5), (0.2, 3), (0.1, 9))]
    results = student.run(compiled, calls)
    if isinstance(results, str):
        refused(results)
    if not isinstance(results, list) or len(results) != len(calls):
        raise CheckFailed("the scripted function gave no results")
    for arguments, result in zip(calls, results, strict=True):
        value, steps = parts(result)
        expected, right = parts(student.power_iteration(*arguments))
        tolerance, max_steps = arguments[2:]
        what = f"the scripted function's value for a tolerance of {tolerance} and at most {max_steps} steps"
        assert_close(value, expected, precision=F64, ulps=2**22, what=what, hint="What does the compiled code do otherwise?")
        if steps != right:
            raise CheckFailed(f"scripted, the function takes {steps} steps, and {right} in Python")
