"""Saves the weights.

Fails: test_by_hand, test_more_rows, test_predictions, test_sizes, test_example_of_one, test_other_inputs, test_evaluation_stays, test_mixed_modes, test_state, test_elsewhere, test_file
Costs: 11.5, because the file is not a program.
Says: the weights are saved without the code that uses them
"""

import os

import torch
from torch import Tensor, nn


def save_program(model: nn.Module, example: Tensor, path: str | os.PathLike) -> None:
    torch.save(model.state_dict(), path)
