"""Which dtype was met where, beside the right one, as a small table below a check's message.

    a linear layer's output          float32, autocast off   float16, autocast float16   ✗
    a gradient in the backward pass  float32, autocast off   float32, autocast off

Shown for hidden checks too: it tells students of their own tensors, and what is right the message says already.
"""

from __future__ import annotations

from markupsafe import Markup

from torchgrade.record import Check, Outcome, measurement_of
from torchgrade.report.text import clean

_MOST = 16
_COLUMNS = 3


def dtype_trace(check: Check) -> Markup:
    """The table of a failed check that looked at dtypes; empty for any other."""
    rows = measurement_of(check, "dtypes")
    if check.outcome is not Outcome.FAILED or rows is None or not 1 <= len(rows) <= _MOST:
        return Markup()
    if not all(isinstance(row, list | tuple) and len(row) == _COLUMNS for row in rows):
        return Markup()  # made by another version, or by hand
    head = Markup('<tr><th scope="col">Where</th><th scope="col">Your dtype</th><th scope="col">Expected</th></tr>')
    table = Markup('<table class="torchgrade-dtypes"><thead>{}</thead><tbody>{}</tbody></table>')
    return table.format(head, Markup().join(_row(*row) for row in rows))


def _row(place: str, yours: str, right: str) -> Markup:
    off = Markup(' class="torchgrade-failed"') if yours != right else Markup()
    sign = "✗ " if yours != right else ""
    return Markup("<tr><td>{}</td><td{}>{}</td><td>{}</td></tr>").format(
        clean(str(place)), off, sign + clean(str(yours)), clean(str(right))
    )
