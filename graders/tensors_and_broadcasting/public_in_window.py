"""Public checks: in_window. You may read and run them; `check("in_window")` does."""

import torch

from torchgrade import assert_close, assert_dtype, assert_tensor, points

F32, F64, I32, I64 = torch.float32, torch.float64, torch.int32, torch.int64


def answer(student, *args):
    """The student's answer as bool: its dtype is one check's matter, and not that of all."""
    result = assert_tensor(student.in_window(*args))
    return result if result.dtype is torch.bool else result != 0


def times(low, high):
    """Times before, between and after two numbers, in random order, and which of them lie between."""
    parts = (low - 1 - 4 * torch.rand(3), low + (high - low) * (0.1 + 0.8 * torch.rand(4)), high + 1 + 4 * torch.rand(3))
    order = torch.randperm(10)
    return torch.cat(parts)[order], torch.tensor([False] * 3 + [True] * 4 + [False] * 3)[order]


@points(1)
def test_day(student):
    """From 9 to 17 o'clock, each of many times gets its own answer."""
    hours, expected = torch.tensor([8, 9, 12, 20, 16]), torch.tensor([False, True, True, False, True])
    hint = "Which of the two comparisons is true for this element, and which must be?"
    assert_close(answer(student, hours, torch.tensor(9), torch.tensor(17)), expected, hint=hint)
    t, expected = times(9.0, 17.0)
    assert_close(answer(student, t, torch.tensor(9.0), torch.tensor(17.0)), expected, hint=hint)


@points(1)
def test_night(student):
    """From 22 to 6 o'clock: 22, 23, 0 and 5 are inside, 6, 12 and 21 are not."""
    hint = "This window is the night. Of the two comparisons, how many are true at 23, at 3 and at 12 o'clock?"
    hours, expected = torch.tensor([23, 0, 12, 21, 5]), torch.tensor([True, True, False, False, True])
    assert_close(answer(student, hours, torch.tensor(22), torch.tensor(6)), expected, hint=hint)
    t, between = times(6.0, 22.0)
    assert_close(answer(student, t, torch.tensor(22.0), torch.tensor(6.0)), ~between, hint=hint)
    hint = "22 is the first number inside, and 6 is the first one outside."
    ends, expected = torch.tensor([22, 6, 22, 6]), torch.tensor([True, False, True, False])
    assert_close(answer(student, ends, torch.tensor(22), torch.tensor(6)), expected, what="the result at both ends", hint=hint)


@points(0.5, kind="dtypes", needs=test_day)
def test_dtype(student):
    """The result is bool, for floating-point numbers and integers."""
    for dtype in (F32, F64, I32, I64):
        t, start, stop = (torch.tensor([number], dtype=dtype) for number in (12, 9, 17))
        hint = "Comparisons give bool; & and | of bool stay bool. Which operation makes another dtype of it?"
        assert_dtype(student.in_window(t, start, stop), torch.bool, hint=hint)
