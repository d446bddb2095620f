"""Hidden checks: ragged_attention.

`test_values` and the public checks judge the formula. The others go by the student's own, as `form_of` finds it: other factors in
place of 1 / sqrt(D), one key too many or too few, a softmax over the queries, and one that sees padding, are billed once.
Gradients are those of copies, so that writing into the inputs is billed once, too. Numbers are compared to float32's precision
everywhere but in `test_values`.
"""

from typing import NamedTuple

import torch

from torchgrade import (
    CheckFailed,
    assert_close,
    assert_constant_operations,
    assert_dtype,
    assert_gradients,
    assert_inputs_untouched,
    assert_tensor,
    points,
    race,
)
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.raised import hint_where_raised

from . import probes_ragged_attention as probes

F32, F64 = torch.float32, torch.float64
BEYOND = (torch.nan, torch.inf, -torch.inf, 1e30)
FIRST = "The formula first: one example alone, all of its keys, no padding."
FORMULA = {"values": FIRST, "nan": FIRST}


class Form(NamedTuple):
    """A way to understand the formula; the default is the right one."""

    power: float = -0.5  # the scores are divided by sqrt(D)
    by: int = 0  # D is the last size of the queries, and not of the values
    more: int = 0  # keys beyond the length that count all the same
    over: int = -1  # the softmax is over keys
    padding: str = "none"  # what the softmax sees of it: "zeros" in place of its scores, or the "scores"
    reach: str = "own"  # of how many keys each example is made: its own length, the "longest", or "all"

    def counts(self, lengths, keys):
        """How many keys count in each example."""
        if self.reach != "own":
            return [keys if self.reach == "all" else int(lengths.max())] * len(lengths)
        return (lengths + self.more).clamp(0, keys).tolist()

    def __call__(self, queries, keys, values, lengths):
        """What is right: example after example, with nothing beyond its length. Differentiable."""
        size = float((values if self.by else queries).shape[-1])
        rows = []
        for q, k, v, count in zip(queries, keys, values, self.counts(lengths, keys.shape[1]), strict=True):
            if not count:
                rows.append(q.new_zeros(len(q), v.shape[1]))
                continue
            scores = q @ (k if self.padding == "scores" else k[:count]).T * size**self.power
            if self.padding == "zeros":
                scores = torch.cat([scores, scores.new_zeros(len(q), len(k) - count)], dim=1)
            rows.append(scores.softmax(self.over)[:, :count] @ v[:count])
        return torch.stack(rows)


RIGHT = Form()
FORMS = (
    RIGHT,
    *(Form(power=power) for power in (0.0, -1.0, 0.5, -0.25)),
    Form(by=1),
    *(Form(more=more) for more in (1, -1)),
    Form(over=0),
    *(Form(padding=padding) for padding in ("zeros", "scores")),
    *(Form(reach=reach) for reach in ("longest", "all")),
)


def draw(lengths, steps=3, keys=6, d=4, e=5, dtype=F64):
    """Queries, keys, values and lengths: all sizes differ."""
    shapes = ((steps, d), (keys, d), (keys, e))
    return *(torch.randn(len(lengths), *shape, dtype=dtype) for shape in shapes), torch.tensor(lengths)


def filled(inputs, form, *fill):
    """The inputs with these numbers in place of keys and values that do not count, one after the other."""
    queries, keys, values, lengths = inputs
    keys, values = keys.clone(), values.clone()
    for example, count in enumerate(form.counts(lengths, keys.shape[1])):
        keys[example, count:] = fill[example % len(fill)]
        values[example, count:] = fill[(example + 1) % len(fill)]
    return queries, keys, values, lengths


def form_of(student):
    """The form that the student's function has on ordinary inputs; the right one, if none fits."""
    inputs = draw((4, 2, 5, 3))
    try:
        result = student.run(probes.attention_of_copies, *inputs)
    except StudentFault:
        return RIGHT
    if isinstance(result, torch.Tensor) and result.is_floating_point():
        for form in FORMS:
            expected = form(*inputs)
            if result.shape == expected.shape and bool(((result.double() - expected).abs() < 1e-3).all()):
                return form
    return RIGHT


def compare(student, form, *inputs, what="the result", hint=FORMULA, precision=F32):
    """Fail unless the result is right; return it. Values are of size 1, and weights add up to 1."""
    result = student.run(probes.attention_of_copies, *inputs)
    expected = form(*(x.double() if x.is_floating_point() else x for x in inputs))
    assert_close(result, expected, scale=10.0, precision=precision, what=what, hint=hint)
    return result


@points(2)
def test_values(student):
    """Random inputs of many sizes are right, in float32 and float64, also with full lengths and with sizes of 1."""
    hints = {
        "values": "Try one example alone, with all of its keys. If that is right, what is different for shorter ones?",
        "nan": "No length is 0 here, and all numbers are ordinary ones. Which step divides, or takes a logarithm?",
    }
    sizes = (
        {"lengths": (4, 1, 6, 3)},
        {"lengths": (6, 6)},
        {"lengths": (2,), "steps": 7, "keys": 3, "d": 2, "e": 1},
        {"lengths": (1, 1, 1), "keys": 1, "steps": 2},
        {"lengths": (5, 7, 2, 3, 9), "steps": 1, "keys": 9, "d": 6, "e": 3},
        {"lengths": (3, 1, 2), "steps": 4, "keys": 4, "d": 1, "e": 4},
    )
    for size in sizes:
        for dtype in (F32, F64):
            inputs = draw(**size, dtype=dtype)
            result = student.ragged_attention(*inputs)
            expected = RIGHT(*(x.double() if x.is_floating_point() else x for x in inputs))
            assert_close(result, expected, scale=10.0, precision=dtype, hint=hints)
            assert_dtype(result, dtype, hint="Does a constant, a mask or a cast decide on the dtype?")


@points(1.5, kind="stability")
def test_length_zero(student):
    """An example of length 0 gives zeros, and its neighbours are as they were."""
    form = form_of(student)
    inputs = draw((4, 2, 5, 3))
    compare(student, form, *inputs)
    hint = {
        "nan": "A softmax over nothing is 0 / 0. Which number should stand there, and at which place is it put in best?",
        "values": "Where no key counts, no value counts either. Which weights does this example get?",
    }
    for counts in ((4, 0, 2), (0, 3), (0, 0), (0, 6, 0, 1)):
        queries, keys, values, lengths = draw(counts)
        what = f"the result for lengths {lengths.tolist()}"
        result = assert_tensor(student.run(probes.attention_of_copies, queries, keys, values, lengths), what=what)
        expected = form(queries, keys, values, lengths)
        if form.reach != "own":
            expected[lengths == 0] = 0.0
        assert_close(result, expected, scale=10.0, what=what, hint=hint)


@points(1.5, kind="stability")
def test_padding(student):
    """nan, inf and 1e30 beyond the lengths change nothing."""
    form = form_of(student)
    compare(student, form, *draw((4, 2, 5, 3)))
    own = form._replace(reach="own")  # who does not look at lengths loses these points, too
    lost = "A weight of 0 is a number as any other: what is 0 * nan, and 0 * inf? Keys and values both have padding."
    for number in BEYOND:
        for dtype in (F32, F64):
            inputs = draw((4, 1, 6, 3), dtype=dtype)
            result = student.run(probes.attention_of_copies, *filled(inputs, own, number))
            expected = form(*(x.double() if x.is_floating_point() else x for x in inputs))
            what = f"the result with {number:g} beyond the lengths"
            assert_close(result, expected, scale=10.0, what=what, hint={"values": lost, "nan": lost})


@points(1, kind="stability")
def test_scores(student):
    """Scores of -100000, of 100000 and between are as good as others."""
    form = form_of(student)
    compare(student, form, *draw((4, 2, 5, 3)))
    below = "Real scores may lie below a number that one types. What becomes of those that must not count? What is exp(1e5)?"
    for size in (-1e5, 1e5, -3e4):
        # Whole numbers, and D = 16: no product, no sum and no division by 4 (or by 2, twice) is rounded in float32.
        _, keys, values, lengths = draw((4, 1, 6, 3), d=16, dtype=F32)
        factor = (5.0 if form.by else 16.0) ** form.power
        queries = torch.randint(-2, 3, (4, 3, 16)).float()
        keys = torch.randint(-2, 3, keys.shape).float()
        queries[..., 0] = 256.0
        keys[..., 0] = round(size / 256 / factor)
        what = f"the result for scores near {size:g}"
        compare(student, form, queries, keys, values, lengths, what=what, hint={"values": below, "nan": below})


@points(1, kind="stability")
def test_nan_query(student):
    """A nan in a query shows in all of its row of the result, and in no other."""
    form = form_of(student)
    inputs = draw((4, 2, 5, 3))
    compare(student, form, *inputs)
    for place in (0, 3):
        queries, *others = draw((4, 2, 6, 3))
        queries[1, 2, place] = queries[2, 0, place] = torch.nan
        expected = form(queries, *others)
        if form.over == 0:  # a softmax over queries spreads each nan to the others of its example: that is billed as values
            expected[1:3] = torch.nan
        hint = {"values": "A nan that comes in is news: the result should say so. Which line turns it into a number?"}
        hint["nan"] = "The nan belongs to one query of one example. Which operation carries it to others?"
        result = student.run(probes.attention_of_copies, queries, *others)
        assert_close(result, expected, scale=10.0, what="the result with a nan in two queries", hint=hint)


def leaves(inputs):
    """The same inputs, of which gradients are wanted."""
    return tuple(x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs)


@points(1.5, kind="gradients")
def test_gradients(student):
    """The gradients of queries, keys and values are right; beyond the lengths they are 0."""
    form = form_of(student)
    hint = {
        "values": "Inputs 1, 2 and 3 are queries, keys and values. Is the softmax part of what autograd sees?",
        "detached": "Inputs 1, 2 and 3 are queries, keys and values. Which line does autograd not see?",
    }
    inputs = [leaves(draw(lengths)) for lengths in ((4, 2, 5, 3), (6, 1))]
    function = student.probe(probes.attention_of_copies)
    assert_gradients(function, reference=form, inputs=inputs, scale=20.0, precision=F32, hint=hint)


def gradients_are_right(student, form):
    """Whether they are for ordinary inputs: if not, that is for another check to say."""
    try:
        function = student.probe(probes.attention_of_copies)
        inputs = [leaves(draw((4, 2, 5, 3)))]
        assert_gradients(function, reference=form, inputs=inputs, scale=20.0, precision=F32)
    except (CheckFailed, StudentFault, RuntimeError):  # RuntimeError: the student's backward pass raised
        return False
    return True


@points(1.5, kind="gradients")
def test_gradients_beyond(student):
    """With nan, inf or 1e30 beyond the lengths, one of which is 0, all gradients are finite and right, and 0 beyond."""
    form = form_of(student)
    compare(student, form, *draw((4, 2, 5, 3)))
    if not gradients_are_right(student, form):
        raise CheckFailed("the gradients of ordinary inputs are wrong, so nothing else was looked at")
    lost = "Backward, a gradient of 0 is multiplied by what stood there going forward. Who still sees a nan, or makes one?"
    hint = {"values": lost, "nan": lost}
    function = student.probe(probes.attention_of_copies)
    unseen = form._replace(padding="none" if form.padding == "none" else "zeros")  # nan is nowhere right
    for fill in ((torch.nan,), (torch.inf,), (-torch.inf, 1e30), (1e30,)):
        inputs = [leaves(filled(draw(lengths), form, *fill)) for lengths in ((4, 2, 5, 3), (6, 0, 1))]
        assert_gradients(function, reference=unseen, inputs=inputs, scale=20.0, precision=F32, hint=hint)


@points(0.5, kind="inputs")
def test_inputs_untouched(student):
    """Queries, keys, values and lengths are the same after the call."""
    form = form_of(student)
    compare(student, form, *draw((4, 2, 5, 3)))
    for lengths in ((4, 2, 5, 3), (6, 1)):
        inputs = draw(lengths)
        assert_inputs_untouched(
            student.ragged_attention, *inputs, hint="Whose memory is written into? x[...] = 0 changes x itself."
        )


@points(1, kind="operations")
def test_operations(student):
    """As many tensor operations for 32 examples as for 4."""
    compare(student, form_of(student), *draw((4, 2, 5, 3)))
    hint = "What would all examples look like if they had the same length? And what would then have to be left out?"
    # The few have two lengths, the many have all: a loop over the lengths that occur is a loop, too.
    inputs = [draw((8, 3, 8, 3), keys=8), draw(tuple(range(1, 9)) * 4, keys=8)]
    with hint_where_raised("Does anything depend on how many examples there are?"):
        assert_constant_operations(student.ragged_attention, inputs, hint=hint)


def race_inputs():
    """A seed, and those examples of 1024 that are looked at."""
    return int(torch.randint(2**31, ())), torch.randint(1024, (16,))


@points(0.5, kind="speed")
def test_speed(student):
    """1024 examples of 2 queries and 4 keys are at least 6 times as fast as a loop over them."""
    form = form_of(student)
    compare(student, form, *draw((4, 2, 5, 3)))

    def right(result, seed, some):
        inputs = [x[some].double() if x.is_floating_point() else x[some] for x in probes.drawn(seed)]
        try:
            assert_close(result, RIGHT(*inputs), scale=10.0)  # the reference's results come here, too
        except CheckFailed:
            # Among all 1024 examples the longest has all keys; among those that are looked at it may have fewer.
            slip = form._replace(reach="all") if form.reach == "longest" else form
            assert_close(result, slip(*inputs), scale=10.0)

    race(
        student.probe(probes.attention_of_many),
        make_inputs=race_inputs,
        verify=right,
        at_least=6.0,  # right answers are 16 to 26 times as fast, a loop over keys (allowed) 16, a loop over examples 1
        baseline="chaffs/loop.py",
        hint="How many calls does each example cost? Could one call serve all of them?",
    )
