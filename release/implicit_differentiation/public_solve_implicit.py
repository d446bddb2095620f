"""Public checks: solve_implicit. You may read and run them; `check("solve_implicit")` does.

`student.unit_circle` and `student.two_unknowns` are the equations of the notebook's locked cells.
"""

import math

import torch

from torchgrade import assert_close, assert_gradients, points


@points(0.5)
def test_circle(student):
    """The unit circle at x = 0.5 has y = 0.8660."""
    y = student.solve_implicit(student.unit_circle, torch.tensor([0.5]), torch.tensor([1.0]))
    hint = "find_root does the work here: give it F, x and y0, and return what it finds."
    assert_close(y, torch.tensor([math.sqrt(0.75)]), hint=hint)


@points(0.5, kind="gradients")
def test_circle_gradient(student):
    """The unit circle at x = 0.5 has dy/dx = -0.5774."""
    x, y0 = torch.tensor([0.5], dtype=torch.float64).requires_grad_(), torch.tensor([1.0], dtype=torch.float64)
    assert_gradients(
        lambda x: student.solve_implicit(student.unit_circle, x, y0),
        reference=lambda x: (1 - x * x).sqrt(),
        inputs=[(x,)] * 8,  # eight cotangents: one number can be right by chance
        ulps=2**36,  # 1.5e-5: room for any solver
        hint={
            "values": "With one unknown, dy/dx is -(dF/dx) / (dF/dy), at the solution, times what arrives from above.",
            "detached": "find_root has no gradient. How does autograd learn of one that it did not record?",
        },
    )


@points(0.5, kind="gradients")
def test_two_unknowns(student):
    """Two unknowns and three parameters have the right solution and the right gradient."""
    places = [torch.randn(3, dtype=torch.float64).requires_grad_() for _ in range(6)]
    x, y0 = places[0], torch.randn(2, dtype=torch.float64)

    def solved_on_paper(x):
        p, q = x[0] * x[1], x[2].sin()
        return torch.stack([p - 3 * q, p + 2 * q]) / 5

    y = student.solve_implicit(student.two_unknowns, x, y0)
    assert_close(y, solved_on_paper(x), precision=torch.float64, ulps=2**36)
    assert_gradients(
        lambda x: student.solve_implicit(student.two_unknowns, x, y0),
        reference=solved_on_paper,
        inputs=[(each,) for each in places],
        ulps=2**36,
        hint={
            "values": "dF/dy is a matrix now, here [[2, 3], [-1, 1]]: a gradient goes backwards through its transpose, and the "
            "minus stays. If you call vjp_of_solve, mend that exercise first.",
            "detached": "find_root has no gradient. How does autograd learn of one that it did not record?",
        },
    )
