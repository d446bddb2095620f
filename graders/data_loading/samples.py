"""What the hidden checks draw, and how they compare what came back: every sample once, with its name, bit for bit."""

import io
import tarfile
from collections import Counter

import numpy as np
import torch

from torchgrade import CheckFailed
from torchgrade.checks.faults import with_article


def shards_of(*sizes, numbers=3):
    """Shards with so many members each: random names, and random float32 vectors of ``numbers`` numbers."""
    drawn = torch.randint(0, 10**9, (len(sizes), max(sizes, default=0)))
    return [
        [(f"{shard}/{drawn[shard, i]:09}-{i}.npy", torch.randn(numbers)) for i in range(size)] for shard, size in enumerate(sizes)
    ]


def assert_all_once(shards, samples, when, hint=""):
    """Fail unless each sample of the shards comes exactly once, in any order. ``when`` is for the message.

    A sample is known by its array alone: under which name it comes, and as what, is :func:`assert_pairs`' matter. ``hint`` is one
    for all, or by slip: ``missing``, ``doubled`` (where nothing is missing), ``dtype``, ``values``, ``type``.
    """
    wanted = [(name, tensor) for shard in shards for name, tensor in shard]
    came = [tensor_in(sample, when, hint) for sample in samples]
    counts = Counter(map(_content, came))
    missing = [(name, tensor) for name, tensor in wanted if not counts[_content(tensor)]]
    doubled = [name for name, tensor in wanted if counts[_content(tensor)] > 1]
    known = {_content(tensor) for _, tensor in wanted}
    unknown = [tensor for tensor in came if _content(tensor) not in known]
    for name, tensor in missing:
        for other in unknown:
            if _flat(other).equal(_flat(tensor)):
                raise CheckFailed(
                    f"{when}, sample {name[:60]!r} is {_form(other)}; expected {_form(tensor)}",
                    slip="dtype",
                    hint=_by(hint, "dtype"),
                )
    if missing or doubled:
        said = [
            f"{len(names)} of {len(wanted)} samples {verb}"
            for names, verb in ((missing, "are missing"), (doubled, "come more than once"))
            if names
        ]
        example = missing[0][0] if missing else doubled[0]
        slip = "missing" if missing else "doubled"
        raise CheckFailed(f"{when}, {' and '.join(said)}, for example {example!r}", slip=slip, hint=_by(hint, slip))
    if unknown:
        said = f"{when}, a sample holds {_form(unknown[0])} with numbers that no member has"
        raise CheckFailed(said, slip="values", hint=_by(hint, "values"))


def came_of(shards, samples, when):
    """The shards with those members alone that came, for comparing an epoch with another; fails if none came."""
    came = {_content(tensor_in(sample, when)) for sample in samples}
    kept = [[(name, tensor) for name, tensor in shard if _content(tensor) in came] for shard in shards]
    if not any(kept):
        raise CheckFailed(f"{when}, no sample comes", slip="missing")
    return kept


def assert_pairs(shards, samples, when, hint=""):
    """Fail unless a pair of name, as it stands in the archive, and array comes of every member, and no other sample of one."""
    wanted = {_content(tensor): name for shard in shards for name, tensor in shard}
    came = set()
    for sample in samples:
        name, tensor = pair_of(sample, when, hint)
        expected = wanted.get(_content(tensor))
        if expected is not None and name != expected:
            raise CheckFailed(
                f"{when}, the sample of the member {expected[:200]!r} is called {name[:200]!r}",
                slip="values",
                hint=_by(hint, "values"),
            )
        came.add(_content(tensor))
    if missing := [name for content, name in wanted.items() if content not in came]:
        said = f"{when}, the sample of the member {missing[0][:200]!r} is missing"
        raise CheckFailed(said, slip="missing", hint=_by(hint, "missing"))


def _by(hint, slip):
    """The hint for a slip; one that is not by slip is for the samples, not for their type."""
    return hint.get(slip, "") if isinstance(hint, dict) else hint if slip != "type" else ""


def tensor_in(sample, when, hint=""):
    """The array of a sample, in whichever place; where there is none, the check fails."""
    parts = sample if isinstance(sample, list | tuple) else (sample,)
    arrays = [part["tensor"] if isinstance(part, dict) and "tensor" in part else part for part in parts]
    found = [part for part in arrays if isinstance(part, torch.Tensor)]
    return found[0] if found else pair_of(sample, when, hint)[1]


def pair_of(sample, when, hint=""):
    """A sample as a pair of a name and a tensor; anything else fails."""
    fits = isinstance(sample, list | tuple) and len(sample) == 2
    if not fits or not isinstance(sample[0], str) or not isinstance(sample[1], torch.Tensor):
        form = f"({', '.join(map(_type_of, sample))})" if isinstance(sample, list | tuple) else with_article(_type_of(sample))
        said = f"{when}, a sample is {form}; expected a pair of a name (str) and a Tensor"
        raise CheckFailed(said, slip="type", hint=_by(hint, "type"))
    return sample


def _type_of(part):
    """The name of a part's type; of what the wire does not carry, that is all that came."""
    return part["type"] if isinstance(part, dict) and "type" in part else type(part).__name__


def _content(tensor):
    return tensor.dtype, tensor.shape, tensor.detach().contiguous().numpy().tobytes()


def _flat(tensor):
    return tensor.detach().flatten().to(torch.complex128)


def _form(tensor):
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"


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
