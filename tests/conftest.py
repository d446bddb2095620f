"""What all tests share: one thread, as in a judge. Modules that several tests use lie in helpers/."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def monkeypatch():
    """Pytest's, with fakes that are held against what they replace."""
    from faithful import FaithfulMonkeyPatch

    with FaithfulMonkeyPatch.context() as patch:
        yield patch
