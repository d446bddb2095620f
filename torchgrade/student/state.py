"""The kernel's state around a check: what a check or the student's code sets in it is set back afterwards."""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from torchgrade.checks.generators import seed_all

_Setting = tuple[Callable[[], Any], Callable[[Any], Any]]

# How to read a setting, and how to set it. Set back where it differs alone: some of them are dear, or warn.
_SETTINGS: tuple[_Setting, ...] = (
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.get_default_device, torch.set_default_device),
    (torch.get_num_threads, torch.set_num_threads),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    (torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode),
    (lambda: _attributes(torch.backends.cudnn, "deterministic", "benchmark"), lambda v: _assign(torch.backends.cudnn, v)),
    (
        lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
        lambda value: torch.autograd.set_detect_anomaly(*value),
    ),
    (lambda: _folder(), lambda folder: _return_to(folder)),  # noqa: PLW0108 - they are defined below
)


@contextlib.contextmanager
def state_kept() -> Iterator[None]:
    """Keep generators, grad mode, dtypes, threads, determinism, warnings and the current folder as they are.

    Inside, gradients are recorded and the default dtype is float32, as where the work is graded.
    """
    settings = [(read, write, read()) for read, write in _SETTINGS]
    with _generators_kept(), warnings.catch_warnings(), torch.enable_grad():
        try:
            torch.set_default_dtype(torch.float32)
            yield
        finally:
            warnings.simplefilter("ignore")  # some settings warn of themselves when they are set
            for read, write, before in settings:
                if read() != before:
                    write(before)


@contextlib.contextmanager
def _generators_kept() -> Iterator[None]:
    python, numpy, ours = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002 - the legacy one
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        torch.set_rng_state(ours)
        if cuda is not None:
            torch.cuda.set_rng_state_all(cuda)


def seed_afresh() -> None:
    """Seed for new inputs at each run, so that an answer that fits one set of numbers does not pass."""
    seed_all(secrets.randbits(63))


def _attributes(module: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(module, name) for name in names}


def _assign(module: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(module, name, value)


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 - as text, to go back to
    except OSError:  # the folder is gone
        return None


def _return_to(folder: str | None) -> None:
    if folder is not None:
        os.chdir(folder)
