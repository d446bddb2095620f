"""Hidden checks: in_window.

Most checks send many times and one window, which does not wrap; what is special has a check of its own. An answer of another
dtype than bool is taken as it is meant, for a public check looks at dtypes.
"""

import torch

from torchgrade import assert_close, assert_tensor, points

F32, F64, I32, I64 = torch.float32, torch.float64, torch.int32, torch.int64


def answer(student, *args):
    """The student's answer as bool."""
    result = assert_tensor(student.in_window(*args))
    return result if result.dtype is torch.bool else result != 0


def inside(t, start, stop):
    """What is right without nan."""
    return torch.where(start > stop, (t >= start) | (t < stop), (t >= start) & (t < stop))


def day(dtype=F32):
    """A window as two tensors of no dimension, and 12 times, six of them inside, the first one always and the last one never.

    None is at an end of the window, and the others come in random order.
    """
    start = 10 * int(torch.randint(1, 5, ()))
    others = torch.tensor([-7, -5, -3, 13, 15, 1, 2, 4, 5, 7])[torch.randperm(10)]
    t = start + torch.cat([torch.tensor([8]), others, torch.tensor([17])])
    return t.to(dtype), torch.tensor(start, dtype=dtype), torch.tensor(start + 10, dtype=dtype)


@points(1.5)
def test_many_windows(student):
    """Each element has its own window, and only those with start > stop wrap."""
    hint = "Some of these windows wrap and others do not. Does each element get an answer of its own to that question?"
    low = torch.randint(0, 10, (12,)) + torch.rand(12)
    high = low + 8
    wraps = torch.arange(12) % 2 == 0
    place = torch.tensor([-2.0, -2.0, 2.0, 2.0, 6.0, 6.0, 10.0, 10.0, -1.0, -1.0, 9.0, 9.0])
    order = torch.randperm(12)
    t, start, stop = ((low + place)[order], torch.where(wraps, high, low)[order], torch.where(wraps, low, high)[order])
    assert_close(answer(student, t, start, stop), inside(t, start, stop), what="the result for twelve windows", hint=hint)
    start, stop = torch.tensor([[9.0], [22.0], [5.0], [17.0]]), torch.tensor([[17.0], [6.0], [8.0], [9.0]])
    t = torch.arange(0, 24, 2) + 0.1 + 0.8 * torch.rand(12)
    what = "the result for 12 times and four windows of shape [4, 1]"
    assert_close(answer(student, t, start, stop), inside(t, start, stop), what=what, hint=hint)
    hint = "These numbers need not be hours, and 33 is not 9: is anything reduced to a day of 24?"
    t = torch.tensor([-31.0, -7.0, 17.0, 33.0, 41.0, 65.0]) - torch.rand(6)
    what = "the result for numbers outside of a day"
    assert_close(answer(student, t, start, stop), inside(t, start, stop), what=what, hint=hint)


@points(1)
def test_ends(student):
    """A window has its start inside and its stop outside, and nothing where they are equal."""
    for dtype in (I64, F64, I32, F32):
        start = int(torch.randint(-20, 20, ()))
        t = start + torch.tensor([-1, 0, 1, 8, 9, 10])
        t, low, high = t.to(dtype), torch.tensor(start, dtype=dtype), torch.tensor(start + 9, dtype=dtype)
        hint = "start itself is inside, and stop is not."
        assert_close(answer(student, t, low, high), inside(t, low, high), what="the result at both ends", hint=hint)
        hint = "A window from 8 to 8 does not wrap. Which of the two cases does it belong to?"
        assert_close(
            answer(student, t, low, low), torch.zeros(6, dtype=torch.bool), what="the result where start == stop", hint=hint
        )


@points(1)
def test_closed(student):
    """Nothing is inside where closed is true, be it bool, uint8 or int64 with 0 and 1."""
    for dtype in (torch.bool, torch.uint8, I64):
        t, start, stop = day()
        closed = torch.arange(12)[torch.randperm(12)] % 2
        closed[t == start + 5], closed[t == start + 7], closed[0] = 0, 1, 0
        expected = inside(t, start, stop) & (closed == 0)
        hint = "~1 is 254 for a uint8 and -2 for an int64, and both are true. Does ~ meet such a number?"
        if dtype is torch.bool:
            hint = "Where closed is true the answer is False, and elsewhere it is what it would be without closed."
        what = f"the result for closed of dtype {str(dtype).removeprefix('torch.')}"
        assert_close(answer(student, t, start, stop, closed.to(dtype)), expected, what=what, hint=hint)


@points(0.5)
def test_closed_numbers(student):
    """Any number but 0 is true: 2, 254, -7 and 2 ** 32, say."""
    for dtype, numbers in ((torch.uint8, (2, 7, 100, 254)), (I64, (-2, 2, 2**32, -7))):
        t, start, stop = day()
        closed = torch.zeros(12, dtype=dtype)
        for number, offset in zip(numbers, (1, 2, 4, 5), strict=True):
            closed[t == start + offset] = number
        expected = inside(t, start, stop) & (closed == 0)
        hint = "Which numbers of closed does the answer tell apart? Only 0 is different from all others."
        what = f"the result for closed with {', '.join(map(str, numbers))} in it"
        assert_close(answer(student, t, start, stop, closed), expected, what=what, hint=hint)


@points(0.5, kind="stability")
def test_nan_times(student):
    """A time that is nan is in no window, whether it wraps or not."""
    hint = "Every comparison with nan is False, so its opposite is True: t >= stop is not the same as not (t < stop)."
    for dtype in (F32, F64):
        t, start, stop = day(dtype)
        expected = inside(t, start, stop)
        t[[2, 3, 7]], expected[[2, 3, 7]] = torch.nan, False
        assert_close(answer(student, t, start, stop), expected, what="the result for times with a nan", hint=hint)
        t = torch.full((3,), torch.nan, dtype=dtype)
        what = "the result for times of nan in a window that wraps"
        assert_close(answer(student, t, stop, start), torch.zeros(3, dtype=torch.bool), what=what, hint=hint)


@points(0.5, kind="stability")
def test_nan_windows(student):
    """A window whose start or stop is nan has nothing inside."""
    t, start, stop = day()
    assert_close(answer(student, t, start, stop), inside(t, start, stop), what="the result for an ordinary window")
    nan, nothing = torch.tensor(torch.nan), torch.zeros(12, dtype=torch.bool)
    hint = "Every comparison with nan is False, start <= stop and start > stop among them. What becomes of such a window?"
    for low, high, which in ((start, nan, "stop is"), (nan, stop, "start is"), (nan, nan, "both ends are")):
        assert_close(answer(student, t, low, high), nothing, what=f"the result where {which} nan", hint=hint)


@points(0.5, kind="shapes")
def test_single(student):
    """A single element, or a tensor of no dimension, is like any other, and closed may make the result larger."""
    hint = {"shape": "The shape is the one to which all tensors broadcast: [1] stays [1], and [] stays []."}
    for shape in ((1,), (), (1, 1)):
        for number in (12.0, 20.0):
            t, start, stop = (torch.full(shape, each) for each in (number, 9.0, 17.0))
            what = f"the result for shape {list(shape)}"
            assert_close(answer(student, t, start, stop), torch.full(shape, number < 17), what=what, hint=hint)
    t, start, stop = torch.tensor(12.0), torch.tensor(9.0), torch.tensor(17.0)
    closed = torch.tensor([True, False, False, False])
    what = "the result for one time and closed of shape [4]"
    assert_close(answer(student, t, start, stop, closed), ~closed, what=what, hint=hint)
    closed = torch.zeros(4, dtype=torch.bool)
    assert_close(answer(student, t, start, stop, closed), ~closed, what=f"{what}, all False,", hint=hint)
