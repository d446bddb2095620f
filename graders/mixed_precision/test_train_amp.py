"""Hidden checks: train_amp.

Each check draws weights and batches, trains with them here and beside the student's code, and compares what comes out.
"""

import pytest
import torch

from torchgrade import CheckFailed, assert_close, assert_dtype_trace, measured, points, race
from torchgrade.checks.notes import rests_on_word

from . import probes
from .training import BF16, CLIPPED, F16, LARGE, ON_A_GPU, REFERENCE, Runs, assert_losses, draw, overflowing, train_amp


@points(1.5)
def test_float16_training(student):
    """Eight steps in float16 leave the weights where the reference leaves them."""
    Runs(student, *draw(), dtype=F16, **LARGE).assert_weights()


@points(1)
def test_bfloat16_training(student):
    """Eight steps in bfloat16 leave them there too, with an enabled scaler and with a disabled one."""
    for enabled in (True, False):
        what = f"with enabled={enabled}"
        Runs(student, *draw(), dtype=BF16, enabled=enabled, what=what).assert_weights()


@points(0.5)
def test_disabled_scaler(student):
    """Float16 training with a disabled scaler works, and leaves the scale at 1."""
    runs = Runs(student, *draw(), dtype=F16, enabled=False)
    runs.assert_weights()
    runs.assert_scale()


@points(1)
def test_losses(student):
    """The losses come back unscaled, as Python floats, one for each batch and in order."""
    for dtype, enabled in ((F16, True), (BF16, False)):
        Runs(student, *draw(), dtype=dtype, enabled=enabled, **LARGE).assert_losses()


@points(0.5, kind="gradients")
def test_gradients_cleared(student):
    """No step's gradients reach another's, which a scale of 1 would show."""
    Runs(student, *draw(), dtype=F16, scale=1.0, what="at a scale of 1").assert_weights()


@points(0.5, kind="stability")
def test_small_gradients(student):
    """Gradients of 1e-8 and less train the model as well as large ones."""
    # What is lost here is lost whole. Roundings to float16 are looked at above; of gradients this small they are as large as 1 %.
    Runs(student, *draw(), dtype=F16, factor=2.0**-20, scale=2.0**24).assert_weights(3 * CLIPPED)


@points(1, kind="gradients", needs=test_float16_training)
def test_clipping(student):
    """With max_norm, true gradients are clipped to that total norm over all that the optimizer holds; short ones stay."""
    for max_norm in (0.2, 1.0, 100.0):
        runs = Runs(student, *draw(4), dtype=F16, scale=2.0**12, max_norm=max_norm, what=f"with max_norm={max_norm}")
        runs.assert_weights(CLIPPED)


@points(0.5, kind="gradients", needs=test_disabled_scaler)
def test_clipping_without_scaler(student):
    """Clipping works with a disabled scaler as well."""
    for max_norm in (0.2, 1.0, 100.0):
        runs = Runs(student, *draw(4), dtype=F16, enabled=False, max_norm=max_norm, what=f"with max_norm={max_norm}")
        runs.assert_weights(CLIPPED)


@points(1, kind="stability")
def test_overflow(student):
    """A batch whose gradients overflow changes no weight and halves the scale; its loss keeps its place in the list."""
    for dtype in (F16, BF16):
        start, batches = draw()
        batches = overflowing(batches, at=(2, 5))
        batches[6][0][3] = torch.nan  # and one with a loss that is nan
        runs = Runs(student, start, batches, dtype=dtype, what="with three batches that overflow")
        runs.assert_weights()
        runs.assert_losses()
        runs.assert_scale()


@points(0.5, kind="stability", needs=test_float16_training)
def test_overflow_with_clipping(student):
    """A batch whose gradients overflow is left out where gradients are clipped, too."""
    start, batches = draw()
    batches = overflowing(batches, at=(0, 4))
    runs = Runs(student, start, batches, dtype=F16, max_norm=0.5, what="with two batches that overflow")
    runs.assert_weights(CLIPPED)
    runs.assert_scale()


@points(1, kind="stability")
def test_scale_schedule(student):
    """A scale that starts too high comes down until steps succeed, and rises again after each two that do."""
    runs = Runs(student, *draw(16), dtype=F16, scale=2.0**24, growth_interval=2, what="from a scale of 2**24")
    runs.assert_scale()
    runs.assert_weights()


@points(1, kind="dtypes", needs=(test_float16_training, test_bfloat16_training))
def test_autocast(student):
    """Forward pass and loss run under autocast in the dtype asked for, backward outside it, on float32 parameters."""
    for dtype in (F16, BF16):
        assert_dtypes(Runs(student, *draw(2), dtype=dtype))


def assert_dtypes(runs):
    """Fail unless every place in the network saw the dtypes, and autocast on and off, that it sees in the judge's run."""
    assert_dtype_trace(_trace(runs.answer["seen"]), _trace(runs.expected["seen"]))


_PLACES = {
    "weight": "a weight in the forward pass",
    "forward": "a linear layer's output",
    "loss": "the product inside the loss",
    "backward": "a gradient in the backward pass",
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


@points(0.5, kind="memory", needs=test_float16_training)
def test_stream(student):
    """Batches may come from a generator, which is read once and at most one batch ahead."""
    what = "from a generator that reuses two buffers"
    Runs(student, *draw(), dtype=F16, stream=True, what=what, **LARGE).assert_weights()


_ON_THE_CPU = (test_float16_training, test_losses, test_overflow, test_autocast)


@pytest.mark.gpu
@points(0, kind="dtypes", needs=_ON_THE_CPU)
def test_float16_on_a_gpu(student, device):
    """On a GPU float16 training with two batches that overflow gives the right weights, losses, scale and dtypes."""
    start, batches = draw()
    batches = overflowing(batches, at=(2, 5))
    runs = Runs(student, start, batches, dtype=F16, device=device, what="on a GPU, with two batches that overflow")
    runs.assert_weights(ON_A_GPU)
    runs.assert_losses(ulps=ON_A_GPU / torch.finfo(torch.float32).eps)
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
    assert_losses(losses, expected, ulps=ON_A_GPU / torch.finfo(torch.float32).eps)
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
