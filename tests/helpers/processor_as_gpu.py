"""A GPU that is made up: checks that need one run, on the processor."""

import pytest
import torch

from torchgrade.judge import environment
from torchgrade.judge.asking import Asking


def make_up_gpu(monkeypatch):
    """From now on there seems to be a GPU, whose device is the processor."""
    monkeypatch.setattr(environment, "has_gpu", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Made Up 9000")
    monkeypatch.setattr(Asking, "device", pytest.fixture(lambda self: torch.device("cpu")))
