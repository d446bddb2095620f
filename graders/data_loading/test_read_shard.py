"""Hidden checks: read_shard."""

import torch

from torchgrade import points
from torchgrade.checks.raised import hint_where_raised

from . import probes
from .samples import assert_all_once, assert_pairs, shards_of

_RETURN = "return ends the function with its first sample. Which word hands one out and goes on?"
_ORDER = "Name and tensor, in this order."
_KEPT = "A shard of another path is another shard, however alike the two are. Is anything kept from an earlier one?"
_REGULAR = "A folder has no data to decode, and a link has none of its own. tarfile says of a member what it is."


@points(0.25)
def test_arrays_and_names(student):
    """Arrays of any dtype and shape come as decode gives them, under the archive's own names."""
    tensors = (torch.randn(3), torch.randint(0, 9, (2, 2)), torch.randn(()), torch.rand(4) < 0.5)
    shard = [(f"./{i}/a.b.npy", tensor) for i, tensor in enumerate(tensors)]
    for number, shards in enumerate(([shard], shards_of(4), shards_of(4))):
        samples = student.run(probes.read_one, shards[0])
        missing = "Every member is a sample: the first, the last and all between." if number == 0 else _KEPT
        decoded = "decode has the tensor ready: whatever is done to it after that is too much."
        hint = {"missing": missing, "dtype": decoded, "values": decoded, "type": _type_hint(samples)}
        assert_all_once(shards, samples, "in one shard", hint)
        named = {"values": "The name as it stands in the archive: folders, dots and all.", "type": _type_hint(samples)}
        assert_pairs(shards, samples, "in one shard", named)


def _type_hint(samples):
    """For samples of another type: the two parts of one sample, where pairs should come, or pairs the other way round."""
    if len(samples) == 2 and isinstance(samples[0], str) and isinstance(samples[1], torch.Tensor):
        return _RETURN
    return _ORDER if all(isinstance(sample, list | tuple) and len(sample) == 2 for sample in samples) else ""


@points(0.25)
def test_other_members(student):
    """Folders, pipes and links are skipped."""
    (shard,) = shards = shards_of(4)
    hint = {"doubled": "A link is a second name of a sample that has come already. tarfile says of a member what it is."}
    with hint_where_raised(_REGULAR):
        samples = student.run(probes.read_one, shard, others=True)
    assert_all_once(shards, samples, "with members that are no regular files", hint)


@points(0.25, kind="memory")
def test_one_at_a_time(student):
    """A sample is decoded when it is asked for: a last member that is no array does no harm to the first two."""
    (shard,) = shards_of(3)
    with hint_where_raised("yield each sample inside the loop. A list of them would hold the whole shard in memory."):
        samples = student.run(probes.read_first, shard, 2)
    assert_all_once([shard[:2]], samples, "of the first two samples")
