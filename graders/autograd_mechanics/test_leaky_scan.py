"""Hidden checks: leaky_scan.

Signals have one length, but where a check is about ends; `within` then leaves out what stands after them. Numbers are compared to
float32's precision everywhere but in `test_dtype`. So an end, and a dtype, is billed once.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_gradients, assert_inputs_untouched, points, race
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_leaky_scan as probes

F32, F64 = torch.float32, torch.float64
FIRST = "Plain numbers first: two signals, four steps, worked out by hand."


def draw(*lengths, d=2, dtype=F64):
    """A decay between 0.5 and 1.2, and signals."""
    return 0.5 + 0.7 * torch.rand(d, dtype=dtype), *(1 + torch.rand(n, d, dtype=dtype) for n in lengths)


def one_by_one(decay, *signals):
    """What is right: signal after signal, step after step."""
    longest = max(map(len, signals))
    rows = []
    for x in signals:
        y = torch.zeros_like(decay)
        steps = [y := decay * y + now for now in x]
        rows.append(torch.stack(steps + [torch.zeros_like(decay)] * (longest - len(x))))
    return torch.stack(rows)


def until_the_ends(decay, *signals):
    """What is right, up to the end of each signal."""
    return torch.cat([y[: len(x)] for x, y in zip(signals, one_by_one(decay, *signals), strict=True)])


def compare(student, decay, *signals, precision=F32, what="the result", hint=FIRST):
    """Fail unless the values are right up to the ends; return the result as it is."""
    result = student.leaky_scan(list(signals), decay)
    expected = one_by_one(decay.double(), *(x.double() for x in signals))
    assert_close(result, expected, scale=expected.abs().max(), precision=precision, what=what, hint=hint)
    return result


@points(1)
def test_values(student):
    """Random signals are right: many, one alone, of one step, with decays of either sign."""
    hint = "Is each step decay * y + x, also where decay is negative or larger than 1? What does log say to -0.7?"
    for k, n, d in ((3, 7, 2), (1, 5, 3), (4, 1, 2), (3, 7, 2)):
        _, *signals = draw(*[n] * k, d=d)
        decay = (0.5 + torch.rand(d, dtype=F64)) * torch.tensor([1.0, -1.0, 1.0], dtype=F64)[:d]
        compare(student, decay, *signals, hint={"values": hint, "nan": hint})


@points(1, kind="gradients")
def test_gradients(student):
    """The gradients of decay and of signals of different lengths are right."""
    hint = {
        "values": "Does each number of a signal still reach all later steps of its own signal, and of no other?",
        "shape": "Is anything cut off? The result has as many steps as the longest signal.",
        "detached": "Input 1 is decay, the others are signals. Which line does autograd not see?",
    }
    inputs = [tuple(tensor.requires_grad_() for tensor in draw(*lengths)) for lengths in ((5, 2, 7), (1, 4))]
    function = student.probe(probes.within)
    assert_gradients(function, reference=until_the_ends, inputs=inputs, scale=50.0, precision=F32, hint=hint)


@points(1, kind="gradients")
def test_anomaly(student):
    """In anomaly mode, too, backward fills .grad with the right gradients."""
    decay, *signals = draw(5, 5, 5)
    cotangent = torch.randn(3, 5, 2, dtype=F64)
    with hint_where_raised(
        "Anomaly mode stops at the first nan of a backward pass, also where it is thrown away later. Who makes it?"
    ):
        gradients = student.run(probes.backward_in_anomaly_mode, decay, cotangent, *signals)
    leaves = [tensor.requires_grad_() for tensor in (decay, *signals)]
    expected = torch.autograd.grad(one_by_one(*leaves), leaves, cotangent)
    if len(gradients) != len(expected):
        raise CheckFailed(f"{len(gradients)} gradients came; expected {len(expected)}")
    names = ["decay", *(f"signal {i}" for i in range(len(signals)))]
    for name, gradient, want in zip(names, gradients, expected, strict=True):
        if gradient is None:
            hint = "Is it used as it is, or a copy that autograd does not know?"
            raise CheckFailed(f"the .grad of {name} is None after backward", hint=hint, slip="detached")
        hint = "Does autograd see every step, from the first to the last?"
        assert_close(gradient, want, scale=50.0, precision=F32, what=f"the .grad of {name}", hint=hint)


def gradients_are_right(student):
    """Whether they are for ordinary decays: if not, that is for other checks to say."""
    try:
        inputs = [tuple(tensor.requires_grad_() for tensor in draw(4, 4))]
        function = student.probe(probes.within)
        assert_gradients(function, reference=until_the_ends, inputs=inputs, scale=50.0, precision=F32)
    except (CheckFailed, StudentFault, RuntimeError):  # RuntimeError: the student's backward pass raised
        return False
    return True


@points(1, kind="stability")
def test_small_decay(student):
    """200 steps with decays of 0 and 0.01 are right, and so are their gradients."""
    lost = "What is 0.01 ** -200, and what is 0 * inf? Is there a way without negative powers?"
    hint = {"values": lost, "nan": lost}
    decay = torch.tensor([0.0, 0.01, 0.5], dtype=F64)
    compare(student, *draw(4, 4, d=3))
    _, *signals = draw(200, d=3)
    compare(student, decay, *signals, what="the result for decays of 0, 0.01 and 0.5", hint=hint)
    if gradients_are_right(student):
        lost = "A number that is thrown away in the forward pass still takes part backward, and 0 * inf is nan. Which one is it?"
        inputs = [tuple(tensor.requires_grad_() for tensor in (decay, *signals))]
        function = student.probe(probes.within)
        hint = {"values": lost, "nan": lost}
        assert_gradients(function, reference=until_the_ends, inputs=inputs, scale=1000.0, precision=F32, hint=hint)


@points(0.5, kind="dtypes")
def test_dtype(student):
    """float32 stays float32; float64 stays float64, and is as exact."""
    hint = "Which dtype does torch.zeros choose, if nobody tells it? Does a cast decide on the dtype?"
    for dtype in (F32, F64):
        result = compare(student, *draw(4, 4, dtype=dtype))
        assert_dtype(result, dtype, hint=hint)
    hint = "The dtype is float64, the digits are those of float32. On which line do they get lost?"
    compare(student, *draw(4, 4), precision=F64, what="the result for float64 signals", hint=hint)


@points(0.5, kind="inputs")
def test_inputs_untouched(student):
    """The signals, their list and decay are the same after the call."""
    compare(student, *draw(4, 4))
    for lengths in ((4, 4), (3, 5, 2)):
        decay, *signals = draw(*lengths)
        hint = "Whose memory is x[t] when you write into it? And whose list is signals?"
        assert_inputs_untouched(student.leaky_scan, signals, decay, hint=hint)


@points(1, kind="operations")
def test_operations(student):
    """At most 10 (k + T) + 50 tensor operations are made for k signals of T steps."""
    rests_on_word()
    compare(student, *draw(4, 4))
    k, n = 64, 64
    decay, *signals = draw(*[n] * k)
    count, most = int(student.leaky_scan.count_operations(signals, decay)), 10 * (k + n) + 50
    if count > most:
        hint = "What do all signals do at the same time t? Could one operation make this step for all of them?"
        raise CheckFailed(f"{count} tensor operations for {k} signals of {n} steps; at most {most} are allowed", hint=hint)


def race_inputs():
    """A decay, a cotangent, and 256 signals of 64 steps, in one tensor."""
    return 0.4 + 0.5 * torch.rand(4, dtype=F64), torch.randn(256, 64, 4, dtype=F64), torch.randn(256, 64, 4, dtype=F64)


def right(result, decay, _, x):
    """Fail unless a timed result is right."""
    y, steps = torch.zeros_like(x[:, 0]), []
    for now in x.unbind(1):
        y = decay * y + now
        steps.append(y)
    expected = torch.stack(steps, dim=1)
    assert_close(result, expected, scale=expected.abs().max(), precision=F32)


@points(1, kind="speed")
def test_speed(student):
    """256 signals of 64 steps, forward and backward, take at most 6 times as long as in the reference solution."""
    race(
        student.probe(probes.there_and_back),
        make_inputs=race_inputs,
        verify=right,
        at_most=6.0,  # right answers take 0.9 to 2.9 times, numbers fetched one by one 10, two loops 24
        hint="How many steps does your code make one after the other: T, or k times T?",
    )
