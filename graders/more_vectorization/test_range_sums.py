"""Hidden checks: range_sums.

`test_values` and the public checks judge which rows are in a range, how they are put together, and which shapes and orders
work. The others take these as `form_of` finds them in the student's function, and send ranges that are not empty, in order and
apart from each other, where it does not matter. So each is billed once.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_gradients, assert_memory, points, race
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_range_sums as probes

F32, F64 = torch.float32, torch.float64
EXACT = {F32: 1e-4, F64: 1e-9}
"""How far a sum may be off: a right one of a few numbers of size 1 is a hundred times closer."""

FIRST = "The values first: a few ranges of ordinary numbers, not empty, in order, and apart from each other."


def sums(x, starts, stops):
    """What is right: slice after slice. Differentiable."""
    slices = [x[start:stop].sum(0) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
    return torch.stack(slices) if slices else x.new_zeros(0, *x.shape[1:])


def means(x, starts, stops):
    """Divided by the number of rows."""
    lengths = (stops - starts).clamp(min=1).view(-1, *[1] * (x.dim() - 1))
    return sums(x, starts, stops) / lengths


def with_stops(x, starts, stops):
    """The row at the end of the range is counted as well."""
    return sums(x, starts, stops + (stops > starts).long())


def without_starts(x, starts, stops):
    """The row at its beginning is left out."""
    return sums(x, torch.minimum(starts + 1, stops), stops)


def last_rows(x, starts, stops):
    """Its last row only, as in `out[owners] += rows`."""
    return sums(x, torch.maximum(stops - 1, starts), stops)


def form_of(student):
    """What the student's function does with ordinary ranges; the right thing, if it is none of these."""
    x, starts, stops = torch.randn(20, 3), torch.tensor([1, 6, 12]), torch.tensor([4, 10, 17])
    try:
        result = student.range_sums(x, starts, stops)
    except StudentFault:
        return sums
    if isinstance(result, torch.Tensor) and result.is_floating_point() and result.shape == (3, 3):
        for form in (sums, means, with_stops, without_starts, last_rows):
            if bool(((result.double() - form(x.double(), starts, stops)).abs() < 1e-3).all()):
                return form
    return sums


def ranges_of(n, count):
    """Ranges in order, none empty and none that touches another; neither row 0 nor the last one is in any."""
    cuts = torch.arange(2 * count) + torch.randperm(n - 2 * count - 2)[: 2 * count].sort().values + 1
    return cuts[0::2], cuts[1::2]


def ordinary(student, form):
    """Fail unless the values are right where nothing is difficult."""
    x, ranges = torch.randn(40, 3), ranges_of(40, 4)
    compare(student, form, x, *ranges, hint=FIRST)


def compare(student, form, x, starts, stops, precision=F32, what="the result", hint=FIRST):
    """Fail unless the result is right to the precision's digits; return it."""
    result = student.range_sums(x, starts, stops)
    scale = EXACT[precision] / (32 * torch.finfo(precision).eps)
    assert_close(result, form(x.double(), starts, stops), scale=scale, precision=precision, what=what, hint=hint)
    return result


@points(1.5)
def test_values(student):
    """Sums are right for rows of any shape, and for ranges that overlap, repeat, come in any order, or are all of x."""
    hint = {
        "values": "Is each row of a range added up, and once? Ranges may hold the same rows, and come in any order.",
        "shape": "A row may be a number, or have two dimensions. Which step supposes something else?",
        "dtype": "x is float32. Where does another dtype come from?",
    }
    for rest in ((3,), (), (2, 4), (3,)):
        for n, count in ((30, 8), (6, 15), (1, 1)):
            x, starts = torch.randn(n, *rest), torch.randint(n, (count,))
            stops = (starts + 1 + (torch.rand(count) * (n - starts)).long()).clamp(max=n)
            starts[-1], stops[-1] = 0, n
            with hint_where_raised("Rows may be single numbers, or have two dimensions. A range may end with the last row."):
                result = compare(student, sums, x, starts, stops, hint=hint)
            assert_dtype(result, F32, hint=hint["dtype"])


@points(1.5)
def test_empty(student):
    """An empty range gives zeros, wherever it is and whatever stands there; no ranges give none."""
    form = form_of(student)
    ordinary(student, form)
    x = 1 + torch.rand(12, 3)
    hint = {
        "values": "Where starts[q] == stops[q] there is no row, so the sum is 0.",
        "nan": "A sum of no numbers is 0. What is divided by 0?",
        "shape": "An empty range has a row in the result, too, also where it comes last. How many rows has the result?",
    }
    cases = {
        "ranges of which one in the middle is empty": ([0, 5, 8], [4, 5, 10]),
        "ranges of which the first and the last are empty": ([0, 2, 6, 11], [0, 4, 9, 11]),
        "an empty range behind the last row": ([3, 12], [7, 12]),
        "empty ranges alone": ([0, 4, 12], [0, 4, 12]),
        "no ranges": ([], []),
    }
    for name, given in cases.items():
        starts, stops = (torch.tensor(each, dtype=torch.int64) for each in given)
        with hint_where_raised("Ranges may be empty, and there may be none. Which step wants at least one row?"):
            compare(student, form, x, starts, stops, what=f"the result for {name}", hint=hint)


@points(1, kind="stability")
def test_large_rows(student):
    """Rows of 1e6 that are in no range cost no digits."""
    form = form_of(student)
    ordinary(student, form)
    hint = "How many digits behind the point does float32 keep for a number near 1e6? Which numbers does your code add up?"
    for sign in (1, -1):
        x, starts, stops = between(60, 5, sign * 1e6, F32)
        compare(student, form, x, starts, stops, what="the result beside rows of 1e6", hint=hint)


def between(n, count, size, dtype):
    """Rows of about 1, and ranges of them; those not in or next to a range are this large, the first and the last one too."""
    x = torch.randn(n, 2, dtype=dtype)
    starts, stops = ranges_of(n - 8, count)
    starts, stops = starts + 4, stops + 4
    inside = torch.zeros(n, dtype=torch.bool)
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        inside[max(start - 1, 0) : stop + 1] = True  # one row more on each side, for those who take it
    x[~inside] = size * (1 + torch.rand(int((~inside).sum()), 2, dtype=dtype))
    return x, starts, stops


@points(1, kind="stability")
def test_float64(student):
    """float64 stays float64, and is as exact: rows of 1e17 that are in no range cost no digits."""
    form = form_of(student)
    ordinary(student, form)
    hint = "float64 has 16 digits. Is there a way in which a range meets its own rows only?"
    with hint_where_raised("x is float64 here. Which dtype has the tensor that you add to?"):
        x, starts, stops = between(60, 5, 1.0, F64)
        result = compare(student, form, x, starts, stops, F64, "the result for float64", "On which line do digits get lost?")
        assert_dtype(result, F64, hint="Which dtype does torch.zeros choose, if nobody tells it?")
        x, starts, stops = between(60, 5, 1e17, F64)
        compare(student, form, x, starts, stops, F64, "the result beside rows of 1e17", hint)


@points(1, kind="stability")
def test_nan(student):
    """A nan or inf shows in the ranges that hold it, and in no other."""
    form = form_of(student)
    ordinary(student, form)
    hint = {
        "nan": "Which numbers meet in one operation, though their ranges have nothing in common? 0 * inf and inf - inf are nan.",
        "values": "A range that holds nan or inf has a sum: what Python says to 1 + nan and 1 + inf.",
    }
    for number in (torch.nan, torch.inf, -torch.inf):
        x, (starts, stops) = torch.randn(50, 2), ranges_of(50, 5)
        x[stops[1] - 1, 0] = number  # the last row of a range: whoever takes but one takes this one
        x[starts[3] - 2 :: 50] = number
        x[stops[3] - 1, 1] = number
        x[0] = number
        compare(student, form, x, starts, stops, what=f"the result where some numbers are {number}", hint=hint)


@points(1, kind="gradients")
def test_gradients(student):
    """The gradient of a row is the sum over all ranges that hold it, for rows of any shape."""
    form = form_of(student)
    ordinary(student, form)
    hint = {
        "values": "A row that is in three ranges gets three gradients, added up.",
        "detached": "NumPy, .data and .item() are not seen by autograd. What takes their place?",
    }
    # `out[owners] += rows` loses rows on the way there, and none on the way back.
    reference = sums if form is last_rows else form
    x, ranges = torch.randn(30, 3), ranges_of(30, 4)
    other = torch.randn(12, 3)
    inputs = [(x.requires_grad_(), *ranges), (other.requires_grad_(), torch.tensor([1, 3, 2, 3]), torch.tensor([5, 6, 10, 5]))]
    with hint_where_raised("x needs a gradient here. Which line does not allow that?"):
        assert_gradients(student.range_sums, reference=reference, inputs=inputs, scale=20.0, precision=F32, hint=hint)


@points(1, kind="operations")
def test_operations(student):
    """At most 500 tensor operations for 1000 ranges, of which one has 1500 rows."""
    rests_on_word()
    ordinary(student, form_of(student))
    x, starts = torch.randn(2000, 2), torch.randint(1990, (1000,))
    stops = starts + torch.randint(1, 9, (1000,))
    starts[7], stops[7] = 300, 1800
    count = int(student.range_sums.count_operations(x, starts, stops))
    if count > 500:  # right answers: 14 to 223, for more ranges as well; loops 1000 to 9000
        hint = "Does your code take one step for each range, or for each row? What could one operation do for all of them?"
        raise CheckFailed(f"{count} tensor operations for 1000 ranges; at most 500 are allowed", hint=hint)


@points(1, kind="memory")
def test_memory(student):
    """20000 rows and 4000 ranges, of which one holds 3000 rows, take no more than 24 MB."""
    form = form_of(student)
    ordinary(student, form)
    x = torch.randn(20000, 2)
    starts = 2 * torch.arange(4000)
    stops = starts + torch.randint(1, 3, (4000,))
    starts[-1], stops[-1] = 8000, 11000
    result = assert_memory(
        student.range_sums,
        x,
        starts,
        stops,
        at_most=24 * 2**20,  # right answers take 1 to 1.6 MB; a mask of bools 240, ranges padded to the longest one 300
        warm_up=(x[:20], torch.tensor([1, 6]), torch.tensor([4, 9])),
        hint="20000 rows times 4000 ranges are 80 million places. How many belong to a range? One range is long: what else is?",
    )
    # One after the other, 3000 rows may be added up with larger errors than in pairs: 1e-4 or so.
    assert_close(result, form(x.double(), starts, stops), scale=2000.0, hint=FIRST)


@points(1.5, kind="speed")
def test_speed(student):
    """For 4000 ranges of 4 rows each, it is at least 5 times as fast as a loop over slices."""
    form = form_of(student)
    ordinary(student, form)

    def right(result, seed, some):
        draws = [probes.drawn(seed + i) for i in range(probes.TIMES)]
        given = [(x.double(), starts[some], stops[some]) for x, starts, stops in draws]
        if not bool(((result.double() - torch.stack([form(*each) for each in given])).abs() < 1e-3).all()):
            # The baseline's, or wrong.
            hint = "Many of these ranges hold the same rows. Do all of them get their sums?"
            assert_close(result, torch.stack([sums(*each) for each in given]), scale=100.0, hint=hint)

    race(
        student.probe(probes.some_from_seed),
        make_inputs=lambda: (int(torch.randint(2**31, ())), torch.randint(probes.RANGES, (8,))),
        verify=right,
        baseline="chaffs/loop.py",
        at_least=5.0,  # right answers are 12 to 21 times as fast; split 1.3, unbind 0.3, slices in NumPy 2.0 times
        hint="What is paid for each call of torch, however few numbers it adds up? How many calls are there?",
    )
