"""Public checks: read_shard. You may read and run them; `check("read_shard")` does.

They call `read_small_shard` of the notebook: member `i` of its shard is called `0/i.npy` and holds the numbers 0 and `i`.
"""

import torch

from torchgrade import CheckFailed, assert_close, points


@points(0.25)
def test_one_shard(student):
    """The three samples of a shard come in order, with their names."""
    samples = student.read_small_shard(3)
    if not isinstance(samples, list) or len(samples) != 3:
        parts_of_one = isinstance(samples, list) and [type(part) for part in samples] == [str, torch.Tensor]
        raise CheckFailed(
            f"read_shard yielded {len(samples) if isinstance(samples, list) else 'no'} samples; expected 3",
            hint="return ends the function with its first sample. Which word hands one out and goes on?" if parts_of_one else "",
        )
    for number, sample in enumerate(samples):
        fits = isinstance(sample, list | tuple) and len(sample) == 2 and isinstance(sample[1], torch.Tensor)
        if not fits or sample[0] != f"0/{number}.npy":
            hint = "The name as it stands in the archive: folders, dots and all." if fits else "Name and tensor, in this order."
            raise CheckFailed(f"sample {number} is {sample!r}; expected the name '0/{number}.npy' and a tensor", hint=hint)
        assert_close(sample[1], torch.tensor([0.0, number]), ulps=0, what=f"the tensor of sample {number}")
