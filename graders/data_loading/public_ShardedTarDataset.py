"""Public checks: ShardedTarDataset. You may read and run them; `check("ShardedTarDataset")` does.

They call `practise` of the notebook, which writes small shards into a temporary folder and reads them by your class: member
`i` of shard `s` is called `s/i.npy` and holds the numbers `s` and `i`.
"""

import collections

import torch

from torchgrade import CheckFailed, points
from torchgrade.checks.faults import Raised, StudentFault


@points(0.5)
def test_one_process(student):
    """Without workers, every sample of shards with 3, 0 and 5 members comes once, with its name."""
    samples = practise(student, [3, 0, 5])
    hint = "One sample after the other: (name, decode(bytes)) for every regular member of every shard."
    assert_all_once(student, [3, 0, 5], samples, hint, missing=hint)
    assert_names(samples)


@points(0.5)
def test_two_workers(student):
    """Two workers together give every sample once."""
    hint = (
        "Every worker has a copy of the data set and iterates over it. torch.utils.data.get_worker_info() says which one it is."
    )
    assert_all_once(student, [4, 4, 4], practise(student, [4, 4, 4], workers=2), hint)


@points(0.5)
def test_two_ranks(student):
    """Two ranks without workers together give every sample once."""
    hint = "rank says which process of the job this is, from 0 to world_size - 1."
    assert_all_once(student, [4, 4, 4], practise(student, [4, 4, 4], world_size=2), hint)


def practise(student, sizes, **options):
    """What the notebook's ``practise`` returns: a list of samples, each with a tensor."""
    try:
        samples = student.practise(sizes, **options)
    except Raised as fault:
        if fault.text not in _NO_WORKER_INFO:
            raise
        hint = "In the main process there is no worker, and get_worker_info() returns None. Which reader is it then?"
        raise CheckFailed(str(fault), slip="raised", hint=hint) from None
    if not isinstance(samples, list) or any(tensor_in(sample) is None for sample in samples):
        hint = "Print what your class yields: each sample is one pair, a name and its tensor."
        raise CheckFailed("ShardedTarDataset yielded something else than pairs of a name and a tensor", hint=hint)
    return samples


_NO_WORKER_INFO = [f"'NoneType' object has no attribute '{name}'" for name in ("id", "num_workers")]


def first_of_all(student):
    """A hint where ``shards_of`` is wrong, which the class may call; else an empty text, and where it is not written."""
    try:
        shared = sorted(path for reader in range(2) for path in student.shards_of(["a", "b", "c"], reader, 2))
    except (StudentFault, TypeError):
        return ""
    right = shared == ["a", "b", "c"]
    return (
        "" if right else "Your shards_of does not give two readers three paths once each. Does your class call it? Mend it first."
    )


def tensor_in(sample):
    """The tensor of a sample, wherever it stands: the order is for :func:`assert_names`."""
    parts = sample if isinstance(sample, list | tuple) else (sample,)
    return next((part for part in parts if isinstance(part, torch.Tensor)), None)


def numbers_in(sample):
    """The numbers of a sample: those of its shard and of its member."""
    return tuple(tensor_in(sample).flatten().tolist())


_LEFT_OVER = "Whose is the sample that is missing? What is left over by a division belongs to somebody, too."


def assert_all_once(student, sizes, samples, hint, missing=_LEFT_OVER):
    """Fail unless every sample is there exactly once, by its numbers. ``missing`` is the hint where one is not there."""
    counts = collections.Counter(map(numbers_in, samples))
    for shard, size in enumerate(sizes):
        for member in range(size):
            if (times := counts.pop((shard, member), 0)) != 1:
                said = f"sample {shard}/{member}.npy came {times} times; expected once"
                raise CheckFailed(said, hint=first_of_all(student) or (hint if times else missing))
    if counts:
        raise CheckFailed(f"a sample holds the numbers {next(iter(counts))}; no member of a shard has these", hint=hint)


def assert_names(samples):
    """Fail unless each sample is a pair of a name and a tensor, and its name that of the member with these numbers."""
    for sample in samples:
        fits = isinstance(sample, list | tuple) and len(sample) == 2 and isinstance(sample[0], str)
        if not fits or not isinstance(sample[1], torch.Tensor):
            raise CheckFailed("a sample is something else than a pair of a name and a tensor, in this order")
        shard, member = map(int, numbers_in(sample))
        if sample[0] != f"{shard}/{member}.npy":
            hint = "The name as it stands in the archive: folders, dots and all."
            raise CheckFailed(f"the sample of the member {shard}/{member}.npy is called {sample[0]!r}", hint=hint)
