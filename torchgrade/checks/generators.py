"""One seed for every generator that inputs are drawn from, and draws that the student's code and the grader share."""

from __future__ import annotations

import random
import struct

import numpy as np
import torch


def seed_all(seed: int, *, cuda: bool = False) -> None:
    """Seed torch, Python and NumPy with ``seed`` (63 bits); GPUs too if CUDA is set up, and with ``cuda`` once it will be.

    ``torch.manual_seed`` always leaves a seed for a CUDA that may be set up later: that takes longer than a small call, and there
    is no way to take it back.
    """
    torch.default_generator.manual_seed(seed)
    if cuda or torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002 - students and graders use the legacy generator


MOST_BLOCKS = 20_000
"""Blocks of 624 random numbers that one call may draw if the grader draws from the same generator."""
_WORDS = slice(24, 24 + 8 * 624)
_LEFT = slice(8, 12)
_NORMAL = slice(24 + 8 * 624, None)


def gone_on(mine: torch.Tensor, theirs: torch.Tensor) -> bool:
    """Return whether ``theirs``, a state of the CPU's generator, is one that ``mine`` reaches by drawing numbers.

    A state consists of the 624 words of a Mersenne Twister, how many of them are left, and a normal number that is kept for the
    next draw (``torch.get_rng_state``). The words are computed here: a made-up state could turn every later draw into zero.
    """
    if theirs.dtype != mine.dtype or theirs.shape != mine.shape or not _plausible(theirs):
        return False
    words, left = theirs[_WORDS], _left(theirs)
    generator = torch.Generator()
    generator.set_state(mine)
    numbers = torch.empty(624, dtype=torch.int32)
    if torch.equal(mine[_WORDS], words):
        return left <= _left(mine)
    for _ in range(MOST_BLOCKS):
        numbers.random_(generator=generator)
        if torch.equal(generator.get_state()[_WORDS], words):
            return True
    return False


def _left(state: torch.Tensor) -> int:
    (left,) = struct.unpack("<i", bytes(state[_LEFT].tolist()))
    return int(left)


def _plausible(state: torch.Tensor) -> bool:
    """Return whether all but the words is as torch writes it, with a kept normal number of a size that is really drawn."""
    kept = bytes(state[_NORMAL].tolist())
    x, y, rho, _, sample = struct.unpack_from("<dddixxxxf", kept)
    return 0 < _left(state) <= 624 and all(abs(number) < 10 for number in (x, y, rho, sample))  # noqa: PLR2004 - nan fails, too
