"""What the hidden checks draw, and how they compare what came back: every sample once, with its name, bit for bit."""

import io
import tarfile
from collections import Counter

import numpy as np
import torch

from torchgrade import CheckFailed, assert_close, assert_dtype


def shards_of(*sizes, numbers=3):
    """Shards with so many members each: random names, and random float32 vectors of ``numbers`` numbers."""
    drawn = torch.randint(0, 10**9, (len(sizes), max(sizes, default=0)))
    return [
        [(f"{shard}/{drawn[shard, i]:09}-{i}.npy", torch.randn(numbers)) for i in range(size)] for shard, size in enumerate(sizes)
    ]


def assert_all_once(shards, samples, when):
    """Fail unless ``samples`` are those of ``shards``, each exactly once, in any order. ``when`` is for the message."""
    wanted = {name: tensor for shard in shards for name, tensor in shard}
    pairs = [pair_of(sample, when) for sample in samples]
    counts = Counter(name for name, _ in pairs)
    missing = [name for name in wanted if not counts[name]]
    doubled = [name for name in wanted if counts[name] > 1]
    if missing or doubled:
        said = [
            f"{len(names)} of {len(wanted)} samples {verb}"
            for names, verb in ((missing, "are missing"), (doubled, "come more than once"))
            if names
        ]
        raise CheckFailed(f"{when}, {' and '.join(said)}, for example {(missing or doubled)[0]!r}")
    if unknown := [name for name in counts if name not in wanted]:
        raise CheckFailed(f"{when}, a sample is called {unknown[0][:200]!r}; no regular member has this name")
    for name, tensor in pairs:
        assert_dtype(tensor, wanted[name].dtype, what=f"sample {name[:60]!r}")
        assert_close(tensor, wanted[name], ulps=0, what=f"sample {name[:60]!r}")


def pair_of(sample, when):
    """A sample as a pair of a name and a tensor; anything else fails."""
    fits = isinstance(sample, list | tuple) and len(sample) == 2
    if not fits or not isinstance(sample[0], str) or not isinstance(sample[1], torch.Tensor):
        kinds = ", ".join(type(part).__name__ for part in sample) if isinstance(sample, list | tuple) else type(sample).__name__
        raise CheckFailed(f"{when}, a sample is ({kinds}); expected a pair of a name (str) and a Tensor")
    return sample


def archive_of(shard):
    """A shard as the bytes of a tar archive, in a tensor of uint8."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, tensor in shard:
            data = io.BytesIO()
            np.save(data, tensor.numpy())
            member = tarfile.TarInfo(name)
            member.size = data.tell()
            data.seek(0)
            tar.addfile(member, data)
    return torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)


def read_archive(archive):
    """The pairs that :func:`archive_of` was given."""
    with tarfile.open(fileobj=io.BytesIO(archive.numpy().tobytes())) as tar:
        return [(member.name, torch.from_numpy(np.load(io.BytesIO(tar.extractfile(member).read())))) for member in tar]
