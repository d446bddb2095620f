"""Public checks: share. You may read and run them; `check("share")` does."""

import contextlib

import numpy as np
import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, points


def tensor_of(notebook, array: np.ndarray) -> Tensor:
    """What share makes of an array, if that is a tensor."""
    tensor = notebook.share(array)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"share returned a value of type {type(tensor).__name__}; expected a Tensor")
    return tensor


def shared(notebook, numbers: Tensor) -> Tensor:
    """An array of these numbers, as a tensor."""
    return tensor_of(notebook, numbers.numpy().copy())


@points(1)
def test_by_hand(student):
    """A table of two rows and three columns becomes a tensor of the same numbers and the same shape."""
    numbers = torch.tensor([[0.5, 1.0, 1.5], [-2.0, 4.0, 8.0]], dtype=torch.float64)
    hint = {"shape": "The shape of the tensor is that of the array."}
    assert_close(student.run(shared, numbers), numbers, hint=hint)


def written(notebook, numbers: Tensor, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Write into the tensor and read the array, then write into the array and read the tensor."""
    array = numbers.numpy().copy()
    tensor = tensor_of(notebook, array)
    tensor.copy_(first)
    seen = torch.from_numpy(array.copy())
    array[...] = second.numpy()
    return seen, tensor


@points(1, kind="inputs")
def test_shared(student):
    """What is written into the tensor shows in the array, and the other way round."""
    numbers, first, second = torch.randn(3, 4, 3)
    hint = "Tensor and array have memory of their own. Some functions that take an array always copy it."
    in_array, in_tensor = student.run(written, numbers, first, second)
    assert_close(in_array, first, ulps=0, what="the array after a write into the tensor", hint=hint)
    assert_close(in_tensor, second, ulps=0, what="the tensor after a write into the array", hint=hint)


def of_read_only(notebook, numbers: Tensor, others: Tensor, kind: str) -> tuple[Tensor, Tensor, Tensor]:
    """The tensor of a read-only array; then the array's memory, after a try to write into the array; then after the tensor."""
    if kind == "an array whose flag says so":
        memory = numbers.numpy().copy()
        array = memory.view()
        array.flags.writeable = False
    elif kind == "a row that broadcast_to repeats":
        memory = numbers[:1].numpy().copy()
        array = np.broadcast_to(memory, numbers.shape)
    else:  # an array in the memory of a bytes object
        array = memory = np.frombuffer(numbers.numpy().tobytes(), dtype=np.float32).reshape(numbers.shape)
    tensor = tensor_of(notebook, array)
    seen = tensor.clone()
    with contextlib.suppress(ValueError):  # an array that is still read-only says so
        array[0] = others[0].numpy()
    opened = torch.from_numpy(memory.copy())
    tensor[0] = others[0]
    return seen, opened, torch.from_numpy(memory.copy())


@points(1, kind="inputs")
def test_read_only(student):
    """A read-only array gives a tensor of its own: the array's memory stays as it is, and the array stays read-only."""
    for kind in ("an array whose flag says so", "a row that broadcast_to repeats", "an array in the memory of a bytes object"):
        numbers, others = torch.randn(4, 3), torch.randn(4, 3)
        if kind == "a row that broadcast_to repeats":
            numbers = numbers[:1].repeat(4, 1)
        seen, opened, after = student.run(of_read_only, numbers, others, kind)
        assert_close(seen, numbers, what=f"the tensor of {kind}")
        before = numbers[: len(after)]
        if not torch.equal(opened, before):
            raise CheckFailed(f"{kind} was read-only before the call, and could be written into after it", slip="inputs")
        hint = "It was read-only, and the tensor wrote into it. torch warns about that; it raises no error."
        assert_close(after, before, ulps=0, what=f"the memory of {kind}, after a write into the tensor", hint=hint)
