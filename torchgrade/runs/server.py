"""The imports that the fork server makes before it forks judges, so that each judge does not have to."""

import atexit
import os
import sys

import torch.fx.experimental.symbolic_shapes

import torchgrade.runs.judging

__all__ = ["torch", "torchgrade"]

# Python's own clean-up after torch takes a second, and whatever reads the run's output would have to wait for it.
if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):  # no other process's exit status may become 0
    atexit.register(os._exit, 0)
