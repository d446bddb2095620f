"""Hidden checks: add_into.

Each looks at a *page*, of which ``out`` is a part: what was written, and what was left alone. The judge draws the page and the
numbers, so what comes back is data.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_raises, points
from torchgrade.checks.faults import Raised

from . import probes_add_into as probes

F16, F32, F64 = torch.float16, torch.float32, torch.float64
I32, I64 = torch.int32, torch.int64


def flat(*size, offset=2):
    """The place of a contiguous tensor on a page."""
    return list(size), list(torch.empty(size, device="meta").stride()), offset


def check(student, place, a, b, *, page=None, what="", hint="", ulps=32.0):
    """Fail unless ``a + b`` lands in ``place`` of a page, and everything else on the page stays."""
    page = torch.randn(60) if page is None else page
    expected = page.clone()
    expected.as_strided(*place).copy_(a + b)
    size, stride, _ = place
    what = what or f"the memory of out ({list(a.shape)} + {list(b.shape)} into {size}, strides {stride}) and around it"
    scale = 1 + expected.abs().max().double() if expected.is_floating_point() else 1.0
    assert_close(student.run(probes.written, page, place, a, b), expected, scale=scale, what=what, hint=hint, ulps=ulps)


def works(student):
    """Fail unless a plain call writes: what always raises would pass checks of errors, and other hints would mislead."""
    page, a, b = torch.randn(20), torch.randn(3, 4), torch.randn(3, 4)
    after = student.run(probes.written, page, flat(3, 4), a, b)
    if torch.equal(after, page):
        hint = "In whose memory does the sum lie? out = ... only gives the name to another tensor, and writes nothing."
        raise CheckFailed("the memory of out is as it was before a plain call", hint=hint, slip="inputs")
    check(student, flat(3, 4), a, b, page=page, what="the memory of out and around it in a plain call")


@points(1, kind="shapes")
def test_empty_and_single(student):
    """Sizes of 0 and tensors without dimensions work; 0 against 1 gives 0."""
    for size, a, b in (((3, 4), (3, 1), (4,)), ((0,), (0,), (1,)), ((2, 0, 3), (2, 1, 3), (0, 1)), ((), (), ())):
        check(student, flat(*size), torch.randn(a), torch.randn(b))


@points(1, kind="shapes")
def test_larger_out(student):
    """Where out is larger than a + b, the sum is repeated."""
    works(student)
    hint = "Print the shape of a + b, and that of out before and after your line. Did out keep its shape?"
    for size, a, b in (((2, 3, 4), (3, 1), (1,)), ((5, 3), (3,), ()), ((4, 3), (4, 1), (1, 1))):
        check(student, flat(*size), torch.randn(a), torch.randn(b), hint=hint)


@points(1.5, kind="inputs")
def test_strided_out(student):
    """A transposed or sliced out is written in place, and its neighbours stay."""
    works(student)
    hint = "Which elements lie where, by the strides of out? And where does your code write: reshape and contiguous may copy."
    for place in (([3, 4], [1, 3], 5), ([3, 4], [10, 2], 1), ([4, 3], [1, 9], 7), ([3, 4], [16, 4], 3)):
        check(student, place, torch.randn(place[0][0], 1), torch.randn(place[0][1]), hint=hint)


@points(1.5, kind="errors")
def test_as_before(student):
    """An expanded out is an error, and after any error out is as it was."""
    works(student)
    because = "out is expanded: some of its elements are the same memory"
    hint = {"raised": "out[0] and out[1] may be the same row. What could stand in it, in the end?"}
    for place in (([3, 4], [0, 1], 2), ([4, 3], [1, 0], 2)):
        draw = torch.randn(20), place, torch.randn(place[0]), torch.randn(place[0])
        assert_raises(student.probe(probes.attempt), *draw, because=because, hint=hint)
    for size, a, b in (((3, 4), (3, 4), (5,)), ((4, 1), (4, 1), (4,)), ((3, 4), (4,), (3, 1, 4))):
        page = torch.randn(20)
        try:
            student.run(probes.attempt, page, flat(*size), torch.randn(a), torch.randn(b))
        except Raised:  # whether it comes is graded elsewhere
            hint = "What is already in out when the error comes? First find out whether the sum fits, then write."
            what = f"the memory of out and around it (after the error of {list(a)} + {list(b)} into {list(size)})"
            assert_close(student.run(probes.left), page, ulps=0, what=what, hint=hint)


@points(1, kind="inputs")
def test_overlap(student):
    """The sum is that of the old numbers, also where out is a or b, or overlaps them."""
    works(student)
    hint = "What stands in a and b when your code reads them: is any of it new already? Try a call in which b is out."
    row = [5], [1]
    square = [4, 4], [4, 1], 1
    for places, which in (
        ([flat(3, 4), flat(3, 4, offset=20)], [0, 0, 1]),
        ([flat(3, 4), flat(3, 4, offset=20)], [0, 1, 0]),
        ([flat(3, 4)], [0, 0, 0]),
        ([(*row, 3), (*row, 2), (*row, 20)], [0, 1, 2]),
        ([(*row, 3), (*row, 20), (*row, 4)], [0, 1, 2]),
        ([(*row, 3), (*row, 2), (*row, 4)], [0, 1, 2]),
        ([square, ([4, 4], [1, 4], 1), flat(4, offset=1)], [0, 1, 2]),
        ([square, flat(4, offset=1), flat(4, 1, offset=9)], [0, 1, 2]),
    ):
        page = torch.randn(40)
        _, a, b = (page.clone().as_strided(*places[index]) for index in which)
        expected = page.clone()
        expected.as_strided(*places[which[0]]).copy_(a + b)
        names = " and ".join(name for name, index in zip("ab", which[1:], strict=True) if index == which[0])
        how = f"out is {names}" if names else "out overlaps a or b"
        what = f"the memory of out and around it ({how})"
        result = student.run(probes.overlapping, page, places, which)
        assert_close(result, expected, scale=1 + page.abs().max(), what=what, hint=hint)


@points(1, kind="errors")
def test_refused_dtypes(student):
    """A sum of floats into integers is an error, and whatever else torch.can_cast refuses."""
    works(student)
    hint = {"raised": "0.5 into int64 is 0. Does the method that writes say so, or does it round in silence?"}
    for total, into in ((F32, I64), (F64, I32), (torch.complex64, F32), (I64, torch.bool)):
        page, a, b = torch.ones(20).to(into), torch.ones(3, 4, dtype=total), torch.ones(3, 4, dtype=total)
        because = f"a + b is {name(total)}, out is {name(into)}, and torch.can_cast refuses this"
        assert_raises(student.probe(probes.attempt), page, flat(3, 4), a, b, because=because, hint=hint)


@points(1, kind="dtypes")
def test_rounded_once(student):
    """The sum is computed in torch.result_type(a, b), and converted when it is written."""
    works(student)
    hint = "60000 - 59000 is 1000. What is 59000 in float16, and in which dtype does your code add?"
    # Multiples of 32 are what float16 has above 32768; the sums are small whole numbers, which it has.
    a = 32.0 * torch.randint(1800, 1840, (3, 4)) + torch.randint(9, 16, (3, 4))
    b = -32.0 * torch.randint(1790, 1800, (3, 4))
    narrow = torch.zeros(20, dtype=F16)
    check(student, flat(3, 4), a, b, page=narrow, what="the float16 memory of out (float32 + float32)", hint=hint, ulps=0)
    check(
        student,
        flat(3, 4),
        a.to(I64),
        b.to(I32),
        page=narrow,
        what="the float16 memory of out (int64 + int32)",
        hint=hint,
        ulps=0,
    )
    hint = "In which dtype does your code add? Not in that of out, nor in float64: torch.result_type(a, b) says it."
    wide = torch.zeros(20, dtype=F64)
    a, b = torch.randint(1, 9, (3, 4)).float(), 2.0**-30 * torch.randint(1, 9, (3, 4))
    check(student, flat(3, 4), a, b, page=wide, what="the float64 memory of out (float32 + float32)", hint=hint, ulps=0)
    whole = torch.zeros(20, dtype=I64)
    a, b = 2**60 + 2 * torch.randint(99, (3, 4)), torch.ones(3, 4, dtype=I32)
    check(student, flat(3, 4), a, b, page=whole, what="the int64 memory of out (int64 + int32)", hint=hint, ulps=0)


def name(dtype):
    """A dtype as messages name it."""
    return str(dtype).removeprefix("torch.")
