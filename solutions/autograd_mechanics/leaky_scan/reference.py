"""Steps all signals at once, with a new tensor for each step, and stacks the steps.

Why: the product decay * state is what autograd needs state for. As each step makes a new state, none that was saved is ever
    overwritten. The steps after the end of a signal are computed like the others, and replaced by zeros at the end.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def leaky_scan(signals: Sequence[Tensor], decay: Tensor) -> Tensor:
    x = pad_sequence(list(signals), batch_first=True)
    inside = torch.arange(x.shape[1]) < torch.tensor([[len(signal)] for signal in signals])
    state, states = torch.zeros_like(decay), []
    for now in x.unbind(1):
        state = decay * state + now
        states.append(state)
    return torch.where(inside.unsqueeze(2), torch.stack(states, dim=1), 0.0)
