"""Hidden checks: ShardedTarDataset.

Shards are drawn here, written in the jail, and read there by real DataLoaders; the samples come back and are compared bit for
bit. Open files, memory and time are measured from outside.

A class may call the student's own `shards_of` and `read_shard`, which have checks of their own. `test_samples` and `test_ranks`
judge the class with these as they are. The others put right ones in their place, where that alone makes the class read right
(`put_right`), and so with a `get_worker_info` that knows no None. A class that calls neither, or whose functions are right, is
run as it is.
"""

import contextlib
import itertools

import pytest
import torch

from torchgrade import CheckFailed, assert_memory, measured, points, race
from torchgrade.checks.assertions import assert_device
from torchgrade.checks.faults import Raised
from torchgrade.checks.notes import ends_its_process, rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes
from .samples import archive_of, assert_all_once, assert_pairs, came_of, read_archive, shards_of, tensor_in

MEGABYTE = 2**20


SMALL = ("shards_of", "read_shard", "get_worker_info")
AROUND = ("shards_of", "get_worker_info")
"""What is around the reading of a shard: for checks that look at what `read_shard` makes of one."""


def put_right(student, *among):
    """For the rest of a check, put right functions in the place of the student's, of these names (none: of all of `SMALL`).

    That is done where a class that reads wrong, in one process or on three ranks, reads right or less wrong by that alone.
    Returns the names, and whether one process reads right then, and three ranks.
    """
    names = among or SMALL
    shards, tried = alike(8), []  # a number of shards that no check has: what is kept by it is found elsewhere
    subsets = [list(some) for count in range(1, len(names)) for some in itertools.combinations(names, count)]
    for put in ([], list(names), *subsets):
        right = [_reads(shards, samples) for samples in student.run(probes.try_out, shards, put, world_sizes=[1, 3])]
        tried.append((right, put))
        if all(tried[0][0]) or (len(tried) == 2 and sum(right) <= sum(tried[0][0])):
            break  # it is right as it is, or none of them is to blame
    right, best = max(tried, key=lambda one: (sum(one[0]), -len(one[1])))
    if best != put:
        student.run(probes.put_in_place, best)
    if best:
        ends_its_process()  # what follows may be the checks of these very functions
    return best, right


def _reads(shards, samples):
    """True if these samples are those of the shards."""
    with contextlib.suppress(CheckFailed):
        if samples is not None:
            assert_all_once(shards, samples, "")
            return True
    return False


def sensible(student, *, ranks=False):
    """`put_right`; fails unless one process, and three ranks if that is asked for, read right then: others look at that."""
    _, (plain, three) = put_right(student)
    if not plain or (ranks and not three):
        check_grid(student, alike(8), [(0, 1), (0, 3)][: 1 + ranks], "")


_NO_WORKER = "In the main process there is no worker, and get_worker_info() returns None. Which reader is it then?"


@contextlib.contextmanager
def blaming(student, *among):
    """Where what is inside fails, and a right function in the place of the student's mends it, say so."""
    try:
        yield
    except (CheckFailed, Raised) as failed:
        if failed.slip == "not written" or (isinstance(failed, Raised) and not failed.lines):
            raise
        names, _ = put_right(student, *among)
        if not names:
            raise
        small = " and ".join(name for name in names if name != "get_worker_info")
        first = f"With a right {small} in the place of yours, your class does this. Mend {small} first."
        raise CheckFailed(str(failed), slip=failed.slip, hint=first if small else _NO_WORKER) from None


def check_grid(student, shards, grid, hint):
    """Read the shards with so many workers on so many ranks, for each of the grid."""
    for workers, world_size in grid:
        with student.limit(seconds=20):
            (samples,) = student.run(probes.read, shards, workers=workers, world_size=world_size)
        assert_all_once(shards, samples, when_of(shards, workers, world_size), hint)


def alike(count):
    """Shards of four members each: what shards of other sizes do is a check of its own."""
    return shards_of(*[4] * count)


def when_of(shards, workers, world_size):
    """A case in words: what is read by whom."""
    sizes = [len(shard) for shard in shards]
    if len(set(sizes)) == 1:
        read = f"{_number(len(sizes), 'shard')} of {_number(sizes[0], 'member')}"
    else:
        read = f"shards of {', '.join(map(str, sizes))} members"
    ranks = f"on {'each of ' if workers and world_size > 1 else ''}{_number(world_size, 'rank')}"
    return f"with {_number(workers, 'worker')} {ranks}, and {read}"


def _number(count, what):
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


@points(0.5)
def test_samples(student):
    """Iterating over the data set itself gives every sample once."""
    hint = "One sample after the other, for every regular member of every shard."
    with blaming(student):
        for shards in (alike(2), alike(1), alike(3)):
            assert_all_once(shards, student.run(probes.read_plainly, shards), "without a DataLoader", hint)


@points(0.5)
def test_names(student):
    """A sample is a pair of name and tensor, and the name is the archive's: folders, dots, any length and alphabet."""
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
    shards = [[(name, torch.randn(2)) for name in part] for part in (names[:4], names[4:])]
    hint = {
        "missing": "Every regular member is a sample, whatever it is called.",
        "values": "The name as it stands in the archive: folders, dots and all.",
        "type": "A sample is a tuple: first the member's name, then what decode makes of its bytes.",
    }
    put_right(student, *AROUND)
    assert_pairs(shards, student.run(probes.read_plainly, shards), "with unusual names", hint)


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
        torch.randn(7),
    ]
    samples = [(f"{i}.npy", tensor) for i, tensor in enumerate([*integers, *floats, *others])]
    shards = [samples[::2], samples[1::2]]
    hint = {"dtype": "decode has the tensor ready: whatever is done to it after that is too much."}
    put_right(student, *AROUND)
    assert_all_once(shards, student.run(probes.read_plainly, shards), "with arrays of many dtypes and shapes", hint)


@points(0.5, kind="inputs")
def test_paths(student):
    """Paths may be strings or pathlib.Path."""
    hint = "os.fspath gives the text of any path; open and tarfile.open take any path as it is."
    put_right(student)
    for count, form in enumerate(probes.FORMS, start=2):  # other counts: what was read before is test_another_data_set's matter
        shards = alike(count)
        with hint_where_raised(hint):
            samples = student.run(probes.read_plainly, shards, form=form)
        assert_all_once(shards, samples, f"with paths of type {form}")


@points(0.5)
def test_other_members(student):
    """Folders, pipes, soft links and hard links are skipped."""
    shards = alike(2)
    put_right(student, *AROUND)
    with hint_where_raised("A folder has no data to decode, and a link none of its own. tarfile says of a member what it is."):
        samples = student.run(probes.read_plainly, shards, others=True)
    hint = {"doubled": "A link is a second name of a sample that has come already. tarfile says of a member what it is."}
    assert_all_once(shards, samples, "with members that are no regular files", hint)


@points(0.5)
def test_uneven_shards(student):
    """Shards of very different size, and archives without members, lose and double nothing."""
    hint = "How many samples a shard has says only the shard. It may be none."
    put_right(student)
    with hint_where_raised(hint):
        check_grid(student, shards_of(3, 17, 0, 1, 2), [(0, 1)], hint)
        check_grid(student, shards_of(0), [(0, 1)], hint)


@points(0.75)
def test_workers(student):
    """With 1, 2 or 3 workers every sample comes exactly once, whether they divide the number of shards or not."""
    hint = {
        "missing": "Worker k of n: which part of the work is its own, so that the parts of all n make the whole?",
        "doubled": "Each worker has a copy of the data set. Does your code know which one it runs in? Is a sample in two parts?",
    }
    put_right(student)
    check_grid(student, alike(4), [(1, 1), (2, 1)], hint)
    check_grid(student, alike(7), [(2, 1), (3, 1)], hint)


@points(0.5)
def test_ranks(student):
    """With 1 to 5 ranks every sample comes exactly once, whether they divide the number of shards or not."""
    hint = {
        "missing": "Which rank reads the sample that is missing? What is left over by a division belongs to somebody, too.",
        "doubled": "rank and world_size say which part of the work is whose. Do the parts of two ranks overlap?",
    }
    put_right(student, "read_shard")
    with blaming(student, "shards_of"):
        check_grid(student, alike(6), [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)], hint)


@points(0.75)
def test_workers_and_ranks(student):
    """With workers on every rank, every sample of the job comes exactly once."""
    hint = "Ranks times workers share the work. Give each of them one number of its own, from 0 up."
    put_right(student)
    check_grid(student, alike(12), [(2, 2), (3, 2), (2, 3)], hint)


@points(0.5, needs=test_workers_and_ranks)
def test_shared(student):
    """With eight shards for every reader, however small, each of them has a part of the samples."""
    rests_on_word()
    put_right(student)
    shards = shards_of(*[2] * 32)
    with student.limit(seconds=20):
        readers = student.run(probes.count_by_reader, shards, workers=2, world_size=2)
    measured("samples", readers)
    if idle := [name for name, count in readers.items() if count == 0]:
        hint = "If one reader does it all, the others are there for nothing."
        raise CheckFailed(f"of 32 shards with 2 samples each, nothing is read by {', '.join(idle)}", hint=hint)


@points(0.5)
def test_few_shards(student):
    """There may be more workers, ranks, or both than shards."""
    hint = "Readers are numbered as ever, and who has nothing to do yields nothing: nobody may depend on a shard of their own."
    put_right(student)
    with hint_where_raised(hint):
        check_grid(student, alike(1), [(3, 1), (0, 3)], {"missing": hint})
        check_grid(student, alike(2), [(2, 2)], {"missing": hint})


def assert_alike(shards, epochs, how, hint):
    """Fail unless each epoch gives what the first gave, once; whether that is all of the shards is `test_workers`' matter."""
    first = came_of(shards, epochs[0], f"in the first epoch {how}")
    for number, samples in enumerate(epochs, start=1):
        assert_all_once(first, samples, f"in epoch {number} {how}", hint)


@points(0.5)
def test_second_epoch(student):
    """A second and a third epoch give every sample again."""
    hint = "__iter__ is called once an epoch. What it needs must be made anew each time."
    sensible(student)
    for workers, shards in ((0, alike(3)), (1, alike(1))):
        epochs = student.run(probes.read, shards, workers=workers, epochs=3)
        assert_alike(shards, epochs, f"with {_number(workers, 'worker')}", hint)


@points(0.5)
def test_another_data_set(student):
    """A second and a third data set in the same process, over as many shards of the same size, give their own samples."""
    hint = "What was read before, from other shards, belongs to those: it cannot be told by how many or how large they were."
    sensible(student)
    for number in range(1, 4):
        shards = alike(2)
        assert_all_once(shards, student.run(probes.read_plainly, shards), f"in data set number {number} of 2 shards", hint)


@points(0.5)
def test_persistent_workers(student):
    """A worker that stays alive between epochs gives every sample in each of them."""
    shards = alike(1)
    hint = "A persistent worker keeps its copy of the data set, with all its attributes, from epoch to epoch."
    sensible(student)
    assert_alike(shards, student.run(probes.read, shards, workers=1, epochs=3, persistent=True), "with a persistent worker", hint)


def unless_always_wrong(student, hint, *, world_size=1):
    """The hint, unless any epoch with a worker is wrong on so many ranks, which `test_workers` and those beside it say."""
    shards = alike(world_size)
    (samples,) = student.run(probes.read, shards, workers=1, world_size=world_size)
    return hint if _reads(shards, samples) else ""


@points(0.5)
def test_after_abandoned_epoch(student):
    """An epoch after one that was left in the middle is complete, with a worker, a persistent one, and without."""
    hint = "Where an iterator stands belongs to that iterator, not to the data set."
    sensible(student)
    for workers, persistent, shards in ((0, False, alike(3)), (1, False, alike(1)), (1, True, alike(1))):
        (samples,) = student.run(probes.read, shards, workers=workers, persistent=persistent, abandon=2)
        how = "a persistent worker" if persistent else _number(workers, "worker")
        if workers and not _reads(shards, samples):
            hint = unless_always_wrong(student, hint)
        assert_all_once(shards, samples, f"after an abandoned epoch with {how}", hint)
    shards = alike(4)
    samples = student.run(probes.read_shared, shards, abandon=6)
    assert_all_once(shards, samples, "after an abandoned epoch whose iterator is still there", hint)


@points(0.5)
def test_spawned_worker(student):
    """A worker that is started by spawn gets the data set by pickle, and reads it."""
    shards = alike(1)
    hint = "A spawned worker gets the data set by pickle: whatever __init__ keeps must survive that."
    sensible(student)
    with student.limit(seconds=30):  # the worker imports torch anew
        samples = student.run(probes.read_spawned, shards, ranks=(0,), world_size=1)
    if not _reads(shards, samples):
        hint = unless_always_wrong(student, hint)
    assert_all_once(shards, samples, "with a worker started by spawn", hint)


@points(0.5, needs=test_spawned_worker)
def test_readers_agree(student):
    """A reader started by spawn and one without workers, each on a rank, read every sample once between them."""
    shards = shards_of(*[2] * 15)  # many: two readers that order them differently may agree on few by chance
    hint = "Each process has a hash() of text of its own, and shares nothing with the process that started it."
    sensible(student, ranks=True)
    with student.limit(seconds=30):
        samples = student.run(probes.read_spawned, shards, ranks=(0, 1), world_size=2)
    if not _reads(shards, samples):
        hint = unless_always_wrong(student, hint, world_size=2)
    assert_all_once(shards, samples, "with a worker started by spawn on one of 2 ranks", hint)


_SILENT = "Training goes on without it, on other data than everyone believes."


def assert_raises_with_path(student, how, what, hint):
    """Fail unless reading raises an error with the path of the broken shard, for some places of it, with and without a worker."""
    for place, workers in ((0, 0), (2, 0), (0, 1)):
        shards = shards_of(4, 4, 4, numbers=200)
        answer = student.run(probes.read_broken, shards, place=place, how=how, workers=workers)
        where = f"although shard {place} of 3 {what} ({_number(workers, 'worker')})"
        if answer["error"] is None:
            raise CheckFailed(f"no error was raised, {where}", slip="raised", hint=hint)
        if answer["path"] not in answer["error"]:
            last = (answer["error"].strip().splitlines() or [""])[-1][:200]
            whole = "Of 10,000 files in many folders, which? Say the path as it was given: not shortened, and not made absolute."
            none = "tarfile's own error says what is wrong, but of 10,000 files, with which? Raise one that names the path."
            raise CheckFailed(
                f"an error was raised, as it should be, but its text does not hold the shard's path as it was given: {last!r}",
                slip="text",
                hint=whole if answer["path"].rpartition("/")[2] in answer["error"] else none,
            )


@points(0.5, kind="errors")
def test_missing_shard(student):
    """A shard that is not there is an error that says which."""
    sensible(student)
    assert_raises_with_path(student, "missing", "is missing", _SILENT)


@points(0.5, kind="errors")
def test_empty_file(student):
    """A shard of zero bytes is an error that says which."""
    sensible(student)
    assert_raises_with_path(student, "empty", "has zero bytes", _SILENT)


@points(0.5, kind="errors")
def test_cut_shard(student):
    """A shard that is cut inside a member's data is an error that says which."""
    hint = "A copy that was interrupted. Reading notices; does the person who starts the job?"
    sensible(student)
    assert_raises_with_path(student, "last cut", "is cut inside its last member", hint)
    assert_raises_with_path(student, "first cut", "is cut inside its first member", hint)


@points(1, kind="memory")
def test_memory(student):
    """Reading a shard of 48 MB, 12 members of 4 MB, takes at most 24 MB of memory."""
    sensible(student)
    base = torch.randn(MEGABYTE)
    numbers = base[:12].tolist()
    small, large = student.run(probes.keep_large, base, [1, 12])
    hint = "How much of the shard is in memory when the first sample is handed out, and when the last?"
    firsts = assert_memory(student.probe(probes.first_numbers), large, at_most=24 * MEGABYTE, warm_up=(small,), hint=hint)
    if sorted(firsts) != sorted(numbers):
        raise CheckFailed("the samples of a shard with members of 4 MB are not those that were written")


@points(0.5, kind="memory")
def test_open_files(student):
    """No shard is open before iteration starts, after it ends, or after it is abandoned."""
    sensible(student)
    paths = student.run(probes.keep_shards, alike(3))
    for taken, when in ((None, "after an epoch"), (1, "after one sample"), (5, "after five samples")):
        student.run(probes.make_data)
        assert_closed(student, paths, "before iteration")
        student.run(probes.read_data, taken)
        assert_closed(student, paths, when)


def assert_closed(student, paths, when):
    """Fail if a process of the student's holds one of these files open."""
    if still := set(paths).intersection(student.probe(probes.make_data).process_tree().open_files()):
        hint = "Open a shard when iteration comes to it; a with block closes it whatever happens."
        raise CheckFailed(f"{when}, {len(still)} of {len(paths)} shards are open", hint=hint)


@points(0.5, kind="speed")
def test_speed(student):
    """An epoch over small samples takes at most 5 times as long as a plain loop over the archives."""
    sensible(student)
    race(
        student.probe(probes.epoch),
        reference=probes.plain_epoch,
        make_inputs=small_samples,
        verify=assert_epoch,
        at_most=5.0,
        hint="How often is each header of a shard read in one epoch?",
    )


def small_samples():
    """A shard with 60 small samples."""
    return ([archive_of(shard) for shard in shards_of(60)],)


def assert_epoch(result, archives):
    """Fail unless the samples are those of the archives, in any order."""
    wanted = torch.stack([tensor for archive in archives for _, tensor in read_archive(archive)])
    if result.shape != wanted.shape or not torch.equal(_in_order(result), _in_order(wanted)):
        raise CheckFailed("an epoch over small samples gives something else than the samples")


def _in_order(samples):
    return samples[samples[:, 0].argsort()]


@pytest.mark.gpu
@points(0, kind="values", needs=test_workers)
def test_pinned(student, device):
    """A loader that pins memory feeds a GPU: every sample arrives there once, with workers and without."""
    hint = "A data set makes tensors on the CPU. Pinning them, and copying them to the GPU, is what others do."
    sensible(student)
    for workers in (0, 2):
        shards, when = shards_of(4, 3, 5, numbers=1000), f"with pinned memory and {_number(workers, 'worker')}"
        with student.limit(seconds=30):
            came = [tensor_in(sample, when) for sample in student.run(probes.read_pinned, shards, device, workers=workers)]
        for tensor in came:
            assert_device(tensor, device, what="a sample", hint=hint)
        assert_all_once(shards, [tensor.cpu() for tensor in came], when, hint)
