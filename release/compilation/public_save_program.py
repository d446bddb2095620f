"""Public checks: save_program. You may read and run them; `check("save_program")` does."""

import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

from torchgrade import CheckFailed, assert_close, points
from torchgrade.checks.notes import rests_on_word

UNREADABLE = "What does torch.export.load read, and which function writes it?"


def predicted(notebook, weight: Tensor, mode: str, example: Tensor, batches: list[Tensor]) -> list:
    """Save a model of one layer and a dropout, load the file, and predict; words where that is not possible."""
    model = nn.Sequential(nn.Linear(2, 1, bias=False), nn.Dropout(0.5))
    with torch.no_grad():
        model[0].weight.copy_(weight)
    model.train(mode == "training")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt2"
        notebook.save_program(model, example, str(path))
        if not path.is_file():
            return ["no file was written at path"]
        try:
            program = torch.export.load(path).module()
        except Exception as error:  # noqa: BLE001 - whatever it is, the student reads it
            return [f"torch.export.load(path) cannot read the file: {type(error).__name__}: {error}".splitlines()[0][:200]]
    found = []
    for batch in batches:
        try:
            with torch.no_grad():
                found.append(program(batch))
        except Exception as error:  # noqa: BLE001 - whatever it is, the student reads it
            message = f"{type(error).__name__}: {error}".strip().splitlines()[0]
            found.append(f"the loaded program raises {message[:200]}, for a batch of {len(batch)}")
    return found


def modes(notebook, example: Tensor) -> list[bool]:
    """Save a model that is being trained; then, for it and for each part of it, whether it is in training mode."""
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
    with tempfile.TemporaryDirectory() as folder:
        notebook.save_program(model, example, str(Path(folder) / "model.pt2"))
        if not (Path(folder) / "model.pt2").is_file():
            return []
    return [module.training for module in model.modules()]


@points(1)
def test_by_hand(student):
    """Three rows times the weights 1 and 10 give what you can work out on paper, though there is a dropout in the model."""
    rows = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    (found,) = student.run(predicted, torch.tensor([[1.0, 10.0]]), "training", rows, [rows])
    if isinstance(found, str):
        raise CheckFailed(found, hint=UNREADABLE)
    hint = "Dropout makes half of the numbers 0, and doubles the others. In which mode does it leave them alone?"
    assert_close(found, torch.tensor([[21.0], [43.0], [65.0]]), scale=65.0, what="the prediction", hint=hint)


@points(0.5, kind="shapes")
def test_more_rows(student):
    """A program that was saved with an example of three rows takes five."""
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [0.0, 2.0]])
    (found,) = student.run(predicted, torch.tensor([[1.0, 10.0]]), "evaluation", torch.ones(3, 2), [rows])
    if isinstance(found, str):
        hint = "How many rows does the program expect, and where does it know that number from?"
        raise CheckFailed(found, hint=hint if "for a batch of" in found else UNREADABLE)
    expected = torch.tensor([[1.0], [10.0], [11.0], [2.0], [20.0]])
    assert_close(found, expected, scale=20.0, what="the prediction for five rows")


@points(0.5, kind="inputs")
def test_training_goes_on(student):
    """A model that was in training mode is in it after the call, with all its parts."""
    rests_on_word()
    found = student.run(modes, torch.randn(4, 2))
    if not found:
        raise CheckFailed("no file was written at path")
    names = ["the model itself", "the linear layer", "the batch normalisation", "the dropout"]
    for name, training in zip(names, found, strict=True):
        if not training:
            hint = "Training goes on after your call. With dropout, or without?"
            raise CheckFailed(f"{name} is in evaluation mode after the call; it was in training mode", hint=hint)
