"""Grading one submission: declarations and assertions for graders, the pytest plugin, and the judge.

The names below are what graders use. They import neither pytest nor the jail, because the public checks among the graders
also run in a student's own kernel, on any operating system.
"""

from torchgrade.grading.assertions import (
    assert_close,
    assert_constant_operations,
    assert_dtype,
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
    "assert_gradients",
    "assert_inputs_untouched",
    "assert_raises",
    "assert_shape",
    "assert_tensor",
    "award",
    "measured",
    "points",
]
