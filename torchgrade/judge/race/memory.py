"""The peak of memory that a call takes, measured from outside the process that makes it.

    question ──► the call, its arguments and its result ──► answer
    ├── what the process (or its tree) holds at most, less what it held before ──┤

With a control group of version 1, the kernel counts the whole tree, including shared memory and pages that are copied on writing.
Elsewhere it tells the most that the answering process held (``VmHWM``), which may hide a part in memory that the process's
allocator kept from before; at the least, what the process holds privately after the call is counted. The record says which.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torchgrade.checks.declared import CheckFailed, GraderError, UndecidedError
from torchgrade.checks.notes import measured
from torchgrade.jail import StudentFunction
from torchgrade.jail.resources.accounts import memory_account
from torchgrade.jail.resources.process_tree import ProcessTree
from torchgrade.judge.race.rivals import REFERENCE, require_racers
from torchgrade.record.measurements import Memory

_KILOBYTE = 1024
_LEAST = 1 << 20  # ratios of less than a megabyte tell of the allocator, not of the code


def assert_memory(
    function: StudentFunction,
    *args: Any,
    at_most: float | None = None,
    at_most_times: float | None = None,
    warm_up: tuple[Any, ...] | None = None,
    hint: str = "",
    **kwargs: Any,
) -> Any:
    """Fail if the call holds more than ``at_most`` bytes at a time, or ``at_most_times`` what the reference's call holds.

    This includes what arrives and what is sent back: about twice the bytes of the arguments and once those of the result. So
    choose sizes for which the thing that you are looking for is larger. ``warm_up`` are small arguments for a call before the
    measured one, for everything that is set up only once. The check should be of kind ``memory``, which gives it a process of its
    own. Returns the call's result, which the grader should check.
    """
    __tracebackhide__ = True
    if (at_most is None) == (at_most_times is None):
        raise GraderError("assert_memory needs either at_most (bytes) or at_most_times (times the reference)")
    allowed = at_most or 0.0
    theirs = 0
    if at_most_times is not None:
        racers = require_racers("assert_memory with at_most_times")
        session = racers.session(REFERENCE, role="memory")
        try:
            other = function.of(racers.student(session, who="reference solution"))
            theirs, _, _ = peak_of(other, args, kwargs, warm_up)
        finally:
            session.end_check()
        allowed = at_most_times * max(theirs, _LEAST)
    peak, how, result = peak_of(function, args, kwargs, warm_up)
    about: Memory = {
        "bytes": peak,
        "at_most": int(allowed),
        "measured by": how,
        "verdict": "passed" if peak <= allowed else "failed",
    }
    if theirs:
        about["reference"] = theirs
    measured("memory", about)
    if peak > allowed:
        times = f", {peak / max(theirs, _LEAST):.1f} times the reference" if theirs else ""
        text = f"the call takes {_megabytes(peak)} at its peak{times}; at most {_megabytes(allowed)} allowed"
        raise CheckFailed(text, hint=hint)
    return result


def peak_of(
    function: StudentFunction, args: tuple[Any, ...], kwargs: dict[str, Any], warm_up: tuple[Any, ...] | None
) -> tuple[int, str, Any]:
    """The bytes that one call adds to its process at its peak, how that was measured, and what the call returns."""
    if warm_up is not None:
        function(*warm_up)
    else:
        function.wake()
    processes = function.process_tree()
    if processes is None:
        raise UndecidedError("the memory of a call can be measured only where it has a process of its own")
    with processes, _gauge(processes) as (read, how):
        result = function(*args, **kwargs)
        return read(), how, result


@contextlib.contextmanager
def _gauge(processes: ProcessTree) -> Iterator[tuple[Callable[[], int], str]]:
    account = memory_account(processes.group)
    if account is not None and account.move(lambda: processes.members()[1:]):
        try:
            # Pages that the process held before stay counted where they were: the new group starts from next to nothing.
            before = int((account.folder / "memory.usage_in_bytes").read_text(encoding="ascii"))
            yield (lambda: int(account.read()) - before), "control group"
        finally:
            account.close()
        return
    if account is not None:
        account.close()
    process = Path("/proc") / str(processes.peer)
    try:
        (process / "clear_refs").write_text("5", encoding="ascii")  # resets VmHWM, proc(5)
    except OSError as error:
        raise UndecidedError("this machine does not tell how much memory a call takes") from error
    held, private = _kilobytes(process / "status", "VmHWM"), _kilobytes(process / "smaps_rollup", "Private_Dirty")

    def read() -> int:
        grown = _kilobytes(process / "status", "VmHWM") - held
        return max(grown, _kilobytes(process / "smaps_rollup", "Private_Dirty") - private) * _KILOBYTE

    yield read, "VmHWM"


def _kilobytes(path: Path, key: str) -> int:
    with contextlib.suppress(OSError):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1])
    return 0


def _megabytes(count: float) -> str:
    return f"{count / (1 << 20):.0f} MB" if count >= 10 * (1 << 20) else f"{count / (1 << 20):.1f} MB"
