"""Public checks: omega. You may read and run them; `check("omega")` does."""

import torch

from torchgrade import assert_close, points


@points(0.25)
def test_values(student):
    """omega(1) is 0, omega(1 + e) is 1, and omega(-1 + 1/e) is -1."""
    e = torch.tensor(1.0).exp()
    x = torch.stack([torch.tensor(1.0), 1 + e, -1 + 1 / e])
    hint = "omega_values has them: return what it gives."
    assert_close(student.omega(x), torch.tensor([0.0, 1.0, -1.0]), scale=4.0, hint=hint)
    again = "the result for the same numbers in another order"
    assert_close(student.omega(x.flip(0)), torch.tensor([-1.0, 1.0, 0.0]), scale=4.0, what=again, hint=hint)
