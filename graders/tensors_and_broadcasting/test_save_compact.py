"""Hidden checks: save_compact.

The judge draws the numbers, measures the bytes of the file, and compares what is loaded from them. Apart from the check of
dtypes, all numbers are small whole ones in float32, and sizes are graded apart from numbers, so that one mistake is billed once.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_shape, points

from . import probes_save_compact as probes

PLACE = "Where in its memory does this tensor begin, and with which strides does it go on? And where in yours?"


def draw(*shape):
    """Small whole numbers in float32."""
    return torch.randint(-999, 999, shape).float()


def view(key, tensor, memory=0):
    """How a tensor lies in one of the memories."""
    return key, memory, list(tensor.shape), list(tensor.stride()), tensor.storage_offset()


def tensors_of(memories, views):
    """The tensors that views stand for."""
    return [memories[index].as_strided(size, stride, offset) for _, index, size, stride, offset in views]


def saved(student, memories, views):
    """The file, and the tensors in it. Fail unless it can be loaded, and keys and shapes are right."""
    data = student.run(probes.file_of, memories, views)
    if not data:
        raise CheckFailed("no file was written at path")
    found, keys = student.run(probes.loaded, data), [key for key, *_ in views]
    if isinstance(found, str):
        hint = "Save a plain dict of plain tensors: weights_only=True loads nothing else."
        raise CheckFailed(
            f"reading the file by torch.load(path, weights_only=True) {found}; expected a dict of tensors", hint=hint
        )
    if list(found[0]) != keys:
        raise CheckFailed(f"the keys in the file are {list(found[0])}; expected {keys}, in this order")
    for (key, _, size, _, _), tensor in zip(views, found[1], strict=True):
        assert_shape(tensor, tuple(size), what=f"the loaded {key}", hint={"shape": "Is each tensor saved with its own shape?"})
    return data, found[1]


def assert_size(data, views, spans, hint):
    """Fail unless a file of float32 tensors is as small as was asked: ``spans`` elements, 4 kB, and 1 kB for each tensor."""
    most = 4 * spans + 4096 + 1024 * len(views)
    if len(data) > most:
        raise CheckFailed(f"the file has {len(data):,} bytes; at most {most:,} are allowed", hint=hint)


@points(1.5, kind="dtypes")
def test_dtypes(student):
    """Every dtype comes back with its numbers, bfloat16, complex numbers and bool among them."""
    whole = torch.randint(2**60, (3, 4))
    memories = [
        torch.randn(3, 4) / 3,
        torch.randn(5, dtype=torch.float64) / 3,
        torch.randn(7).bfloat16(),
        torch.randn(4).half(),
        torch.randn(2, 2, dtype=torch.complex64),
        whole,
        whole.to(torch.uint8).view(-1),
        torch.tensor([True, False, True]),
        torch.empty(0, 3, dtype=torch.int16),
    ]
    views = [view(f"tensor {index}", memory, index) for index, memory in enumerate(memories)]
    _, tensors = saved(student, memories, views)
    for (key, *_), tensor, memory in zip(views, tensors, memories, strict=True):
        hint = "Nothing is computed here: on which line is another dtype made?"
        assert_dtype(tensor, memory.dtype, what=f"the loaded {key}", hint=hint)
        assert_close(tensor, memory, ulps=0, what=f"the loaded {key}")


@points(1.5, kind="shapes")
def test_layouts(student):
    """Slices, transposes, empty tensors and single numbers come back with their shapes and numbers."""
    large, small = draw(200, 100), draw(6, 7)
    for tensors in (
        [large[150:152], small.T],
        [large[7, 20:60:3], small[:, 3]],
        [large.T[10:13], small[4, 5]],
        [large[150:, :0], small.T[1:, 2:]],
        [large[120, 30], small[2:2, :3], draw(4, 3, 2).permute(2, 0, 1)[1:]],
    ):
        views = [view(f"tensor {index}", tensor, index) for index, tensor in enumerate(tensors)]
        memories = [tensor.as_strided([tensor.untyped_storage().nbytes() // 4], [1], 0) for tensor in tensors]
        _, found = saved(student, memories, views)
        for (key, *_), result, tensor in zip(views, found, tensors, strict=True):
            assert_close(result, tensor, ulps=0, what=f"the loaded {key}", hint=PLACE)


@points(1.5, kind="memory")
def test_size(student):
    """The file has room for the span that the tensors of a memory use, and for nothing around it."""
    memory, other = draw(1000, 100), draw(400, 100)
    hint = "From which element of its memory to which does each tensor reach? What of the memory is in your file as well?"
    for views, spans in (
        ([view("a", memory[:2])], 200),
        ([view("a", memory[3:6]), view("b", memory[6]), view("c", other[100:103], 1)], 400 + 300),
        ([view("a", memory[5, 5]), view("b", other[399], 1)], 1 + 100),
        ([view("a", memory[20:23, 40:50]), view("b", other[-1, 90:], 1)], 210 + 10),
        ([view("a", memory[900:, :0]), view("b", memory[3])], 100),
    ):
        data, tensors = saved(student, [memory, other], views)
        if spans == 200:
            assert_close(tensors[0], memory[:2], ulps=0, what="the loaded a")
        assert_size(data, views, spans, hint)


@points(0.5, kind="memory")
def test_expanded(student):
    """An expanded tensor takes up no more than what it repeats."""
    row, column = draw(3), draw(50, 1)
    views = [view("a", row.expand(40_000, 3)), view("b", column.expand(50, 2_000), 1)]
    data, tensors = saved(student, [row, column], views)
    for (key, *_), result, tensor in zip(views, tensors, (row.expand(40_000, 3), column.expand(50, 2_000)), strict=True):
        assert_close(result, tensor, ulps=0, what=f"the loaded {key}")
    hint = "clone and contiguous write a repeated row out, as often as it is repeated. What do strides of 0 say?"
    assert_size(data, views, 3 + 50, hint)


@points(1)
def test_shared(student):
    """Tensors that overlapped overlap again: what is written into one stands in the others."""
    memory = draw(60)
    square = memory[4:40].view(6, 6)
    hint = "Which tensors use the same memory? An address alone does not say: a tensor may begin in the middle of another."
    for tensors in (
        [square, square[0], square[2]],
        [memory[10:30], memory[20:50]],
        [memory[30:40], memory[8:24], memory[20:32]],
        [square, square.T],
        [square[3], square.T, memory[5:50]],
    ):
        views = [view(f"tensor {index}", tensor) for index, tensor in enumerate(tensors)]
        data, before = saved(student, [memory], views)
        for (key, *_), result, expected in zip(views, before, tensors, strict=True):
            assert_close(result, expected, ulps=0, what=f"the loaded {key}", hint=PLACE)
        for chosen in range(len(views)):
            numbers = draw(*tensors[chosen].shape)
            changed = memory.clone()
            tensors_of([changed], views)[chosen].copy_(numbers)
            found = student.run(probes.written, data, views[chosen][0], numbers)
            for (key, *_), result, expected in zip(views, found, tensors_of([changed], views), strict=True):
                what = f"the loaded {key} (new numbers were written into the loaded {views[chosen][0]})"
                assert_close(result, expected, ulps=0, what=what, hint=hint)


@points(1)
def test_apart(student):
    """Tensors that did not share memory do not, even where their numbers are equal."""
    memory, numbers = draw(4, 5), draw(4, 5)
    memories = [memory, memory.clone(), memory.clone()]
    views = [view(f"tensor {index}", tensor, index) for index, tensor in enumerate(memories)]
    data, _ = saved(student, memories, views)
    found = student.run(probes.written, data, "tensor 1", numbers)
    for (key, *_), result, expected in zip(views, found, (memory, numbers, memory), strict=True):
        what = f"the loaded {key} (new numbers were written into the loaded tensor 1)"
        hint = "Equal numbers are not the same memory. How does your code tell whether two tensors share theirs?"
        assert_close(result, expected, ulps=0, what=what, hint=hint)


@points(1, kind="inputs")
def test_given_tensors(student):
    """The tensors that were given keep their numbers and their memory; path may be a pathlib.Path."""
    memory, numbers = draw(20, 5), draw(20, 5)
    views = [view("transposed", memory.T), view("rows", memory[3:5]), view("column", memory[:, 2])]
    data, after, later = student.run(probes.used, [memory], views, numbers)
    if not data:
        raise CheckFailed("no file was written at path, which is a pathlib.Path here")
    for (key, *_), found, tensor in zip(views, after, tensors_of([memory], views), strict=True):
        assert_close(found, tensor, ulps=0, what=f"the given {key} after the call")
    for (key, *_), found, tensor in zip(views, later, tensors_of([numbers], views), strict=True):
        hint = "Which tensor gets another storage? set_ and .data change the tensor that was given."
        what = f"the given {key} (after the call, new numbers were written into the memory that it is a view of)"
        assert_close(found, tensor, ulps=0, what=what, hint=hint)
