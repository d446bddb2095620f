"""Imports ipykernel once, then forks a kernel whenever the host asks.

Started as ``python -m torchgrade.kernels.jailed.launcher FD MODULE...`` in the jail, with the modules to import beforehand;
:mod:`torchgrade.sandbox.jailed.forking` says what it answers. Its requests to start name besides what to ``keep`` mounted.
"""

from __future__ import annotations

import importlib
import os
import sys

from torchgrade.kernels.jailed import keeper
from torchgrade.sandbox.jailed import forking


def warm_up() -> forking.Keeper:
    """Import ipykernel, and the modules that were named."""
    # What ipykernel says too, but too late for a matplotlib that is imported here.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    for module in ("ipykernel.kernelapp", "torchgrade.compat.ipykernel", *sys.argv[2:]):
        importlib.import_module(module)
    return keeper.run


if __name__ == "__main__":
    forking.serve(int(sys.argv[1]), warm_up)
