"""Public checks: FileDataset. You may read and run them; `check("FileDataset")` does.

They read the folder `recordings`, which lies beside the notebook.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, points

NAMES = ["rest-1.npy", "rest-2.npy", "rest-3.npy", "rest-4.npy", "run-1.npy", "run-10.npy", "run-2.npy"]


def pair_in(sample, what):
    """The two parts of a sample or batch, the tensor first."""
    if not isinstance(sample, list | tuple) or len(sample) != 2:
        hint = "What does __getitem__ have to return: one thing, or two?"
        if what == "a batch":
            hint = "A DataLoader makes pairs of batches out of pairs of items. Who takes them apart here?"
        raise CheckFailed(f"{what} is not a pair", hint=hint)
    first, second = sample
    return (second, first) if isinstance(second, torch.Tensor) else (first, second)


@points(0.5)
def test_recordings(student):
    """The first recording is a float32 tensor of 64 numbers, together with its name."""
    data = student.FileDataset("recordings")
    sample = next((sample for sample in (data[i] for i in range(7)) if "rest-1" in str(sample)), None)
    if sample is None:
        hint = "What does data[0] give, and data[1]? Does the file's name come back, and is another file read for another index?"
        raise CheckFailed("none of the items 0 to 6 has rest-1 in it", hint=hint)
    numbers, name = pair_in(sample, "an item")
    if not isinstance(sample[0], torch.Tensor):
        hint = "Which of the two comes first, and is it a tensor? What does torch make of an array?"
        raise CheckFailed("the first part of an item is not a tensor", hint=hint, slip="type")
    if name != "rest-1.npy":
        hint = "The name as `ls` shows it inside the folder: no folder in front, and nothing cut off."
        raise CheckFailed(f"the name of rest-1.npy is {name!r}", hint=hint)
    assert_dtype(numbers, torch.float32, what="the array of rest-1.npy", hint="Does your code change the dtype of an array?")
    expected = torch.tensor([0.0, 0.0, 0.07, 0.41, 0.93, 0.78])
    if tuple(numbers.shape) != (64,):
        raise CheckFailed(f"the array of rest-1.npy has shape {list(numbers.shape)}; expected [64]", slip="shape")
    assert_close(numbers[:6], expected, ulps=1, what="the first six numbers of rest-1.npy")


@points(0.5)
def test_names(student):
    """The seven recordings come in the order of their names."""
    data = student.FileDataset("recordings")
    if len(data) != 7:
        raise CheckFailed(f"len(data) is {len(data)}; there are 7 recordings", hint="Which files match *.npy?")
    names = [str(pair_in(data[i], f"item {i}")[1]).rpartition("/")[2].removesuffix(".npy") + ".npy" for i in range(7)]
    if names != NAMES:
        hint = "In which order does the system give the files? Nobody promises one. Sorted as text, run-10 comes before run-2."
        raise CheckFailed(f"the names are {', '.join(names)}; expected {', '.join(NAMES)}", hint=hint)


@points(0.5)
def test_evaluation(student):
    """For evaluation, batches of three are 3, 3 and 1 recordings, in order."""
    data = student.FileDataset("recordings")
    order = [pair_in(data[i], f"item {i}")[1] for i in range(7)]
    batches = [list(pair_in(batch, "a batch")[1]) for batch in data.loader(3, train=False)]
    if [len(batch) for batch in batches] != [3, 3, 1]:
        text = f"the batches have {[len(batch) for batch in batches]} recordings; expected [3, 3, 1]"
        hint = "How large does the loader make its batches?"
        if [len(batch) for batch in batches] == [3, 3]:
            hint = "Which recordings may an evaluation leave out?"
        raise CheckFailed(text, hint=hint, slip="shape")
    if (found := [name for batch in batches for name in batch]) != order:
        hint = "Who needs a random order, and who does not?"
        raise CheckFailed(f"the recordings come in the order {', '.join(map(str, found))}", hint=hint)
