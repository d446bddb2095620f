"""What all tests share: one thread, as in a judge, and fakes that are called as the real thing. Helpers lie in helpers/."""

import pytest
import torch
from faithful import FaithfulMonkeyPatch


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def monkeypatch():
    """Pytest's, with fakes that are held against what they replace."""
    with FaithfulMonkeyPatch.context() as patch:
        yield patch
