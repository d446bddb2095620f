"""Public checks: save_compact. You may read and run them; `check("save_compact")` does."""

import io
import tempfile
from pathlib import Path

import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, points


def file_of(notebook, kind: str, memory: Tensor) -> bytes:
    """Save views of ``memory``, and read the file."""
    memory = memory.clone()
    if kind == "whole":
        tensors = {"weight": memory, "bias": memory[0].clone(), "row": memory[1]}
    elif kind == "rows":
        tensors = {"first": memory[500], "second": memory[501]}
    else:
        tensors = {"embedding": memory, "output": memory}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tensors.pt"
        notebook.save_compact(tensors, str(path))
        return path.read_bytes() if path.is_file() else b""


def loaded(_, data: bytes) -> str | tuple[list[str], list[Tensor]]:
    """What is in a file: keys and tensors, or what went wrong."""
    try:
        found = torch.load(io.BytesIO(data), weights_only=True)
    except Exception as error:  # noqa: BLE001 - whatever it is, the student reads it
        return f"raises {type(error).__name__}"
    if not isinstance(found, dict):
        return f"gives a {type(found).__name__}"
    for key, value in found.items():
        if not isinstance(value, Tensor):
            return f"gives a dict with a {type(value).__name__} under the key {key}"
    return list(found), list(found.values())


def written(_, data: bytes, numbers: Tensor) -> list[Tensor]:
    """Load two tensors, write numbers into the first, and return both."""
    tensors = list(torch.load(io.BytesIO(data), weights_only=True).values())
    tensors[0].copy_(numbers)
    return tensors


def saved(student, kind, memory, keys):
    """The file, and the tensors in it. Fail unless it can be loaded and has these keys, in this order."""
    data = student.run(file_of, kind, memory)
    if not data:
        raise CheckFailed("no file was written at path")
    found = student.run(loaded, data)
    if isinstance(found, str):
        hint = "Save a plain dict of plain tensors: weights_only=True loads nothing else."
        raise CheckFailed(
            f"reading the file by torch.load(path, weights_only=True) {found}; expected a dict of tensors", hint=hint
        )
    if list(found[0]) != keys:
        raise CheckFailed(f"the keys in the file are {list(found[0])}; expected {keys}, in this order")
    return data, found[1]


@points(1.5)
def test_loaded(student):
    """torch.load gives the same keys in the same order, with the same numbers."""
    memory = torch.randint(-999, 999, (3, 4)).float()
    _, tensors = saved(student, "whole", memory, ["weight", "bias", "row"])
    for key, found, expected in zip(("weight", "bias", "row"), tensors, (memory, memory[0], memory[1]), strict=True):
        assert_close(found, expected, ulps=0, what=f"the loaded {key}")


@points(1, kind="memory")
def test_two_rows(student):
    """Two neighbouring rows of a [1000, 100] take up no more than themselves."""
    memory = torch.randint(-999, 999, (1000, 100)).float()
    data, tensors = saved(student, "rows", memory, ["first", "second"])
    for key, found, expected in zip(("first", "second"), tensors, (memory[500], memory[501]), strict=True):
        assert_close(found, expected, ulps=0, what=f"the loaded {key}", hint="From which element on does your code copy?")
    most = 2 * 100 * 4 + 4096 + 2 * 1024
    if len(data) > most:
        hint = "The two rows are views. Of which memory, and how much of it do they use? print(tensor.untyped_storage().nbytes())"
        raise CheckFailed(f"the file has {len(data):,} bytes; at most {most:,} are allowed", hint=hint)


@points(1.5)
def test_tied(student):
    """A tensor that is there under two names is one tensor again."""
    memory, numbers = torch.randint(-999, 999, (30, 30)).float(), torch.randint(-999, 999, (30, 30)).float()
    data, _ = saved(student, "tied", memory, ["embedding", "output"])
    _, other = student.run(written, data, numbers)
    hint = "Two clones of one tensor do not share memory. Where does your code copy, and how often?"
    what = "the loaded output (new numbers were written into the loaded embedding)"
    assert_close(other, numbers, ulps=0, what=what, hint=hint)
