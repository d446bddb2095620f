"""Imports ipykernel once, then forks a kernel whenever the host asks.

It is started in the jail as ``python -m torchgrade.kernels.inside.launcher FD MODULE...``, with the modules to import beforehand.
:mod:`torchgrade.jail.inside.forking` says what it answers. A request to start also names what to ``keep`` mounted.
"""

from __future__ import annotations

import importlib
import os
import sys

from torchgrade.jail.inside import forking
from torchgrade.kernels.inside import keeper


def warm_up() -> forking.Keeper:
    """Import ipykernel, and the modules that were named."""
    # ipykernel sets this, too, but too late for a matplotlib that is imported here.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    for module in ("ipykernel.kernelapp", "torchgrade.compat.ipykernel", *sys.argv[2:]):
        importlib.import_module(module)
    return keeper.run


if __name__ == "__main__":
    forking.serve(int(sys.argv[1]), warm_up)
