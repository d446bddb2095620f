"""What all tests share: one thread, as in a judge. Modules that several tests use lie in helpers/."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)
