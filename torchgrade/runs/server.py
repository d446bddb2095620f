"""The imports that the fork server makes before it forks judges, so that each of them need not."""

import atexit
import os
import sys

import torch.fx.experimental.symbolic_shapes

import torchgrade.runs.judging

__all__ = ["torch", "torchgrade"]

# Python's own clearing up after torch takes a second, for which whoever reads the run's output would wait.
if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):  # nobody else's exit status may become 0
    atexit.register(os._exit, 0)
