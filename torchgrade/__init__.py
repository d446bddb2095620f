"""torchgrade: an autograder for PyTorch exercises in Jupyter notebooks.

``check`` is for students; the rest is what graders are written with: see docs/grading-api.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchgrade.checks.assertions import (
        assert_constant_operations,
        assert_dtype,
        assert_dtype_trace,
        assert_inputs_untouched,
        assert_raises,
        assert_same_storage,
        assert_shape,
        assert_strides,
        assert_tensor,
        assert_view_of,
    )
    from torchgrade.checks.comparing import assert_close
    from torchgrade.checks.declared import CheckFailed, points
    from torchgrade.checks.forgiving import forgiving
    from torchgrade.checks.gradients import assert_gradients
    from torchgrade.checks.notes import award, measured
    from torchgrade.checks.observing import saved_for_backward
    from torchgrade.judge.race import assert_memory, race
    from torchgrade.student import check

__version__ = "0.1.0"

__all__ = [
    "CheckFailed",
    "assert_close",
    "assert_constant_operations",
    "assert_dtype",
    "assert_dtype_trace",
    "assert_gradients",
    "assert_inputs_untouched",
    "assert_memory",
    "assert_raises",
    "assert_same_storage",
    "assert_shape",
    "assert_strides",
    "assert_tensor",
    "assert_view_of",
    "award",
    "check",
    "forgiving",
    "measured",
    "points",
    "race",
    "saved_for_backward",
]

_HOMES = {
    **dict.fromkeys(("CheckFailed", "points"), "torchgrade.checks.declared"),
    **dict.fromkeys(("award", "measured"), "torchgrade.checks.notes"),
    "assert_close": "torchgrade.checks.comparing",
    "assert_gradients": "torchgrade.checks.gradients",
    "assert_memory": "torchgrade.judge.race",
    "check": "torchgrade.student",
    "forgiving": "torchgrade.checks.forgiving",
    "race": "torchgrade.judge.race",
    "saved_for_backward": "torchgrade.checks.observing",
}


def __getattr__(name: str) -> Any:
    # Looked up on first use: a jailed worker imports torchgrade.jail and must not pay for, or hold, anything else.
    if name not in __all__:
        raise AttributeError(f"module 'torchgrade' has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - torchgrade itself imports nothing

    return getattr(importlib.import_module(_HOMES.get(name, "torchgrade.checks.assertions")), name)
