"""Calls the student's stopwatch with functions of the judge's. Nothing here is secret."""

import time
import types
from typing import Any

CLOCKS = ("perf_counter", "time", "monotonic", "process_time")


def timed(notebook: Any, function: Any, synchronize: Any, clock: Any, *counts: int) -> Any:
    """The result, whatever its type is: another check says that.

    Where the notebook reads a clock of Python's, it gets the device's instead: that the clock was an argument is for the
    public checks to say. Only the notebook's own names are others for the time of the call.
    """
    names = getattr(notebook.benchmark, "__globals__", {})
    module = types.SimpleNamespace(**{**vars(time), **dict.fromkeys(CLOCKS, clock)})
    real = {id(getattr(time, name)) for name in CLOCKS}
    kept = {name: value for name, value in names.items() if value is time or id(value) in real}
    names.update({name: module if value is time else clock for name, value in kept.items()})
    try:
        return notebook.benchmark(function, synchronize, clock, *counts)
    finally:
        names.update(kept)
