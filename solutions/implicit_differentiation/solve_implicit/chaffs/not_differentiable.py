"""Returns what find_root returns.

Fails: test_circle_gradient (detached), test_two_unknowns (detached), test_gradient_of_linear_systems (detached),
    test_gradient_of_contractions (detached), test_gradient_of_cubic_equations (detached), test_every_cotangent
    (detached), test_badly_scaled (detached), test_every_size (detached), test_two_solutions (detached),
    test_warm_start (detached), test_singular (detached), test_dtypes (detached), test_start_gets_no_gradient
    (detached), test_no_large_matrix (raised), test_calls_of_F (detached), test_speed (detached)
Costs: 10, because nothing can be differentiated.
Says: nothing tells autograd about the gradient
"""

from collections.abc import Callable

import torch
from torch import Tensor


def solve_implicit(F: Callable[[Tensor, Tensor], Tensor], x: Tensor, y0: Tensor) -> Tensor:
    return find_root(F, x, y0)
