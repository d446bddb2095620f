"""Public checks: unit. You may read and run them; `check("unit")` does."""

import torch

from torchgrade import assert_close, assert_gradients, points

F32, F64 = torch.float32, torch.float64
OWN = "A row of 1e-42 has a norm that float32 can store to three digits only. Is it ever stored as such?"
# In this order: each size can go wrong in a way of its own, and so has a hint of its own.
SIZES = (
    (1e20, 5, "Is 1e20 squared a float32? The largest is 3.4e38."),
    (1e-20, 5, "Is 1e-20 squared a float32? The smallest that is exact to seven digits is 1.2e-38."),
    (1e30, 5, "Are all the numbers that you square of ordinary size?"),
    (1e-30, 5, "Are all the numbers that you square of ordinary size, and is anything added to them or to their norm?"),
    (7.5e37, 64, "64 entries of 7.5e37 have the norm 6e38, which is not a float32. Do you need to store it?"),
    *((1.5e-42, n, OWN) for n in (3, 4, 5, 6, 7, 8)),
)


def entries(n, size, dtype=F32):
    """A vector of n entries, each between 0.7 and 1.3 times the size, with random signs."""
    numbers = size * (0.7 + 0.6 * torch.rand(n, dtype=F64)) * (2 * torch.randint(2, (n,)) - 1)
    return numbers.to(dtype)


def unit(x):
    """What is right for a vector whose square is a number of float64: that has room for all of float32's."""
    return x.double() / x.double().square().sum().sqrt()


@points(1)
def test_by_hand(student):
    """[3, 4] becomes [0.6, 0.8], and [2, -1, 2, -4] becomes [0.4, -0.2, 0.4, -0.8]."""
    for x, norm in ([3.0, 4.0], 5), ([2.0, -1.0, 2.0, -4.0], 5), ([-7.0, 0.0, 24.0], 25), ([0.0, -12.0, 5.0], 13):
        hint = {"values": "Divide by the root of the sum of the squares.", "shape": "The result has the shape of x."}
        assert_close(student.unit(torch.tensor(x)), torch.tensor(x) / norm, hint=hint)


@points(1.5, kind="stability")
def test_range(student):
    """Entries from 1e-42 to 1e38 give a right vector in float32."""
    turned = "Where does it become infinite? 1 / 1e-42 is, and so is a number that is divided by a square that became 0."
    factor = "All entries are off by the same factor. Which norm is it that you divide by?"
    for size, n, hint in SIZES:
        x = entries(n, size)
        x = x.abs() if size < 1e-40 else x  # so few digits that entries of both signs may add up to 0
        hints = {"values": hint, "nan": turned, "factor": factor}
        assert_close(student.unit(x), unit(x), what=f"the result for entries near {size:g}", hint=hints)


@points(1.5, kind="gradients")
def test_gradient(student):
    """The gradient of a vector is right, for any gradient that arrives from above."""
    hint = "The norm depends on x as well. Is all of what it depends on seen by autograd?"
    vectors = [entries(n, 2.0, F64) for n in (5, 2, 7)]
    vectors[0][3] = 0.0  # an entry of 0 moves the result, too
    inputs = [(vector.requires_grad_(),) for vector in vectors]
    # In float32's precision: an answer that passes through float32 is told so by another check, and once.
    assert_gradients(student.unit, reference=unit, inputs=inputs, precision=F32, hint=hint)
