"""The machine that a benchmark ran on, and how results are kept."""

from __future__ import annotations

import datetime as dt
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torchgrade.judge.environment import describe_environment

FOLDER = Path(__file__).parent


def machine() -> dict[str, Any]:
    """Processor, cores, memory, versions, and how busy it was."""
    described = describe_environment(jail=True, group=os.geteuid() == 0)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    return {**described, "memory_gb": round(memory / 2**30, 1), "load": round(os.getloadavg()[0], 2), "at": now}


def times(function: Callable[[], Any], repeat: int) -> list[float]:
    """Wall seconds of each of ``repeat`` calls, after two that are not counted."""
    function()
    function()
    samples = []
    for _ in range(repeat):
        started = time.perf_counter()
        function()
        samples.append(time.perf_counter() - started)
    return samples


def spread(samples: list[float], *, unit: float = 1e3) -> dict[str, float]:
    """Median, and the tenth and ninetieth percentile; ``unit`` 1e3 gives milliseconds."""
    tenths = statistics.quantiles(samples, n=10)
    return {
        "median": round(statistics.median(samples) * unit, 4),
        "p10": round(tenths[0] * unit, 4),
        "p90": round(tenths[-1] * unit, 4),
    }


def svg_pyplot(salt: str) -> Any:
    """Matplotlib's pyplot, which will write SVG: text as text, and the same file for the same figures."""
    import matplotlib as mpl  # noqa: PLC0415 - an extra

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = salt
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot as plt  # noqa: PLC0415

    return plt


def keep(name: str, results: dict[str, Any]) -> Path:
    """Write the results beside the benchmark."""
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps({"machine": machine(), **results}, indent=1) + "\n", encoding="utf-8")
    return path
