"""Grading one submission: declarations and assertions for graders, the pytest plugin, and the judge.

The names below are what graders use. They import neither pytest nor the jail, because the public checks among the graders
also run in a student's own kernel, on any operating system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchgrade.grading.assertions import (
        assert_close,
        assert_constant_operations,
        assert_dtype,
        assert_dtype_trace,
        assert_inputs_untouched,
        assert_raises,
        assert_shape,
        assert_tensor,
    )
    from torchgrade.grading.checks import CheckFailed, GraderError, award, measured, points
    from torchgrade.grading.gradients import assert_gradients

__all__ = [
    "CheckFailed",
    "GraderError",
    "assert_close",
    "assert_constant_operations",
    "assert_dtype",
    "assert_dtype_trace",
    "assert_gradients",
    "assert_inputs_untouched",
    "assert_raises",
    "assert_shape",
    "assert_tensor",
    "award",
    "measured",
    "points",
]

_HOMES = dict.fromkeys(("CheckFailed", "GraderError", "award", "measured", "points"), "checks")
_HOMES["assert_gradients"] = "gradients"


def __getattr__(name: str) -> Any:
    # Looked up on first use: whoever only wants to know whether a record is still current need not import torch.
    if name not in __all__:
        raise AttributeError(f"module 'torchgrade.grading' has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    return getattr(importlib.import_module(f"torchgrade.grading.{_HOMES.get(name, 'assertions')}"), name)
