"""What all tests share: one thread, as in a judge; and the helpers beside this file."""

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)
