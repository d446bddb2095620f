"""Models are made, saved, loaded and run here, beside the student's code: neither a model nor a program crosses the wall.

The judge sends the numbers of a model and its inputs, and makes the same model on its own side to know what is right.
What is loaded and run is a file that the student's code has written, so nothing of this happens in the judge.
"""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

# As in PyTorch's own classes, the argument is called input: a name that an answer may count on is one check's question.


class Scaled(nn.Module):
    """A buffer, and nothing that depends on the mode."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 6)
        self.register_buffer("scale", torch.ones(6))
        self.last = nn.Linear(6, 3)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - its name in PyTorch
        """Predict."""
        return self.last(self.scale * self.first(input).tanh())


class Centred(nn.Module):
    """The number of rows stands in the arithmetic, and in a shape."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 6)
        self.register_buffer("shift", torch.zeros(6))

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - its name in PyTorch
        """Predict."""
        hidden = self.inner(input).reshape(input.shape[0] * 2, 3)
        mean = hidden.sum(dim=0) / input.shape[0]
        return (hidden - mean).reshape(input.shape[0], 6) + self.shift


class Noisy(nn.Module):
    """Batch normalisation and dropout, one of them in a part of a part."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU())
        self.drop = nn.Dropout(0.5)
        self.last = nn.Linear(6, 3)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - its name in PyTorch
        """Predict."""
        return self.last(self.drop(self.body(input)))


class Images(nn.Module):
    """Four dimensions."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(2, 3, 3)
        self.norm = nn.BatchNorm2d(3)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - its name in PyTorch
        """Predict."""
        return self.norm(self.convolution(input)).relu().flatten(1)


class Tokens(nn.Module):
    """Whole numbers go in, float64 comes out, and the argument has a name of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(9, 4, dtype=torch.float64)
        self.last = nn.Linear(4, 2, dtype=torch.float64)

    def forward(self, tokens: Tensor) -> Tensor:
        """Predict."""
        return self.last(self.table(tokens).mean(dim=1))


KINDS = {kind.__name__: kind for kind in (Scaled, Centred, Noisy, Images, Tokens)}

RUNNING = "the loaded program"
"""What errors of running a program begin with, and those of loading it do not."""

ELSEWHERE = """
import sys, torch
folder, count = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(1)
found = []
for number in range(count):
    try:
        program = torch.export.load(f"{folder}/{number}.pt2").module()
    except Exception as error:
        found.append(f"torch.export.load(path).module() in another process raises {type(error).__name__}: {error}"[:300])
        continue
    try:
        with torch.no_grad():
            found.append(program(torch.load(f"{folder}/{number}.pt")))
    except Exception as error:
        found.append(f"the loaded program, in another process, raises {type(error).__name__}: {error}"[:300])
torch.save(found, f"{folder}/found.pt")
"""
"""What the other process runs: it knows PyTorch, and neither the notebook nor the classes above."""


def model_of(kind: str, state: dict[str, Tensor], training: list[str]) -> nn.Module:
    """A model with these numbers, in evaluation mode but for the modules that are named; "" is the model itself."""
    model = KINDS[kind]()
    model.load_state_dict(state)
    for name, module in model.named_modules():
        module.training = name in training
    return model


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"[:200]


def _loaded(data: bytes) -> nn.Module | str:
    if not data:
        return "no file was written at path"
    try:
        return torch.export.load(io.BytesIO(data)).module()
    except Exception as error:  # noqa: BLE001 - whatever it is, the student reads it
        return f"torch.export.load(path) cannot read the file: {_said(error)}"


def _predicted(program: nn.Module, batch: Tensor) -> Any:
    try:
        with torch.no_grad():
            return program(batch)
    except Exception as error:  # noqa: BLE001 - whatever it is, the student reads it
        return f"{RUNNING} raises {_said(error)}"


def saved(notebook: Any, settings: tuple[str, dict[str, Tensor], list[str]], example: Tensor, batches: list[Tensor]) -> dict:
    """Save a model, load it, and run it.

    Gives the file, the predictions for each batch (words where there are none), and the model and the example after the call.
    """
    model = model_of(*settings)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt2"
        notebook.save_program(model, example, str(path))
        data = path.read_bytes() if path.is_file() else b""
    modes = [name for name, module in model.named_modules() if module.training]
    state = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
    frozen = [name for name, parameter in model.named_parameters() if not parameter.requires_grad]
    program = _loaded(data)
    found = [program if isinstance(program, str) else _predicted(program, batch) for batch in batches]
    return {"file": data, "predictions": found, "training": modes, "state": state, "frozen": frozen, "example": example}


def elsewhere(notebook: Any, models: list[tuple[str, dict[str, Tensor], list[str]]], batches: list[Tensor]) -> list:
    """Save models, each with its batch as the example, and let a new Python process load and run them."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (settings, batch) in enumerate(zip(models, batches, strict=True)):
            notebook.save_program(model_of(*settings), batch.clone(), Path(folder) / f"{number}.pt2")
            torch.save(batch, f"{folder}/{number}.pt")
        command = [sys.executable, "-c", ELSEWHERE, folder, str(len(models))]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": ""})
        return torch.load(f"{folder}/found.pt")
