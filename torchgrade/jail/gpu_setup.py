"""Sets up CUDA in a check's process, on the judge's time, before the first call that needs it."""

from __future__ import annotations

import time

from torchgrade.checks.faults import BadAnswer, Raised, SandboxError, StudentFault, TimedOut
from torchgrade.jail.budget import TimeBudget
from torchgrade.jail.check_process import CheckProcess
from torchgrade.jail.protocol.failures import raise_if_error
from torchgrade.jail.protocol.values import WireError
from torchgrade.jail.protocol.wire import Closed
from torchgrade.jail.worker import WarmWorker

CONTEXT_SECONDS = 60.0
"""A GPU that is not ready after this time does not work; a session gets this much of our time for that in all, too."""
_HANG_SECONDS = 600.0
"""For this long, a GPU that hung is not waited for again: doing so at each check would take all day."""


class CudaFailed(Exception):
    """CUDA could not be set up in a check's process; the text says why, and ``hung`` says whether no answer came in time."""

    def __init__(self, why: str, *, hung: bool) -> None:
        self.hung = hung
        super().__init__(why)


def set_up_cuda(check: CheckProcess, budget: TimeBudget, *, memory: int) -> None:
    """Make the process set up CUDA, with ``memory`` bytes for its allocator; the time is given back to the ``budget``.

    Raises :class:`CudaFailed`; in that case the time is the submission's.
    """
    before = budget.left
    try:
        answer, _ = check.transfer({"n": 0, "do": "warm_up", "memory": memory}, [], CONTEXT_SECONDS)
        if answer.get("n") != 0:
            raise BadAnswer("the answer does not belong to the question")
        raise_if_error(answer)
    except (StudentFault, Closed, TimeoutError, WireError) as error:
        why = (error.text if isinstance(error, Raised) else str(error)) or "no answer came"
        raise CudaFailed(why, hung=isinstance(error, TimedOut)) from error
    budget.give_back(before - budget.left)
    check.has_cuda = True


def require_no_hang(worker: WarmWorker) -> None:
    """Raise :class:`SandboxError` if the worker's GPU hung a short while ago."""
    if time.monotonic() - worker.gpu_hung_at < _HANG_SECONDS:
        raise SandboxError("the GPU cannot be used in the jail: it hung there a short while ago; see docs/gpu.md")


def works_for_nobody(worker: WarmWorker, failed: CudaFailed) -> SandboxError:
    """Return the error for a GPU that fails even without a submission; a GPU that hung is remembered."""
    if failed.hung:
        worker.gpu_hung_at = time.monotonic()
    return SandboxError(f"the GPU cannot be used in the jail: {str(failed).splitlines()[0]}; docs/gpu.md says more")
