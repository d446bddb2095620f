"""Hidden checks: uniformity_loss.

`test_by_hand` and `test_values` judge the formula. The others first ask which formula the student computes (`meant`), and compare
with that one: pairs counted twice cost the points of values, and not those of the shift as well.
"""

import math

import torch
from torch.nn.functional import normalize

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_gradients, assert_memory, assert_tensor, points, race
from torchgrade.checks.faults import StudentFault

from . import probes_uniformity_loss as probes

F32, F64 = torch.float32, torch.float64
FIRST = "Plain numbers first: a few rows of ordinary length, and t = 2."


def distances(x):
    """All squared distances [N, N], in float64: by differences, so that equal rows are at 0 exactly; of many rows by products."""
    x = x.double()
    if len(x) <= 64:
        return (x.unsqueeze(1) - x).square().sum(2)
    x = x - x.detach().mean(0)
    lengths = x.square().sum(1)
    return lengths.unsqueeze(1) + lengths - 2 * x @ x.T


def pairs(square, diagonal=1):
    """The entries above the diagonal; with 0, also those on it."""
    return square[torch.ones_like(square, dtype=torch.bool).triu(diagonal)]


def right(x, t=2.0):
    """What is asked for."""
    exponents = pairs(-t * distances(x))
    return exponents.logsumexp(0) - math.log(len(exponents))


def divided_by(count):
    """The sum over the pairs is divided by another number than theirs."""
    return lambda x, t=2.0: pairs(-t * distances(x)).logsumexp(0) - math.log(count(len(x)))


def with_diagonal(diagonal, count):
    """The pairs of a row with itself are counted, too."""

    def form(x, t=2.0):
        exponents = -t * distances(x)
        exponents = exponents.flatten() if diagonal is None else pairs(exponents, diagonal)
        return exponents.logsumexp(0) - math.log(count(len(x)))

    return form


def not_squared(x, t=2.0):
    """The distance stands where its square belongs; 0 has the gradient 0 there."""
    squares = pairs(distances(x))
    roots = torch.where(squares > 0, torch.where(squares > 0, squares, 1.0).sqrt(), 0.0)
    return (-t * roots).logsumexp(0) - math.log(len(roots))


# The first that fits is taken. So a right answer is never taken for another.
FORMS = (
    right,
    lambda x, t=2.0: -right(x, t),
    divided_by(lambda n: n * (n - 1) / 4),  # the sum has each pair twice, the count once
    divided_by(lambda n: n * (n - 1)),  # the other way round
    divided_by(lambda n: n**0),  # not at all
    divided_by(lambda n: n**0 / 2),
    divided_by(lambda n: n * n / 2),
    divided_by(lambda n: n * n),
    divided_by(lambda n: n),
    with_diagonal(None, lambda n: n * n),
    with_diagonal(None, lambda n: n * (n - 1)),
    with_diagonal(None, lambda n: n * (n - 1) / 2),
    with_diagonal(0, lambda n: n * (n + 1) / 2),
    with_diagonal(0, lambda n: n * (n - 1) / 2),
    not_squared,
    lambda x, t=2.0: pairs(-t * distances(x)).mean(),
    lambda x, t=2.0: pairs(-t * distances(x)).exp().mean(),
    lambda x, t=2.0: right(x, t / 2),
    lambda x, t=2.0: right(x, 2 * t),
    lambda x, t=2.0: right(x, -t),
    lambda x, t=2.0: right(x, t / x.shape[1]),
    lambda x, t=2.0: right(normalize(x.double(), dim=1), t),
)


def meant(student):
    """The formula that the student's function computes for plain rows; the right one if it is none of `FORMS`."""
    rows = [torch.randn(7, 3), torch.randn(5, 4)]  # two of them: a wrong form is near one result by chance now and then
    try:
        results = [assert_tensor(student.uniformity_loss(x)) for x in rows]
    except (CheckFailed, StudentFault):
        return right
    if any(result.numel() != 1 for result in results):
        return right

    def fits(form):
        return all(abs(float(form(x)) - float(result)) < 1e-3 for x, result in zip(rows, results, strict=True))

    return next((form for form in FORMS if fits(form)), right)


def size(x, t=2.0):
    """The scale of rounding in float32: the largest number on the way, from rows whose mean is 0."""
    x = x.detach().double()
    return 1 + 4 * t * float((x - x.mean(0)).square().sum(1).max())


def gradients_are_right(student, form):
    """Whether they are for plain rows: if not, that is for other checks to say."""
    try:
        inputs = [(torch.randn(5, 3, dtype=F64, requires_grad=True),)]
        assert_gradients(single(student), reference=form, inputs=inputs, scale=10.0, precision=F32)
    except (CheckFailed, StudentFault, RuntimeError):  # RuntimeError: the student's backward pass raised
        return False
    return True


def uses_t(student, form):
    """Whether t is used as it should be: if not, `test_t` says so."""
    x = torch.randn(6, 3)
    try:
        assert_close(single(student)(x, 0.3), form(x, 0.3), scale=size(x))
    except (CheckFailed, StudentFault):
        return False
    return True


def single(student):
    """The student's function, with a result of one number in shape []: a dimension that is kept is billed as values."""

    def uniformity_loss(*arguments):
        result = student.uniformity_loss(*arguments)
        return result.reshape(()) if isinstance(result, torch.Tensor) and result.numel() == 1 else result

    return uniformity_loss


@points(1.5)
def test_values(student):
    """Random rows give the right number, for few and many of them, in any memory layout."""
    hint = "Which pairs are counted, and is each counted as often in the sum as in the number that you divide by?"
    for n, d in ((2, 3), (3, 1), (6, 4), (6, 4), (40, 6), (9, 30)):
        x = torch.randn(n, d) / math.sqrt(d)
        assert_close(student.uniformity_loss(x), right(x), scale=size(x), hint=hint)
    for x in (torch.randn(4, 7).T, torch.randn(12, 8)[::2, ::2]):
        assert_close(student.uniformity_loss(x), right(x), scale=size(x), what="the result for strided rows", hint=hint)


@points(1)
def test_t(student):
    """Any t above 0 is used as it is, a small one and a large one."""
    form = meant(student)
    x = torch.randn(6, 3)
    assert_close(single(student)(x), form(x), scale=size(x), what="the result without t", hint=FIRST)
    hint = "Does the result with t = 8 agree with that of rows twice as long and t = 2? Where does your code use t?"
    for t in (0.01, 0.5, 3.0, 1, 7.5, 0.5):
        x = torch.randn(6, 3)
        what = f"the result with t={t}"
        assert_close(single(student)(x, t), form(x, t), scale=size(x, t), what=what, hint=hint)


@points(1.5, kind="stability")
def test_range(student):
    """Where each exp is 0, or all but one, the number is finite and right, and so is its gradient."""
    form = meant(student)
    x = torch.randn(6, 3)
    assert_close(single(student)(x), form(x), scale=size(x), what="the result for plain rows", hint=FIRST)
    zero = (
        "In float32 exp(-104) is 0, and log(0) is -inf. The exponents themselves are ordinary numbers. How far do they get you?"
    )
    hint = {"nan": zero, "values": "Is anything added to the exponents or to their exp, or cut off, so that it stays finite?"}
    for n in (2, 5, 30):
        x = 24 * normalize(torch.randn(n, 40), dim=1)
        what = "the result for rows of length 24"
        assert_close(single(student)(x), form(x), scale=size(x), what=what, hint=hint)
    x = 24 * normalize(torch.randn(7, 40), dim=1)
    x[4] = x[2] + 0.5 * normalize(torch.randn(40), dim=0)
    what = "the result for rows of length 24, two of which are close"
    assert_close(single(student)(x), form(x), scale=size(x), what=what, hint=hint)
    if gradients_are_right(student, form):
        zero = "0 / 0 and inf - inf go backward as well, also where their result was thrown away. Who makes them?"
        inputs = [(24 * normalize(torch.randn(5, 4, dtype=F64), dim=1),), (300 * torch.randn(6, 3, dtype=F64),)]
        for (x,) in inputs:
            x.requires_grad_()
        # Gradients are as large as the rows, times 4 t.
        hint = {"nan": zero, "values": "Does a cut or a small constant stand between the exponents and the result?"}
        assert_gradients(single(student), reference=form, inputs=inputs, scale=3000.0, precision=F32, hint=hint)


@points(1.5, kind="stability")
def test_shift(student):
    """Unit rows plus 1000 keep their loss to 1e-3."""
    form = meant(student)
    x = normalize(torch.randn(40, 6), dim=1)
    assert_close(single(student)(x), form(x), scale=size(x), what="the result for unit rows", hint=FIRST)
    digits = "float32 has seven digits, and 1000 squared uses them up. What do you square: must it be that large?"
    each = "Each column has a shift of its own. After your first step, is every column of ordinary size?"
    one, own = torch.full((6,), 1000.0), torch.tensor([1000.0, -1000.0, 500.0, 0.0, -700.0, 900.0])
    for shift, name, hint in ((one, "unit rows plus 1000", digits), (own, "unit rows plus 1000, -1000, 500 ...", each)):
        for _ in range(3):
            x = normalize(torch.randn(40, 6), dim=1) + shift  # rounded here: what is right is computed from what is stored
            hints = {"values": hint, "nan": hint}
            what = f"the result for {name}"
            assert_close(single(student)(x), form(x), scale=1e-3, ulps=1 / torch.finfo(F32).eps, what=what, hint=hints)


@points(1, kind="stability")
def test_equal_rows(student):
    """Equal rows have the distance 0, and a finite, right gradient."""
    form = meant(student)
    x = torch.randn(6, 3)
    assert_close(single(student)(x), form(x), scale=size(x), what="the result for plain rows", hint=FIRST)
    twice = torch.randn(4, 3, dtype=F64)[[0, 1, 0, 2, 3, 2]]
    whole = torch.tensor([[1, 2], [-1, -2], [1, 2], [-1, -2]], dtype=F64)  # of mean 0: any way to the distance 0 gives it exactly
    many = torch.randn(15, 4, dtype=F64)[torch.randint(15, (30,))]
    same = torch.randn(1, 3, dtype=F64).repeat(5, 1)
    hint = "Two equal rows are a pair like any other: their distance is 0, and exp(0) is 1."
    hints = {"values": hint, "nan": hint}
    cases = {"two pairs of equal rows": twice, "rows that come twice": whole, "30 rows of 15": many, "five equal rows": same}
    for name, x in cases.items():
        what = f"the result for {name}"
        assert_close(single(student)(x.float()), form(x.float()), scale=size(x), what=what, hint=hints)
    if gradients_are_right(student, form):
        root = (
            "The slope of a square root at 0 is infinite, and inf times 0 is nan. Do you need the root, if you square it again?"
        )
        inputs = [(x.requires_grad_(),) for x in cases.values()]
        hint = {"nan": root, "values": "A pair of equal rows pulls neither of them, and their other pairs pull as ever."}
        assert_gradients(single(student), reference=form, inputs=inputs, scale=20.0, precision=F32, hint=hint)


@points(1.5, kind="gradients")
def test_gradients(student):
    """The gradients of random rows are right, for any t."""
    form = meant(student)
    shapes = [(2, 3, 2.0), (6, 4, 2.0), (40, 5, 2.0)]
    if uses_t(student, form):
        shapes.append((9, 2, 0.3))
    inputs = [(torch.randn(n, d, dtype=F64, requires_grad=True), t) for n, d, t in shapes]
    hint = {
        "values": "Each row stands in many pairs, on either side. Do all of them reach it?",
        "detached": "On which line does autograd lose sight of x?",
    }
    assert_gradients(single(student), reference=form, inputs=inputs, scale=10.0, precision=F32, hint=hint)


@points(0.5, kind="dtypes")
def test_dtype(student):
    """float32 stays float32; float64 stays float64, and is as exact."""
    form = meant(student)
    for dtype in (F32, F64):
        x = torch.randn(6, 3, dtype=dtype)
        result = single(student)(x)
        assert_close(result, form(x), scale=size(x), hint=FIRST)
        assert_dtype(result, dtype, hint="On which line is another dtype made?")
    x = torch.randn(40, 3, dtype=F64)
    hint = "The dtype is float64, the digits are those of float32. On which line do they get lost?"
    what = "the result for float64 rows"
    assert_close(single(student)(x), form(x), scale=4 * size(x), precision=F64, what=what, hint=hint)


def batches(count, n, d):
    """Unit rows."""
    return normalize(torch.randn(count, n, d), dim=2)


def verify(form):
    """A function that fails unless losses and gradients of batches are right, to float32's precision with a wide margin."""

    def look(result, x):
        for answer, rows in zip(assert_tensor(result), x, strict=True):
            leaf = rows.double().requires_grad_()
            loss = right(leaf)
            if form is not right and abs(float(loss) - float(answer[0])) > 1e-3:  # a race looks at the reference's results, too
                loss = form(leaf)
            (gradient,) = torch.autograd.grad(loss, leaf)
            assert_close(answer[0], loss.detach(), scale=size(rows), ulps=64)
            largest = float(gradient.abs().max())
            assert_close(answer[1:].reshape(gradient.shape), gradient, scale=largest, ulps=8400, what="the gradient")

    return look


@points(1, kind="memory", needs=test_gradients)
def test_memory(student):
    """768 rows of 48 numbers, forward and backward, take at most 170 MB."""
    x = batches(1, 768, 48)
    result = assert_memory(
        student.probe(probes.there_and_back),
        x,
        # Right answers take 8 to 30 MB, a loop over rows 72 to 141; all differences of all pairs 469, two copies of the rows 235.
        at_most=170 * 2**20,
        warm_up=(batches(1, 8, 4),),
        hint="How many numbers does each pair of rows keep until the backward pass: one, or as many as a row is long?",
    )
    verify(meant(student))(result, x)


@points(1.5, kind="speed", needs=(test_gradients, test_memory))
def test_speed(student):
    """256 rows of 32 numbers, forward and backward, take at most 5 times as long as in the reference solution."""
    race(
        student.probe(probes.there_and_back),
        make_inputs=lambda: (batches(8, 256, 32),),
        verify=verify(meant(student)),
        # Right answers take 0.7 to 2.3 times, cdist by differences the most; a loop over rows 12 to 13. What stores all
        # differences has failed before. For longer rows cdist by differences is not far from the loop: 6 and 17 at 1024 x 128.
        at_most=5.0,
        hint="Measure it with Timer, backward included. Does the number of calls grow with N? What could one call do for all?",
    )
