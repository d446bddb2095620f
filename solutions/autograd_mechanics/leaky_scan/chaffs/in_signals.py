"""Adds in the signals' own memory.

Fails: test_gradient, test_gradients, test_anomaly, test_inputs_untouched, test_operations, test_speed
Costs: 5.5, because a leaf that is written into has no gradient at all, the caller's numbers are gone, and it is a loop over both.
Says: the signals themselves are written into
"""

from collections.abc import Sequence

from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    for x in signals:
        for t in range(1, len(x)):
            x[t] += decay * x[t - 1]
    return pad_sequence(list(signals), batch_first=True)
