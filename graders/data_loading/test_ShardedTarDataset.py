"""Hidden checks: ShardedTarDataset.

Shards are drawn here, written in the jail, and read there by real DataLoaders; the samples come back and are compared bit for
bit. Open files, memory and time are measured from outside.
"""

import pytest
import torch

from torchgrade import CheckFailed, assert_memory, measured, points, race
from torchgrade.checks.assertions import assert_device
from torchgrade.checks.notes import rests_on_word

from . import probes
from .samples import archive_of, assert_all_once, pair_of, read_archive, shards_of

MEGABYTE = 2**20


def check_grid(student, shards, grid):
    """Read the shards with so many workers on so many ranks, for each of the grid."""
    for workers, world_size in grid:
        with student.limit(seconds=20):
            (samples,) = student.run(probes.read, shards, workers=workers, world_size=world_size)
        assert_all_once(shards, samples, when_of(shards, workers, world_size))


def when_of(shards, workers, world_size):
    """A case in words: what is read by whom."""
    sizes = ", ".join(str(len(shard)) for shard in shards)
    return f"with {workers} workers on each of {world_size} ranks, and shards of {sizes} members"


@points(0.5)
def test_samples(student):
    """Iterating over the data set itself gives every pair of name and tensor once."""
    for shards in (shards_of(4, 6), shards_of(1), shards_of(3, 3, 3)):
        assert_all_once(shards, student.run(probes.read_plainly, shards), "without a DataLoader")


@points(0.5, kind="dtypes")
def test_arrays(student):
    """Arrays of every dtype and shape arrive as decode gives them."""
    integers = [torch.randint(0, 100, (4,), dtype=dtype) for dtype in (torch.uint8, torch.int16, torch.int64)]
    floats = [torch.randn(2, 3, dtype=dtype) for dtype in (torch.float16, torch.float32, torch.float64)]
    others = [
        torch.rand(5) < 0.5,
        torch.randn(3, dtype=torch.complex64),
        torch.randn(()),
        torch.randn(0, 3),
        torch.randn(1, 2, 1, 3),
    ]
    samples = [(f"{i}.npy", tensor) for i, tensor in enumerate([*integers, *floats, *others])]
    shards = [samples[::2], samples[1::2]]
    assert_all_once(shards, student.run(probes.read_plainly, shards), "with arrays of many dtypes and shapes")


@points(0.5)
def test_names(student):
    """Names with folders, several dots, long names and letters of any alphabet come as they stand in the archive."""
    number = int(torch.randint(0, 10**6, ()))
    names = [
        "a/b/c.npy",
        "d/c.npy",
        "./e.npy",
        "f.g.h.npy",
        "i j.npy",
        "größe/雪.npy",
        f"{number}.npy",
        "k" * 60 + "/" + "l" * 120 + ".npy",
    ]
    shards = [[(name, torch.randn(2)) for name in names[:5]], [(name, torch.randn(2)) for name in names[5:]]]
    assert_all_once(shards, student.run(probes.read_plainly, shards), "with unusual names")


@points(0.5, kind="inputs")
def test_paths(student):
    """Paths may be strings, pathlib.Path, or any other object with __fspath__."""
    for form in probes.FORMS:
        shards = shards_of(3, 2)
        assert_all_once(shards, student.run(probes.read_plainly, shards, form=form), f"with paths of type {form}")


@points(0.5)
def test_other_members(student):
    """Folders, pipes, soft links and hard links are skipped."""
    shards = shards_of(4, 3)
    assert_all_once(shards, student.run(probes.read_plainly, shards, others=True), "with members that are no regular files")


@points(1)
def test_workers(student):
    """With 1, 2 or 3 workers every sample comes exactly once, whether they divide the number of shards or not."""
    check_grid(student, shards_of(4, 3, 5, 2), [(1, 1), (2, 1)])
    check_grid(student, shards_of(4, 3, 5, 2, 6, 3, 4), [(2, 1), (3, 1)])


@points(0.5)
def test_ranks(student):
    """With 1 to 5 ranks every sample comes exactly once, whether they divide the number of shards or not."""
    check_grid(student, shards_of(4, 3, 5, 2, 6, 3), [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)])


@points(1)
def test_workers_and_ranks(student):
    """With workers on every rank, every sample of the job comes exactly once."""
    shards = shards_of(4, 3, 5, 2, 6, 3, 4, 5, 2, 3, 4, 5)
    check_grid(student, shards, [(2, 2), (3, 2), (2, 3)])


@points(0.5, needs=test_workers_and_ranks)
def test_shared(student):
    """With eight shards for every reader, however small, each of them has a part of the samples."""
    rests_on_word()
    shards = shards_of(*[2] * 32)
    with student.limit(seconds=20):
        readers = student.run(probes.count_by_reader, shards, workers=2, world_size=2)
    measured("samples", readers)
    if idle := [name for name, count in readers.items() if count == 0]:
        raise CheckFailed(f"of 32 shards with 2 samples each, nothing is read by {', '.join(idle)}")


@points(0.5)
def test_few_shards(student):
    """There may be more workers, ranks, or both than shards."""
    check_grid(student, shards_of(7), [(3, 1), (0, 3)])
    check_grid(student, shards_of(4, 5), [(2, 2)])


@points(0.5)
def test_uneven_shards(student):
    """Shards of very different size, and archives without members, lose and double nothing."""
    check_grid(student, shards_of(3, 17, 0, 1, 2), [(0, 1), (2, 1), (0, 2)])
    check_grid(student, shards_of(0), [(0, 1), (2, 1)])


@points(0.5, needs=test_samples)
def test_second_epoch(student):
    """A second and a third epoch give every sample again."""
    shards = shards_of(4, 3, 5)
    for workers in (0, 2):
        for number, samples in enumerate(student.run(probes.read, shards, workers=workers, epochs=3), start=1):
            assert_all_once(shards, samples, f"in epoch {number} with {workers} workers")


@points(0.5, needs=test_samples)
def test_persistent_workers(student):
    """Workers that stay alive between epochs give every sample in each of them."""
    shards = shards_of(4, 3, 5)
    for number, samples in enumerate(student.run(probes.read, shards, workers=2, epochs=3, persistent=True), start=1):
        assert_all_once(shards, samples, f"in epoch {number} with persistent workers")


@points(0.5, needs=test_samples)
def test_after_abandoned_epoch(student):
    """An epoch after one that was left in the middle is complete, with workers, persistent ones, and without."""
    shards = shards_of(4, 3, 5)
    for workers, persistent in ((0, False), (2, False), (2, True)):
        (samples,) = student.run(probes.read, shards, workers=workers, persistent=persistent, abandon=6)
        how = "persistent workers" if persistent else "workers"
        assert_all_once(shards, samples, f"after an abandoned epoch with {workers} {how}")
    samples = student.run(probes.read_shared, shards, abandon=6)
    assert_all_once(shards, samples, "after an abandoned epoch whose iterator is still there")


@points(1, needs=(test_samples, test_ranks))
def test_spawned_workers(student):
    """One rank reads by a worker that was started by spawn, one without workers: every sample comes exactly once."""
    shards = shards_of(*[1, 2, 3] * 5)  # many: two readers that order them differently may agree on few by chance
    with student.limit(seconds=30):  # the worker imports torch anew
        samples = student.run(probes.read_spawned, shards)
    assert_all_once(shards, samples, "with a worker started by spawn on one of 2 ranks")


def assert_raises_with_path(student, how, what):
    """Fail unless reading raises an error with the path of the broken shard, for some places of it, with and without workers."""
    for place, workers in ((0, 0), (2, 0), (1, 2)):
        shards = shards_of(3, 4, 3, numbers=200)
        answer = student.run(probes.read_broken, shards, place=place, how=how, workers=workers)
        where = f"although shard {place} of 3 {what} ({workers} workers)"
        if answer["error"] is None:
            raise CheckFailed(f"no error was raised, {where}")
        if answer["path"] not in answer["error"]:
            last = (answer["error"].strip().splitlines() or [""])[-1][:200]
            raise CheckFailed(
                f"an error was raised, as it should be, but its text does not hold the shard's path as it was given: {last!r}"
            )


@points(0.5, kind="errors", needs=test_samples)
def test_missing_shard(student):
    """A shard that is not there is an error that says which."""
    assert_raises_with_path(student, "missing", "is missing")


@points(0.5, kind="errors", needs=test_samples)
def test_empty_file(student):
    """A shard of zero bytes is an error that says which."""
    assert_raises_with_path(student, "empty", "has zero bytes")


@points(0.5, kind="errors", needs=test_samples)
def test_cut_shard(student):
    """A shard that is cut inside a member's data is an error that says which."""
    assert_raises_with_path(student, "last cut", "is cut inside its last member")
    assert_raises_with_path(student, "first cut", "is cut inside its first member")


@points(1, kind="memory", needs=test_samples)
def test_memory(student):
    """Reading a shard of 48 MB, 12 members of 4 MB, takes at most 24 MB of memory."""
    base = torch.randn(MEGABYTE)
    numbers = base[:12].tolist()
    small, large = student.run(probes.keep_large, base, [1, 12])
    firsts = assert_memory(student.probe(probes.first_numbers), large, at_most=24 * MEGABYTE, warm_up=(small,))
    if sorted(map(tuple, firsts)) != sorted((f"{i}.npy", number) for i, number in enumerate(numbers)):
        raise CheckFailed("the samples of a shard with members of 4 MB are not those that were written")


@points(0.5, kind="memory", needs=test_samples)
def test_open_files(student):
    """No shard is open before iteration starts, after it ends, or after it is abandoned."""
    paths = student.run(probes.keep_shards, shards_of(3, 4, 3))
    for taken, when in ((None, "after an epoch"), (1, "after one sample"), (5, "after five samples")):
        student.run(probes.make_data)
        assert_closed(student, paths, "before iteration")
        student.run(probes.read_data, taken)
        assert_closed(student, paths, when)


def assert_closed(student, paths, when):
    """Fail if a process of the student's holds one of these files open."""
    if still := set(paths).intersection(student.probe(probes.make_data).process_tree().open_files()):
        raise CheckFailed(f"{when}, {len(still)} of {len(paths)} shards are open")


@points(0.5, kind="speed", needs=test_samples)
def test_speed(student):
    """An epoch over small samples takes at most 5 times as long as a plain loop over the archives."""
    race(student.probe(probes.epoch), reference=probes.plain_epoch, make_inputs=small_samples, verify=assert_epoch, at_most=5.0)


def small_samples():
    """A shard with 60 small samples."""
    return ([archive_of(shard) for shard in shards_of(60)],)


def assert_epoch(result, archives):
    """Fail unless the samples are those of the archives, in any order."""
    names, samples = result
    wanted = dict(pair for archive in archives for pair in read_archive(archive))
    if sorted(names) != sorted(wanted) or not torch.equal(samples, torch.stack([wanted[name] for name in names])):
        raise CheckFailed("an epoch over small samples gives something else than the samples")


@pytest.mark.gpu
@points(0, kind="values", needs=(test_samples, test_workers))
def test_pinned(student, device):
    """A loader that pins memory feeds a GPU: every sample arrives there once, with workers and without."""
    for workers in (0, 2):
        shards, when = shards_of(4, 3, 5, numbers=1000), f"with pinned memory and {workers} workers"
        with student.limit(seconds=30):
            samples = [pair_of(sample, when) for sample in student.run(probes.read_pinned, shards, device, workers=workers)]
        for name, tensor in samples:
            assert_device(tensor, device, what=f"sample {name[:60]!r}")
        assert_all_once(shards, [(name, tensor.cpu()) for name, tensor in samples], when)
