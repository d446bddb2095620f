"""Hidden checks: fake_quantize.

z = x / scale is drawn, and x made from it, so that no z is near a half, but in `test_halves`, and none is near an end of the
range, but in `test_ends`. Numbers are compared to float32's precision everywhere but in `test_exact`.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_gradients, points

from . import probes_fake_quantize as probes
from .public_fake_quantize import inside

F32, F64 = torch.float32, torch.float64


def on_the_grid(x, scale):
    """What is right inside the range: forward the rounded number, backward as if nobody had rounded."""
    z = x / scale
    return scale * (z + (z.round() - z).detach())


def outside(*shape):
    """Numbers z beyond both ends of the range of 8 bits, by 1 to 50, with a fraction between 0.1 and 0.4."""
    beyond = torch.randint(1, 50, shape) + 0.1 + 0.3 * torch.rand(shape, dtype=F64)
    below = torch.rand(shape) < 0.5
    below.view(-1)[0], below.view(-1)[1] = True, False
    return torch.where(below, -128 - beyond, 127 + beyond)


def ends(x, scale):
    """What is right outside the range of 8 bits."""
    return scale * (x.detach() / scale.detach()).clamp(-128, 127) + 0.0 * x


def draw_scale(*shape):
    """Scales between 0.5 and 1.5."""
    return 0.5 + torch.rand(shape, dtype=F64)


@points(1)
def test_values(student):
    """Numbers inside the range are rounded to the grid of their row: one scale for all, or one for each row."""
    hint = "Is each row rounded to the grid of its own scale? Print z, its nearest whole numbers, and these times scale."
    for shape, of_scale in (((4, 6), ()), ((4, 6), (4, 1)), ((7,), (1,)), ((2, 3, 5), (2, 3, 1)), ((4, 6), (4, 1))):
        scale = draw_scale(*of_scale)
        x = scale * inside(*shape)
        what = f"the result for x {list(shape)} and scale {list(of_scale)}"
        expected = on_the_grid(x, scale)
        assert_close(student.fake_quantize(x, scale), expected, scale=200.0, precision=F32, what=what, hint=hint)


@points(1, kind="stability")
def test_exact(student):
    """Each number lies on the grid exactly, in float32 and float64, inside the range and far above it."""
    hint = {
        "values": "(q - x) + x need not be q: the difference is rounded first. Which difference is exactly 0, for any x?",
        "dtype": "Does a cast decide on the dtype?",
    }
    for dtype in (F32, F64):
        z = torch.cat([inside(100), 1000 * outside(100).abs()])
        scale = draw_scale().to(dtype)
        x = z.to(dtype) * scale
        expected = z.clamp(-128, 127).round().to(dtype) * scale
        result = student.fake_quantize(x, scale)
        assert_dtype(result, dtype, hint=hint)
        plain = "Plain numbers first: a few of them by hand, one of which is far above the range."
        assert_close(result, expected, scale=0.1 / torch.finfo(F32).eps, precision=F32, ulps=1, hint=plain)
        if dtype == F64:
            lost = "The dtype is float64, the digits are those of float32. On which line do they get lost?"
            assert_close(result, expected, scale=2e5, precision=F64, what="the float64 result", hint=lost)
        assert_close(result, expected, ulps=0, what=f"the {str(dtype).removeprefix('torch.')} result", hint=hint)


@points(0.5)
def test_halves(student):
    """Halves go to the even neighbour."""
    whole = torch.randint(-20, 20, (30,), dtype=F64)
    # Not 1: the whole numbers alone, without their scale, would be right.
    scale = 2.0 ** (torch.randint(1, 4, (), dtype=F64) * (2 * torch.randint(2, ()) - 1))
    x = scale * torch.cat([whole, whole + 0.5, torch.tensor([0.5, 1.5, -0.5, -1.5, -2.5, 2.5], dtype=F64)])
    hint = "0.5 goes to 0, 1.5 and 2.5 go to 2. What do floor(z + 0.5) and trunc make of them?"
    result = student.fake_quantize(x, scale)
    assert_close(result, scale * (x / scale).round(), scale=80.0, precision=F32, what="the result for halves", hint=hint)


@points(0.5)
def test_ends(student):
    """The whole numbers go from -2 ** (bits - 1) to 2 ** (bits - 1) - 1, for 2 to 8 bits."""
    for bits in range(2, 9):
        half = 2 ** (bits - 1)
        z = torch.tensor([-half - 40.3, -half - 1.2, -half - 0.2, 0.2, half - 0.8, half + 0.2, half + 60.7], dtype=F64)
        scale = draw_scale()
        expected = scale * z.clamp(-half, half - 1).round()
        what = f"the result for {bits} bits and z = {z.tolist()}"
        hint = f"{bits} bits have {2**bits} whole numbers, 0 among them. Which is the lowest, which the highest?"
        result = student.run(probes.in_bits, scale * z, scale, bits)
        assert_close(result, expected, scale=200.0, precision=F32, what=what, hint=hint)


@points(1.5, kind="gradients")
def test_x_outside(student):
    """Outside the range x gets the gradient 0, also in .grad."""
    z = torch.cat([outside(4, 3), inside(4, 3)], dim=1)
    scale, cotangent = draw_scale(), torch.randn(4, 6, dtype=F64)
    gradient, _ = student.run(probes.backward, scale * z, scale, cotangent)
    hint = "Move a number that is far outside a little further. What happens to the result? The clamp is in the way back, too."
    if gradient is None:
        raise CheckFailed("the .grad of x is None after backward", hint="Is x itself used, or a copy of it?", slip="detached")
    expected = torch.zeros(4, 3, dtype=F64)
    if gradient.shape == z.shape:  # the gradient inside is looked at by a public check
        gradient = gradient[:, :3]
    assert_close(gradient, expected, precision=F32, what="the gradient of x outside the range", hint=hint)


@points(1, kind="gradients")
def test_scale_outside(student):
    """Outside the range scale gets the whole number at that end."""
    scales = [draw_scale().requires_grad_() for _ in range(3)]
    inputs = [(scale.detach() * outside(4, 5), scale) for scale in scales]
    hint = {
        "values": "Outside, the result is scale times a whole number that stays. What is its derivative by scale?",
        "detached": "scale is learned too: in which line does autograd lose it?",
    }
    assert_gradients(student.fake_quantize, reference=ends, inputs=inputs, scale=10.0, precision=F32, hint=hint)


@points(1, kind="gradients")
def test_scale_of_rows(student):
    """One scale for each row gets the sum of its own row, also in .grad."""
    for shape, of_scale in (((4, 6), (4, 1)), ((2, 3, 5), (2, 3, 1)), ((7,), (1,))):
        scale, cotangent = draw_scale(*of_scale), torch.randn(shape, dtype=F64)
        x = scale * inside(*shape)
        _, gradient = student.run(probes.backward, x, scale, cotangent)
        if gradient is None:
            hint = "scale is learned too: in which line does autograd lose it?"
            raise CheckFailed("the .grad of scale is None after backward", hint=hint, slip="detached")
        leaf = scale.clone().requires_grad_()
        (expected,) = torch.autograd.grad(on_the_grid(x, leaf), leaf, cotangent)
        hint = "Each number of a row moves the scale of its row: a sum, and over which dimensions?"
        what = f"the gradient of scale {list(of_scale)} for x {list(shape)}"
        assert_close(gradient, expected, scale=100.0, precision=F32, what=what, hint=hint)
