"""Hints for exceptions from the student's code, given only if the exception's text leaves no doubt.

    graders/errors.toml of the course, then the table here ──► the first entry whose text is in the exception's ──► its hint

A course adds its own, which come first:

    [[error]]
    text = "must match the size of tensor"
    hint = "Print both shapes in the line before."
"""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

from torchgrade.checks.declared import GraderError
from torchgrade.checks.faults import Raised, StudentFault

_USUALLY = (
    (
        "Weights only load failed",
        "weights_only=True reads plain data alone: tensors, numbers, text, lists, dicts. state_dict() is such; a model is not.",
    ),
    (
        "must match the size of tensor",
        "Two shapes do not broadcast. Print them: is a dimension missing in one? A reduction drops its own unless keepdim=True.",
    ),
    (
        "a leaf Variable that requires grad is being used in an in-place operation",
        "An operation that ends in _, or one like -=, writes into the tensor that your function was given. Make a new one.",
    ),
    (
        "is at version",
        "A tensor that the backward pass needs was changed in place after it was used. Make a new tensor instead.",
    ),
    (
        "view size is not compatible",
        "view() never copies, so it wants its elements side by side in memory; reshape() copies where it must.",
    ),
    (
        "does not require grad and does not have a grad_fn",
        "The result is cut off from what it was computed from: look for detach(), .data, .item(), numpy or torch.no_grad().",
    ),
    (
        "Can't call numpy() on Tensor that requires grad",
        "NumPy is not seen by autograd: stay with torch's own functions.",
    ),
    (
        "Trying to backward through the graph a second time",
        "A graph is freed by its backward pass: does something of an earlier step still hang on it?",
    ),
    (
        "Boolean value of Tensor with more than one value is ambiguous",
        "if, and, or, not and a < b < c need one truth, and this tensor has many. &, | and logical_not work element by element.",
    ),
    (
        '"bitwise_and_',
        "& takes bool and integers, and binds more tightly than comparisons: put brackets around each, as in (a < b) & (b < c).",
    ),
    (
        '"bitwise_or_',
        "| takes bool and integers, and binds more tightly than comparisons: put brackets around each, as in (a < b) | (b < c).",
    ),
    (
        "torch.return_types.",
        "max, min, sort, median and topk with a dim return values and indices. Take .values, or use amax and amin.",
    ),
    (
        "doesn't match the broadcast shape",
        "An operation that writes into a tensor cannot change its shape: here the result is larger than the tensor it goes into.",
    ),
    (
        "are out of bounds for storage of size",
        "This shape and these strides reach beyond the memory: the last element is at offset + sum of (size - 1) * stride.",
    ),
    (
        "some elements of the input tensor and the written-to tensor refer to a single memory location",
        "The target overlaps what is read, and out= does not write there. Compute into new memory first, then copy.",
    ),
    (
        "more than one element of the written-to tensor refers to a single memory location",
        "An expanded tensor has several elements in one place, so nothing can be written into it. clone() gives each its own.",
    ),
    (
        "incorrect number of gradients",
        "backward returns one value for each argument of forward, in order, and None where there is no gradient.",
    ),
    (
        "returned an invalid gradient at index",
        "backward returns a gradient of the argument's shape, for each argument of forward. Print both shapes before you return.",
    ),
    (
        "returned a gradient different than None at position",
        "This argument of forward was None, or not a tensor at all: then its gradient is None as well.",
    ),
    (
        "shape mismatch: indexing tensors could not be broadcast together",
        "Several index tensors are paired up element by element, after broadcasting. Print their shapes first.",
    ),
    (
        "has already been called on this optimizer since the last update()",
        "A gradient can be unscaled once in each step, and update() ends the step.",
    ),
    (
        "No inf checks were recorded",
        "The scaler found no gradients: backward() comes before step(), and nothing may clear them in between.",
    ),
    (
        "_scale is None",
        "The scaler has not scaled anything yet: scaler.scale(loss).backward() comes before unscale_, step and update.",
    ),
    (
        "Attempting to unscale FP16 gradients",
        "These parameters are in float16. Autocast wants a float32 model: it converts what each operation reads.",
    ),
    (
        "cannot pickle '_io.",
        "A worker gets a pickled copy of the dataset, and an open file cannot be pickled. Open it where it is read.",
    ),
    (
        "expects a non-empty TensorList",
        "The list is empty, so there is nothing to stack. For which input is it, and what should come back then?",
    ),
    (
        "expected a non-empty list of Tensors",
        "The list is empty, so there is nothing to join. For which input is it, and what should come back then?",
    ),
    (
        "Index tensor must have the same number of dimensions as",
        "gather and scatter want as many dimensions of the index as of the input. Print both shapes in the line before.",
    ),
    (
        "Size does not match at dimension",
        "gather and scatter want an index no larger than the input, except along dim. Print both shapes in the line before.",
    ),
    (
        "unsupported ScalarType BFloat16",
        "NumPy has no bfloat16. Stay with torch's own functions, or convert with float() first.",
    ),
)
FILE = "errors.toml"
_added: tuple[tuple[str, str], ...] = ()


def use_errors(path: Path) -> None:
    """Take a course's own hints from this file from now on; there are none if the file does not exist.

    Raises :class:`GraderError` for a file in another form.
    """
    global _added  # noqa: PLW0603 - a process grades one course at a time
    _added = ()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise GraderError(f"{path} cannot be read: {error}") from error
    entries = found.pop("error", [])
    if found or not isinstance(entries, list):
        raise GraderError(f"{path} holds {min(found, default='another form')!r}; expected entries [[error]] with text and hint")
    for number, entry in enumerate(entries, start=1):
        if not (
            isinstance(entry, dict) and entry.keys() == {"text", "hint"} and all(isinstance(v, str) and v for v in entry.values())
        ):
            raise GraderError(f'{path}: entry {number} is not of the form text = "...", hint = "..."')
    _added = tuple((entry["text"], entry["hint"]) for entry in entries)


def hint_for(fault: StudentFault) -> str:
    """Return a sentence that helps with what the student's code raised: from the tables, or else from the check that asked."""
    if not isinstance(fault, Raised):
        return fault.hint
    return next((hint for part, hint in (*_added, *_USUALLY) if part in fault.text), fault.hint)


@contextlib.contextmanager
def hint_where_raised(hint: str) -> Iterator[None]:
    """Within this block, give this hint to any exception from the student's code for which the tables have none.

    A stub that was never written needs no hint.
    """
    try:
        yield
    except Raised as fault:
        if fault.slip == "raised":
            fault.hint = hint
        raise
