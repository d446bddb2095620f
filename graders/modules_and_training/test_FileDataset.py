"""Hidden checks: FileDataset.

The files are written in the jail, in a random order. Most checks know a file by its numbers, and compare with the order in
which the data set itself has them: names, order and the form of an item are judged by checks of their own.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, points
from torchgrade.checks.faults import Raised
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_FileDataset as probes

COUNT = 23
SUFFIX = ".npy"


def drawn(count=COUNT):
    """Random names, sorted, and an array of four numbers for each: the first one is its place."""
    words = torch.randint(100, 1000, (count,)).tolist()
    names = sorted(f"{'abc'[i % 3]}{word}-{i}{SUFFIX}" for i, word in enumerate(words))
    return [(name, torch.cat([torch.tensor([float(i)]), torch.randn(3)])) for i, name in enumerate(names)]


def written(student, files, folder="files"):
    """Write files in a random order; the folder's path. No order by name, and not its reverse."""
    order = torch.randperm(len(files)).tolist()
    return student.run(probes.write, folder, [files[i] for i in order])


def tensor_in(sample):
    """The tensor of an item or a batch, wherever it stands and if it is an array still."""
    if not isinstance(sample, list | tuple):
        sample = [sample]
    for part in sample:
        if isinstance(part, torch.Tensor):
            return part
        if type(part).__name__ == "Handle" and hasattr(part, "tolist"):
            return torch.tensor(part.tolist())
    raise CheckFailed("there is no tensor in an item", hint="What does __getitem__ return?")


def places(sample):
    """The places of the files in an item or a batch, by their first number."""
    return tensor_in(sample).reshape(-1, 4)[:, 0].long().tolist()


def epoch(loader):
    """For each batch, the places of its files."""
    return [places(batch) for batch in loader]


@points(1)
def test_items(student):
    """An item is the array as a tensor, of the same shape and dtype, and the file's name."""
    dtypes = torch.float32, torch.float64, torch.float16, torch.int64, torch.uint8, torch.bool, torch.float32, torch.int64
    shapes = (7,), (2, 3), (4,), (2, 1, 3), (5,), (3, 2), (), (0, 2)
    arrays = [(10 * torch.randn(shape)).abs().to(dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    files = [(f"{chr(ord('a') + i)}.{int(torch.randint(100, ()))}{SUFFIX}", array) for i, array in enumerate(arrays)]
    data = student.FileDataset(written(student, files))
    found = {}
    for i in range(len(files)):
        sample = data[i]
        if not isinstance(sample, list | tuple) or len(sample) != 2 or not isinstance(sample[0], torch.Tensor):
            hint = "What comes first, and is it a tensor? What does torch make of an array?"
            raise CheckFailed("an item is no pair of a tensor and a name, in this order", hint=hint, slip="type")
        found[sample[1]] = sample[0]
    for name, array in files:
        if name not in found:
            hint = "The name as `ls` shows it inside the folder: no folder in front, and nothing cut off."
            raise CheckFailed(f"no item has the name {name!r}; there are {', '.join(map(repr, found))}"[:300], hint=hint)
        hint = "Does your code change the dtype of an array, or make one number of it?"
        assert_dtype(found[name], array.dtype, what=f"an array of dtype {str(array.dtype)[6:]}", hint=hint)
        assert_close(found[name], array, ulps=0, what=f"an array of shape {list(array.shape)}", hint=hint)


@points(0.5)
def test_order(student):
    """Those files of the folder itself that match the pattern, sorted by name."""
    files = drawn()
    others = [("notes.txt", torch.zeros(4)), ("below/a.npy", torch.zeros(4)), ("below/b5.npy", torch.zeros(4))]
    folder = written(student, [*files, *others])
    for pattern, right in (("*.npy", files), ("[bc]*-*.npy", [file for file in files if file[0][0] in "bc"])):
        data = student.FileDataset(folder, pattern) if pattern != "*.npy" else student.FileDataset(folder)
        if len(data) != len(right):
            hint = "Which names match, and what is in the folder besides? A folder below it is not the folder itself."
            raise CheckFailed(f"with the pattern {pattern}, there are {len(data)} items; {len(right)} files match", hint=hint)
        order = [places(data[i])[0] for i in range(len(data))]
        expected = [int(array[0]) for _, array in right]
        if order != expected:
            hint = "In which order does the system give the files of a folder? Nobody promises one."
            raise CheckFailed(f"with the pattern {pattern}, the files come in the order {order}; expected {expected}", hint=hint)


@points(0.5)
def test_folder(student):
    """The folder may have any name, and may be given as a Path."""
    files = drawn(3)
    hint = "The pattern is for the files. Who reads the name of the folder as a pattern, too?"
    for name in ("run [1]", "what?", "a*b", "plain"):
        folder = written(student, files, name)
        with hint_where_raised(hint):
            found = len(student.FileDataset(folder))
        if found != 3:
            raise CheckFailed(f"in the folder {name!r}, {found} of 3 files are found", hint=hint)
    with hint_where_raised("What can a text do that a Path cannot, and which of pathlib's classes takes both?"):
        if (found := student.run(probes.by_path, folder)) != 3:
            raise CheckFailed(f"in a folder that is given as a Path, {found} of 3 files are found")


@points(0.5, kind="errors")
def test_ends(student):
    """data[-1] is the last item, and beyond both ends there is an IndexError."""
    files = drawn(5)
    data = student.FileDataset(written(student, files))
    order = [places(data[i])[0] for i in range(5)]
    hint = "What would a list do? And how does a for loop over your data set learn that it has ended?"
    for i in (-1, -5):
        with hint_where_raised(hint):
            found = places(data[i])[0]
        if found != order[i]:
            raise CheckFailed(f"data[{i}] of 5 items is data[{order.index(found)}]", hint=hint)
    for i in (5, 6, -6):
        try:
            found = data[i]
        except Raised as fault:
            if fault.kind != "IndexError":
                raise CheckFailed(f"data[{i}] of 5 items raises {fault.kind}; expected an IndexError", hint=hint) from None
            continue
        raise CheckFailed(f"data[{i}] of 5 items gives one of them; expected an IndexError", hint=hint, slip="raised")


@points(0.5, kind="errors")
def test_none(student):
    """Where no file matches, making the data set is an error that names the folder and the pattern."""
    number = int(torch.randint(1000, ()))
    folder = written(student, [("a.npy", torch.zeros(4))], f"folder{number}")
    pattern = f"{number}x*.npy"
    try:
        student.FileDataset(folder, pattern)
    except Raised as fault:
        for what, text in (("folder", f"folder{number}"), ("pattern", pattern)):
            if text not in fault.text:
                hint = "Somebody mistyped one of two things. Which words would help?"
                raise CheckFailed(f"the error says {fault.text[:150]!r}; the {what} is not in it", hint=hint) from None
        return
    hint = "When is an empty folder found out: here, or after a training in which nothing was learned?"
    raise CheckFailed("no error was raised, although no file matches", hint=hint, slip="raised")


@points(0.5, kind="errors")
def test_broken(student):
    """A broken file is an error, and the others can be read."""
    files = drawn(4)
    folder = written(student, files)
    data = student.FileDataset(folder)
    order = [places(data[i])[0] for i in range(4)]
    student.run(probes.cut, f"{folder}/{files[2][0]}")
    try:
        data = student.FileDataset(folder)
    except Raised:
        return  # it is read too early, which is for another check, and it is an error
    for i, place in enumerate(order):
        try:
            found = places(data[i])
        except Raised:
            if place != 2:
                raise
            continue
        if place == 2:
            hint = "What will the training learn from, if something else is given in its place?"
            raise CheckFailed(f"a file that is cut in the middle gives the numbers of file {found[0]}", hint=hint, slip="raised")


@points(0.5)
def test_lazy(student):
    """A file is read when its item is asked for, each time."""
    files = drawn(4)
    folder = written(student, files)
    data = student.FileDataset(folder)
    hint = "When is a file needed, and who keeps its numbers after that?"
    right = dict(files)
    for when in ("after the data set was made", "after it was read once"):
        name = files[1][0]
        right[name] = torch.cat([torch.tensor([1.0]), torch.randn(3)])
        student.run(probes.rewrite, f"{folder}/{name}", right[name])
        found = next((tensor for tensor in (tensor_in(data[i]) for i in range(4)) if int(tensor[0]) == 1), None)
        if found is None or not torch.equal(found.float(), right[name]):
            raise CheckFailed(f"a file was changed {when}, and its item has the old numbers", hint=hint)


@points(0.5, kind="inputs")
def test_files(student):
    """Changing an item changes no file, and no file stays open."""
    files = drawn(5)
    changed = student.run(probes.edited, written(student, files))
    hint = "Whose memory is the tensor's: its own, or that of the file?"
    for (_, array), now in zip(files, changed, strict=True):
        assert_close(now, array, ulps=0, what="a file after its item was changed", hint={"values": hint, "offset": hint})
    many = [(f"{i:03}.npy", torch.zeros(4)) for i in range(300)]  # more than a process here may have open
    with hint_where_raised("300 items were kept, and at most 256 files may be open. Who closes them, or keeps them open?"):
        student.run(probes.kept, student.run(probes.write, "many", many))


@points(0.5)
def test_workers(student):
    """The data set can be pickled, and two workers give what none gives."""
    rests_on_word()
    files = drawn(7)
    folder = written(student, files)
    data = student.FileDataset(folder)
    expected = torch.stack([tensor_in(data[i]) for i in range(7)])
    hint = "A worker that is started by spawn gets a pickled copy. Which attribute cannot be pickled?"
    with hint_where_raised(hint):
        assert_close(student.run(probes.sent, folder), expected, ulps=0, what="the items of a pickled copy", hint=hint)
    hint = "What becomes of the argument workers?"
    found, workers = student.run(probes.by_workers, folder, 7, 2)
    if workers != 2:
        raise CheckFailed(f"with workers=2, the loader has {workers} workers", hint=hint)
    if (none := data.loader(7, train=False).num_workers) != 0:
        raise CheckFailed(f"where workers is not given, the loader has {none} workers; expected 0", hint=hint)
    if sorted(found[:, 0].tolist()) != sorted(expected[:, 0].tolist()):
        raise CheckFailed("with workers=2, not every file came once", hint=hint)


@points(0.5)
def test_training(student):
    """For training, each epoch has each file once, in another order."""
    loader = student.FileDataset(written(student, drawn(24))).loader(4, train=True)
    orders = [[place for batch in epoch(loader) for place in batch] for _ in range(3)]
    for order in orders:
        if len(order) != 24 or sorted(set(order)) != list(range(24)):
            hint = "The index says which file is meant. How often does an epoch meet each one?"
            raise CheckFailed(f"an epoch of 24 files has {len(set(order))} different ones in {len(order)}", hint=hint)
    if orders[0] == list(range(24)):
        raise CheckFailed("the files come in the order of their names", hint="What does the order of training tell a network?")
    if orders[0] == orders[1] or orders[1] == orders[2]:
        raise CheckFailed("two epochs have the same order", hint="When is the order drawn: once, or at the start of an epoch?")


@points(0.5)
def test_last_batch(student):
    """For training, a last batch that is too short is dropped."""
    data = student.FileDataset(written(student, drawn()))
    hint = "What is left over after the last full batch, and what would batch norm make of a single row?"
    for size, count in ((5, 4), (22, 1), (8, 2)):
        sizes = [len(batch) for batch in epoch(data.loader(size, train=True))]
        if sizes != [size] * count:
            raise CheckFailed(f"23 files in batches of {size} come as {sizes}; expected {[size] * count}", hint=hint)


@points(0.5)
def test_small(student):
    """For training, too few files for one batch are a batch all the same."""
    hint = "If the only batch is dropped, how many steps does an epoch have?"
    for count, size in ((23, 64), (23, 24), (1, 2), (23, 23)):
        data = student.FileDataset(written(student, drawn(count)))
        sizes = [len(batch) for batch in epoch(data.loader(size, train=True))]
        if sizes != [count]:
            raise CheckFailed(f"{count} files in batches of {size} come as {sizes}; expected {[count]}", hint=hint)
