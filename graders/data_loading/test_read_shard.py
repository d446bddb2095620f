"""Hidden checks: read_shard."""

import torch

from torchgrade import points

from . import probes
from .samples import assert_all_once, assert_pairs, shards_of


@points(0.25)
def test_arrays_and_names(student):
    """Arrays of any dtype and shape come as decode gives them, under the archive's own names."""
    tensors = (torch.randn(3), torch.randint(0, 9, (2, 2)), torch.randn(()), torch.rand(4) < 0.5)
    shard = [(f"./{i}/a.b.npy", tensor) for i, tensor in enumerate(tensors)]
    for shards in ([shard], shards_of(4), shards_of(4)):
        samples = student.run(probes.read_one, shards[0])
        assert_all_once(shards, samples, "in one shard", "decode has the tensor ready, and member.name the name.")
        assert_pairs(shards, samples, "in one shard", "The name as it stands in the archive: folders, dots and all.")


@points(0.25)
def test_other_members(student):
    """Folders, pipes and links are skipped."""
    (shard,) = shards = shards_of(4)
    hint = "A link is a second name of a sample that has come already. tarfile says of a member what it is."
    assert_all_once(shards, student.run(probes.read_one, shard, others=True), "with members that are no regular files", hint)


@points(0.25, kind="memory")
def test_one_at_a_time(student):
    """A sample is decoded when it is asked for: a last member that is no array does no harm to the first two."""
    (shard,) = shards_of(3)
    hint = "yield each sample inside the loop. A list of them would hold the whole shard in memory."
    assert_all_once([shard[:2]], student.run(probes.read_first, shard, 2), "of the first two samples", hint)
