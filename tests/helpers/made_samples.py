"""Samples of a race that never was."""

from torchgrade.judge.race.samples import Samples


def samples(wall, processor=None, after=0.0, rest=1.0, count=5):
    """As many equal samples, in seconds."""
    processor = wall if processor is None else processor
    return Samples([wall] * count, [processor] * count, [after] * count, [rest] * count)
