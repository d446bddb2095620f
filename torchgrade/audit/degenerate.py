"""Degenerate answers: what a function returns whose author thought of nothing. The audit makes them from the reference.

They are as close to a right answer as can be (its shape, its dtype), so a check which one of them passes looks at too little. One
more is right each time that it is asked anew, and remembers: where shapes, dtypes and settings come again, so does its answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torchgrade.notebook import ExerciseCells

_FOR_TENSORS = {
    "zeros": "torch.zeros_like(answer)",
    "ones": "torch.ones_like(answer)",
    "nan": "torch.full_like(answer, float('nan'))",
    "constant": "torch.full_like(answer, 0.25)",
    "input": "next(a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor))",
    "shuffled": "answer.flip(tuple(range(answer.dim())))",
    "broadcast": "answer.reshape(-1)[:1].expand(answer.numel()).reshape(answer.shape)",
    "wrong_dtype": "answer.to(torch.float32 if answer.dtype == torch.float64 else torch.float64)",
    "wrong_shape": "answer.unsqueeze(0)",
    "detached": "answer.detach()",
    "none": "None",
}
_FOR_LISTS = {
    "zeros": "[0.0 for _ in answer]",
    "ones": "[1.0 for _ in answer]",
    "nan": "[float('nan') for _ in answer]",
    "constant": "[0.25 for _ in answer]",
    "shuffled": "answer[::-1]",
    "broadcast": "answer[:1] * len(answer)",
    "wrong_dtype": "[torch.tensor(each) for each in answer]",
    "wrong_shape": "answer + answer[-1:]",
    "none": "None",
}
_BY_KIND: Mapping[str, Mapping[str, str]] = {"Tensor": _FOR_TENSORS, "list[float]": _FOR_LISTS}

_WRAPPED = """{reference}

import torch

_right = {name}


def {name}(*args, **kwargs):
    answer = _right(*args, **kwargs)
    return {answer}
"""

REMEMBERED = "remembered"

_REMEMBERING = """{reference}

import torch

_right = {name}
_answers = {{}}


def _form(value):
    if isinstance(value, torch.Tensor):
        return (value.shape, value.dtype, value.device)
    if isinstance(value, (list, tuple)):
        return tuple(map(_form, value))
    return value if isinstance(value, (bool, int, float, str, torch.dtype, type(None))) else type(value)


def {name}(*args, **kwargs):
    if torch.is_grad_enabled() and any(isinstance(a, torch.Tensor) and a.requires_grad for a in (*args, *kwargs.values())):
        return _right(*args, **kwargs)
    form = tuple(map(_form, (*args, *sorted(kwargs.items()))))
    if form not in _answers:
        _answers[form] = _right(*args, **kwargs)
    answer = _answers[form]
    return answer.clone() if isinstance(answer, torch.Tensor) else list(answer)
"""

_WRAPPED_CLASS = """{reference}

import torch

_Right = {name}


class {name}(_Right):
    def forward(self, *args, **kwargs):
        answer = super().forward(*args, **kwargs)
        return {answer}
"""


def degenerates_of(exercise: ExerciseCells, reference: str) -> Iterator[tuple[str, str]]:
    """Name and cell text of each degenerate answer, of a function or of a class's ``forward``; none where that says no type."""
    method = f"{exercise.name}.forward"
    template = _WRAPPED_CLASS if method in exercise.returns else _WRAPPED
    answers = _BY_KIND.get(exercise.returns.get(method, exercise.returns.get(exercise.name, "")), {})
    for name, answer in answers.items():
        yield name, template.format(reference=reference, name=exercise.name, answer=answer)
    if answers and template is _WRAPPED:
        yield REMEMBERED, _REMEMBERING.format(reference=reference, name=exercise.name)
