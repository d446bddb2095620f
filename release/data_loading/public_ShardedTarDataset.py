"""Public checks: ShardedTarDataset. You may read and run them; `check("ShardedTarDataset")` does.

They call `practise` of the notebook, which writes small shards into a temporary folder and reads them by your class: member
`i` of shard `s` is called `s/i.npy` and holds the numbers `s` and `i`.
"""

import collections

import torch

from torchgrade import CheckFailed, assert_close, points


@points(0.5)
def test_one_process(student):
    """Without workers, every sample of shards with 3, 0 and 5 members comes once, with its name."""
    assert_all_once([3, 0, 5], practise(student, [3, 0, 5]))


@points(0.5)
def test_two_workers(student):
    """Two workers together give every sample once."""
    assert_all_once([4, 3, 5], practise(student, [4, 3, 5], workers=2))


@points(0.5)
def test_two_ranks(student):
    """Two ranks without workers together give every sample once."""
    assert_all_once([4, 3, 5], practise(student, [4, 3, 5], world_size=2))


def practise(student, sizes, **options):
    """What the notebook's ``practise`` returns: pairs of a name and a tensor."""
    samples = student.practise(sizes, **options)
    pairs = isinstance(samples, list) and all(isinstance(sample, list | tuple) and len(sample) == 2 for sample in samples)
    if not pairs or not all(isinstance(name, str) for name, _ in samples):
        raise CheckFailed("ShardedTarDataset yielded something else than pairs of a name and a tensor")
    return samples


def assert_all_once(sizes, samples):
    """Fail unless every sample is there exactly once, and holds its own numbers."""
    wanted = {f"{s}/{i}.npy": (s, i) for s, size in enumerate(sizes) for i in range(size)}
    counts = collections.Counter(name for name, _ in samples)
    for name in wanted:
        if counts[name] != 1:
            raise CheckFailed(f"sample {name} came {counts[name]} times; expected once")
    if unknown := sorted(set(counts) - set(wanted)):
        raise CheckFailed(f"a sample is called {unknown[0]!r}; no member of a shard has this name")
    for name, tensor in samples:
        assert_close(tensor, torch.tensor(wanted[name], dtype=torch.float32), ulps=0, what=f"sample {name}")
