"""CUDA in a process that uses it: in the jail, for a submission, and in the judge, for its reference. Both compute alike."""

from __future__ import annotations

from typing import Any

import torch

DEVICE = 0  # the only one that either side sees


def pin_numerics() -> None:
    """Make both sides compute alike: products of float32 as float32, sums of half precision in float32, no choice by timing.

    torch's defaults differ between versions and operations, and a notebook may have changed them. This does not set up CUDA.
    """
    backends: Any = torch.backends  # a module that stands in for itself, with switches that its types do not have
    matmul, cudnn = backends.cuda.matmul, backends.cudnn
    # There are two sets of switches, and torch complains if they disagree: first the new ones, then the old ones.
    for each in (backends, matmul, cudnn, cudnn.conv, cudnn.rnn):
        each.fp32_precision = "ieee"
    torch.set_float32_matmul_precision("highest")
    matmul.allow_tf32 = cudnn.allow_tf32 = False
    matmul.allow_fp16_accumulation = False
    matmul.allow_fp16_reduced_precision_reduction = False
    matmul.allow_bf16_reduced_precision_reduction = False
    cudnn.benchmark = False
    cudnn.deterministic = True


def make_context(memory: int) -> None:
    """Set up CUDA, so that what follows need not wait for it, with ``memory`` bytes for torch's allocator.

    The message of this limit is clear, but the limit is the process's own and can be lifted there, so the judge looks from
    outside too.
    """
    torch.cuda.init()
    total = torch.cuda.get_device_properties(DEVICE).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, memory / total), DEVICE)
    ones = torch.ones(8, 8, device="cuda", requires_grad=True)
    with torch.enable_grad():
        torch.mm(ones, ones).sum().backward()  # the first backward pass starts a thread for the device
    torch.cuda.synchronize(DEVICE)


def context_is_lost() -> bool:
    """Return whether this process has set up CUDA and can no longer use it: after an error on the device, until it ends."""
    if not torch.cuda.is_initialized():
        return False
    try:
        torch.cuda.synchronize(DEVICE)
    except RuntimeError:
        return True
    return False
