"""Public checks: fit. You may read and run them; `check("fit")` does."""

import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

from torchgrade import CheckFailed, assert_close, points


def fitted(
    notebook, starts: list[float], x: Tensor, y: Tensor, epochs: list[int], batch_size: int, lr: float
) -> tuple[list, list[Tensor]]:
    """Call ``fit`` several times with one file, each time with a new ``nn.Linear(1, 1)`` whose weight and bias are a start.

    Gives what each call returned, and weight and bias after each.
    """
    losses, weights = [], []
    with tempfile.TemporaryDirectory() as folder, torch.random.fork_rng(devices=[]):
        for start, count in zip(starts, epochs, strict=True):
            model = nn.Linear(1, 1)
            with torch.no_grad():
                model.weight.fill_(start)
                model.bias.fill_(start)
            found = notebook.fit(model, x, y, epochs=count, batch_size=batch_size, lr=lr, checkpoint=Path(folder, "run.pt"))
            losses.append(found)
            weights.append(torch.cat([model.weight.detach().flatten(), model.bias.detach()]))
    return losses, weights


def _number(loss) -> float:
    return float(loss.detach() if isinstance(loss, Tensor) else loss)


@points(1)
def test_first_step(student):
    """The first step of Adam is lr long: with lr = 0.1, weight and bias go from 0 to 0.1."""
    x, y = torch.tensor([[-1.0], [1.0]]), torch.tensor([0.0, 4.0])
    _, (weights,) = student.run(fitted, [0.0], x, y, [1], 2, 0.1)
    hint = "Adam's first step has the length of lr, whatever the gradient. How long is yours, and which way does it go?"
    if float(weights.abs().max()) < 0.01:
        hint = "Nothing moved. Is there a gradient at the moment of step(), and does the optimizer have this model's parameters?"
    elif abs(float(weights[0])) < 0.01:
        hint = "The model gives [2, 1], and y is [2]. What shape has their difference, and which pairs does it compare?"
    assert_close(weights, torch.tensor([0.1, 0.1]), ulps=256, what="weight and bias after one step", hint=hint)


@points(0.5)
def test_losses_by_hand(student):
    """Three rows in batches of two, with lr 0: each epoch's loss is the mean over the rows, a float."""
    x, y = torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([0.0, 0.0, 3.0])
    (losses,), _ = student.run(fitted, [0.0], x, y, [2], 2, 0.0)
    if type(losses) is not list or len(losses) != 2:
        raise CheckFailed(f"two epochs gave {losses!r}; expected a list of two numbers", slip="type")
    if kinds := {type(loss).__name__ for loss in losses} - {"float"}:
        hint = "What keeps a loss that is still a tensor alive, and how do you get its number?"
        raise CheckFailed(f"the losses are of type {', '.join(kinds)}; expected float", hint=hint, slip="dtype")
    hint = "The squares are 0, 0 and 9. The batches have two rows and one: how much does each row weigh?"
    assert_close(torch.tensor(losses), torch.tensor([3.0, 3.0]), what="the losses of two epochs", hint=hint)


@points(1)
def test_goes_on(student):
    """A second call, with a new model, the same file and one epoch more, goes on where the first one ended."""
    x, y = torch.tensor([[-1.0], [1.0]]), torch.tensor([0.0, 4.0])
    (first, second), (before, after) = student.run(fitted, [0.0, 100.0], x, y, [2, 3], 2, 0.1)
    far = float((after - before).abs().max())
    if far > 1:
        hint = "Where do the weights of the first call stand now, and who puts them into the new model?"
        raise CheckFailed(
            f"the third epoch moved a weight by {far:.4g}; with lr = 0.1 it moves by about 0.1", hint=hint, slip="values"
        )
    if len(second) != 3:
        hint = "epochs says how many there are in all, and all their losses come back: also those from before."
        if len(second) > 3:
            hint = "How many epochs were done when the file was written, and how many were left to train?"
        raise CheckFailed(
            f"2 epochs, then a call with epochs=3: {len(second)} losses came back; expected 3", hint=hint, slip="shape"
        )
    if [_number(loss) for loss in second[:2]] != [_number(loss) for loss in first]:
        hint = "Which losses stand in the file, in which order, and which epochs did the second call train?"
        raise CheckFailed(f"the first call's losses are {first}; the second call says {second[:2]}", hint=hint, slip="values")
