"""Hidden checks: train_amp.

Each check draws weights and batches, trains with them here and beside the student's code, and compares what comes out. Each looks
at one property: all but ``test_precision`` allow the roundings that a wrong precision makes.
"""

import pytest
import torch

from torchgrade import CheckFailed, assert_close, assert_dtype_trace, measured, points, race
from torchgrade.checks.notes import rests_on_word

from . import probes
from .training import (
    BF16,
    EXACT,
    EXACT_LOSS,
    F16,
    LARGE,
    ON_A_GPU,
    REFERENCE,
    ROUGH,
    Runs,
    assert_losses,
    draw,
    overflowing,
    train_amp,
)


@points(1, kind="dtypes")
def test_autocast(student):
    """Forward pass and loss run under autocast in the dtype asked for, backward outside it, on float32 parameters."""
    for dtype in (F16, BF16):
        assert_dtypes(Runs(student, *draw(1), dtype=dtype))


def assert_dtypes(runs):
    """Fail unless every place in the network saw the dtypes, and autocast on and off, that it sees in the judge's run."""
    seen, expected = _trace(runs.answer["seen"]), _trace(runs.expected["seen"])
    wrong = next((place for place, text in expected.items() if seen.get(place) != text), "")
    if seen.get(wrong, "").partition(",")[0] == expected.get(wrong, "").partition(",")[0] and wrong == _PLACES["weight"]:
        wrong = _PLACES["forward"]  # the weight has its dtype: it is autocast that is off, or another one
    assert_dtype_trace(seen, expected, hint=_HINTS.get(wrong, ""))


_PLACES = {
    "weight": "a weight in the forward pass",
    "forward": "a linear layer's output",
    "loss": "the product inside the loss",
    "backward": "a gradient in the backward pass",
}
_HINTS = {
    _PLACES["weight"]: "The parameters themselves are never cast; autocast casts what an operation reads.",
    _PLACES["forward"]: "Which device and which dtype does autocast get, and does the model run inside the with block?",
    _PLACES["loss"]: "The loss is computed inside the with block, like the forward pass.",
    _PLACES["backward"]: "backward() stands outside the with block: is it indented one level too far?",
}


def _trace(seen):
    """Each place in words, and what was seen there; an answer of another form has none."""
    return (
        {_PLACES[place]: _described(pairs) for place, pairs in seen.items() if place in _PLACES} if isinstance(seen, dict) else {}
    )


def _described(pairs):
    if not isinstance(pairs, list) or not pairs or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        return "nothing was seen there"
    return " and ".join(f"{dtype}, autocast {low}" for dtype, low in pairs)


@points(1.5)
def test_one_step(student):
    """One step moves the weights to where the reference moves them, in float16 and in bfloat16."""
    for dtype in (F16, BF16):
        runs = Runs(student, *draw(1), dtype=dtype, rate=1.0, what=f"of one step in {str(dtype).removeprefix('torch.')}", **LARGE)
        # One step that is wrong is wrong by far; one in another precision by up to 0.025.
        runs.assert_weights(2 * ROUGH, hint="One batch, one step: scaled loss, backward, step by the scaler.")


@points(1, kind="gradients")
def test_gradients_cleared(student):
    """Each of four steps has its own gradients alone, which a scale of 1 would show."""
    runs = Runs(student, *draw(4), dtype=F16, scale=1.0, rate=0.5, decay=0.0, what="of four steps at a scale of 1")
    # Of 400 draws: bfloat16 is off by 0.9 of ROUGH at most, the last batch left out by 2.9 at least, gradients kept by far more.
    runs.assert_weights(
        1.5 * ROUGH, hint="backward() adds to what is there. At a scale of 65536 the old gradient looks like rounding; at 1 not."
    )


@points(0.5)
def test_disabled_scaler(student):
    """A disabled scaler passes everything through: one step in either dtype is right, and the scale stays 1."""
    for dtype in (F16, BF16):
        runs = Runs(student, *draw(1), dtype=dtype, enabled=False, rate=1.0, what="with a disabled scaler")
        runs.assert_weights(2 * ROUGH, hint="The loop needs no other branch for a disabled scaler, and no other order.")
        runs.assert_scale()


@points(1)
def test_losses(student):
    """The losses come back unscaled, as Python floats, one for each batch and in order, each from before its step."""
    # So many that one loss at least is small, and rounded by far.
    runs = Runs(student, *draw(64), dtype=F16, enabled=False, rate=0.0, what="of 64 batches at a rate of 0")
    runs.assert_losses(hint="One loss for each batch, in order, as it is: not rounded, not averaged.")
    runs = Runs(student, *draw(1), dtype=F16, rate=0.5, growth_interval=1, what="of one step")
    runs.assert_losses(hint="The scaler multiplies what goes into backward(); a log wants the loss itself, of before the step.")


@points(0.5, kind="stability")
def test_small_gradients(student):
    """Gradients of 1e-8 and less train the model as well as large ones."""
    # What is lost here is lost whole. Roundings are looked at elsewhere: of gradients this small they are as large as 1 %.
    runs = Runs(student, *draw(1), dtype=F16, factor=2.0**-24, scale=2.0**28, rate=1.0, decay=0.0, what="by gradients below 1e-8")
    runs.assert_weights(hint="What is below 6e-8 in float16 is 0: backward() must start from something larger than the loss.")


_NORM = "Which norm do you compare with max_norm: that of the scaled gradients or of the true ones, and of all that there are?"


@points(1, kind="gradients", needs=test_one_step)
def test_clipping(student):
    """With max_norm, true gradients are clipped to that total norm over both groups; short ones stay."""
    for max_norm in (0.05, 0.2, 100.0):
        what = f"with max_norm={max_norm}"
        # Without weight decay the weights move by the clipped gradient alone.
        runs = Runs(student, *draw(1), dtype=F16, scale=2.0**12, rate=1.0, decay=0.0, max_norm=max_norm, what=what)
        runs.assert_weights(hint=_NORM)


@points(0.25, kind="gradients", needs=test_disabled_scaler)
def test_clipping_without_scaler(student):
    """Clipping works with a disabled scaler as well."""
    for max_norm in (0.2, 100.0):
        what = f"with max_norm={max_norm} and a disabled scaler"
        runs = Runs(student, *draw(1), dtype=F16, enabled=False, rate=1.0, decay=0.0, max_norm=max_norm, what=what)
        runs.assert_weights(hint="max_norm and the scaler are independent of each other: either may be there without the other.")


@points(1, kind="stability")
def test_overflow(student):
    """A batch whose gradients overflow changes no weight and halves the scale; its loss keeps its place in the list."""
    for dtype, broken in ((F16, torch.inf), (BF16, torch.inf), (F16, torch.nan)):
        start, batches = unlike_losses(dtype, broken)
        # A small rate: whether the second loss is computed with the first step's weights is another check's matter.
        runs = Runs(student, start, batches, dtype=dtype, rate=2.0**-10, what=f"whose second batch holds {broken}")
        runs.assert_weights(2 * ROUGH, hint="The scaler leaves such a step out, if it is the scaler that steps.")
        # In bfloat16 a digit less is the same; what is looked at is whose loss it is.
        runs.assert_losses(6e-2, hint="The loss of a step that is left out is in the list as well, finite or not.")
        runs.assert_scale(hint="The scale comes down by update(), once a step.")


def unlike_losses(dtype, broken):
    """Weights and two batches, of which the second overflows, with losses so far apart that none can stand for the other."""
    for _ in range(100):
        start, batches = draw(2)
        batches = overflowing(batches, at=(1,), value=broken)
        first, second = probes.train(REFERENCE, start, batches, dtype=dtype)["losses"]
        if not abs(first - second) < 0.4 * (1 + max(first, second)):  # nan is far from all
            break
    return start, batches


@points(0.25, kind="stability", needs=(test_gradients_cleared, test_overflow, test_clipping))
def test_after_an_overflow(student):
    """Training goes on after a batch that overflows, with clipping and without."""
    for max_norm in (None, 0.5):
        start, batches = draw(4)
        batches = overflowing(batches, at=(0, 2))
        runs = Runs(student, start, batches, dtype=F16, max_norm=max_norm, rate=1.0, what="with two batches that overflow")
        hint = "The norm of a gradient with an inf in it is inf. Clipping need not care: the step is left out anyway."
        runs.assert_weights(2 * ROUGH, hint=hint)
        runs.assert_scale()


@points(0.5, kind="stability", needs=test_gradients_cleared)
def test_scale_schedule(student):
    """The scale comes down with each batch that overflows, and rises again after each two steps that succeed."""
    start, batches = draw(12)
    batches = overflowing(batches, at=(0, 1, 5))
    what = "of twelve batches, three of which overflow"
    runs = Runs(student, start, batches, dtype=F16, growth_interval=2, what=what, **LARGE)
    runs.assert_scale(hint="Which call lowers the scale, and raises it again when all goes well?")


@points(0.5, kind="gradients", needs=(test_gradients_cleared, test_clipping))
def test_parameters_of_the_loss(student):
    """Where the loss has parameters of its own, they are cleared and clipped like the model's."""
    # The loss's gradients are larger than the model's here, and a scale of 1 shows what is not cleared.
    hint = "The optimizer holds parameters that are not the model's: its groups know all of them."
    runs = Runs(student, *draw(4), dtype=F16, scale=1.0, decay=0.0, learnt_loss=True, what="of a loss with parameters")
    runs.assert_weights(hint=hint)
    what = "with max_norm=0.05 and a loss with parameters"
    runs = Runs(student, *draw(1), dtype=F16, rate=1.0, decay=0.0, learnt_loss=True, max_norm=0.05, what=what)
    runs.assert_weights(hint=hint)


@points(0.25, kind="memory", needs=test_gradients_cleared)
def test_stream(student):
    """Batches may come from a generator, which is read once and at most one batch ahead."""
    what = "from a generator that reuses two buffers"
    runs = Runs(student, *draw(6), dtype=F16, stream=True, what=what, **LARGE)
    runs.assert_weights(
        hint="A generator has no length and cannot be read twice; a list of its batches may be larger than the memory."
    )


@points(0.75, kind="dtypes", needs=(test_autocast, test_gradients_cleared))
def test_precision(student):
    """After eight steps weights and losses agree with the reference's to the last bits, in float16 and in bfloat16."""
    for dtype in (F16, BF16):
        runs = Runs(student, *draw(), dtype=dtype, what=f"of eight steps in {str(dtype).removeprefix('torch.')}", **LARGE)
        runs.assert_weights(
            EXACT, hint="Is autocast entered anew for each step? It keeps low-precision copies of the weights until it ends."
        )
        runs.assert_losses(EXACT_LOSS, hint="The loss itself is float32: it is not rounded to the low precision.")


_ON_THE_CPU = (test_one_step, test_losses, test_overflow, test_autocast)


@pytest.mark.gpu
@points(0, kind="dtypes", needs=_ON_THE_CPU)
def test_float16_on_a_gpu(student, device):
    """On a GPU float16 training with two batches that overflow gives the right weights, losses, scale and dtypes."""
    start, batches = draw()
    batches = overflowing(batches, at=(2, 5))
    runs = Runs(student, start, batches, dtype=F16, device=device, what="on a GPU, with two batches that overflow")
    runs.assert_weights(ON_A_GPU)
    runs.assert_losses(ON_A_GPU)
    runs.assert_scale()
    assert_dtypes(runs)


@pytest.mark.gpu
@points(0, kind="operations", needs=(*_ON_THE_CPU, test_float16_on_a_gpu))
def test_waits_on_a_gpu(student, device):
    """On a GPU the CPU waits for it once a step at most, besides what the scaler does."""
    # What waits, only the student's process can see; the losses of that very run are compared.
    rests_on_word()
    start, batches = draw()
    expected, _ = probes.count_waits(REFERENCE, start, batches, dtype=F16, device=device)
    losses, waits = student.run(probes.count_waits, start, batches, dtype=F16, device=device)
    assert_losses(losses, expected, share=ON_A_GPU)
    measured("waits", waits)
    if waits > len(batches) + 1:  # and one for all that is done once
        raise CheckFailed(
            f"PyTorch saw the CPU wait {waits} times for the GPU in {len(batches)} steps, besides what the scaler does (as your "
            "process says); one a step is allowed"
        )


@pytest.mark.gpu
@points(0, kind="speed", needs=_ON_THE_CPU)
def test_speed_on_a_gpu(student, device):
    """On a GPU a network 256 wide learns a checkerboard of 512 x 512 at least 1.3 times as fast as in full precision."""
    side = 512 if device.type == "cuda" else 8
    race(
        student.probe(probes.checkerboard),
        make_inputs=lambda: (int(torch.randint(2**62, ())), side, device),
        verify=assert_learnt,
        baseline=probes.checkerboard_in_full,
        at_least=1.3,
        device=device,
        operations=4 * 3 * 3 * 2 * 256 * 256 * side**2,  # of each step three layers, forwards and twice backwards
    )


def assert_learnt(answer, seed, side, device):
    """Fail unless the losses, and the network's output after the last step, are those of the judge's own training."""
    expected = probes.learn(train_amp, seed, side, device)
    if not isinstance(answer, list) or len(answer) != len(expected) or not all(isinstance(value, float) for value in answer):
        raise CheckFailed("learning the checkerboard gave something else than a loss for each of its steps")
    # The judge's run and the student's differ by roundings in float16, in full precision by 1e-3 at most.
    assert_close(
        torch.tensor(answer), torch.tensor(expected), scale=torch.tensor(expected).abs(), ulps=2**16, what="the list of losses"
    )
