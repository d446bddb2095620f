"""Public checks: train_ensemble. You may read and run them; `check("train_ensemble")` does."""

import torch
from torch import Tensor
from torch.optim import Optimizer

from torchgrade import CheckFailed, assert_close, points


def steps_of_a_tenth(params: list[Tensor]) -> Optimizer:
    """Each step subtracts a tenth of the gradient."""
    return torch.optim.SGD(params, lr=0.1)


def steps_of_no_length(params: list[Tensor]) -> Optimizer:
    """Nothing is learnt."""
    return torch.optim.SGD(params, lr=0.0)


def results_of(answer) -> tuple[dict[str, Tensor], Tensor]:
    """Both results, if there are two and the first is a dict with the four names."""
    names = ("w1", "b1", "w2", "b2")
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise CheckFailed("the result is not a pair: expected the trained parameters and the band", slip="type")
    trained, band = answer
    if not isinstance(trained, dict) or sorted(trained) != sorted(names):
        found = f"a dict with {sorted(trained)}" if isinstance(trained, dict) else f"a {type(trained).__name__}"
        raise CheckFailed(f"the trained parameters are {found}; expected a dict with {', '.join(names)}", slip="type")
    return trained, band


@points(1)
def test_one_step(student):
    """One step of SGD, by hand: two members with two hidden units, and three numbers for each.

    Here w1, b1 and b2 are 0, so that each net predicts 0, and the gradients can be worked out on paper.
    """
    params = {
        "w1": torch.zeros(2, 1, 2),
        "b1": torch.zeros(2, 2),
        "w2": torch.tensor([[[1.0], [-1.0]], [[2.0], [0.0]]]),
        "b2": torch.zeros(2, 1),
    }
    x = torch.tensor([[[1.0, 0.0, 2.0], [2.0, 1.0, 1.0]]])
    y = torch.tensor([[[1.0, 2.0, 0.0], [0.0, -1.0, 2.0]]])
    trained, _ = results_of(student.train_ensemble(params, x, y, steps_of_a_tenth, torch.zeros(4)))
    by_hand = {
        "b1": torch.tensor([[0.6, -0.6], [0.4, 0.0]]),
        "b2": torch.tensor([[0.6], [0.2]]),
        "w1": torch.tensor([[[0.2, -0.2]], [[0.4, 0.0]]]),
        "w2": params["w2"],
    }
    hint = {
        "shape": "The results have the shapes of the parameters that are given.",
        "factor": "The direction is right. By which number is the gradient divided, and does a net alone know that number?",
        "values": "Is the loss of member m a sum over its own numbers, x[s, m] and y[s, m]?",
    }
    if all(torch.equal(trained[name].detach(), params[name]) for name in ("w1", "b1", "b2")):
        hint["values"] = "Which tensors does the optimizer move, is it asked to, and which ones come back?"
    for name, expected in by_hand.items():
        assert_close(trained[name], expected, what=f"{name} after one step", hint=hint)


@points(1)
def test_band_by_hand(student):
    """The band of 41 nets that predict 0, 1, ..., 40 everywhere is 1, 20 and 39, if the learning rate is 0."""
    heights = torch.arange(41.0)[torch.randperm(41)]
    params = {
        "w1": torch.ones(41, 1, 5),
        "b1": torch.zeros(41, 5),
        "w2": torch.zeros(41, 5, 1),
        "b2": heights.unsqueeze(1),
    }
    x, y, grid = torch.rand(2, 41, 3), torch.rand(2, 41, 3), torch.tensor([-1.0, 1.0])
    _, band = results_of(student.train_ensemble(params, x, y, steps_of_no_length, grid))
    hint = {
        "shape": "Three numbers for each place of the grid. They tell of the spread of what: of places, or of members?",
        "values": "Of 100 members, how many may be below the band, and how many above it? Does a bell curve come into this?",
    }
    expected = torch.tensor([[1.0, 1.0], [20.0, 20.0], [39.0, 39.0]])
    assert_close(band, expected, scale=40.0, what="the band", hint=hint)
