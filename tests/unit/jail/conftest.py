"""A real warm worker in a real jail, one for all tests of a module, with small limits."""

import contextlib

import pytest
from small_jail import BOUNDS, cells

from torchgrade.jail import Session, Student, WarmWorker


@pytest.fixture(scope="package")
def worker():
    warm = WarmWorker(BOUNDS)
    yield warm
    warm.close()


@pytest.fixture
def submission(worker):
    """A function that loads cells and gives the session and its ``student``."""
    with contextlib.ExitStack() as stack:

        def load(*sources, probes=None, seconds=60.0, returns=None):
            session = stack.enter_context(Session(worker, cells(*sources), probes=probes, seconds=seconds))
            session.load()
            return session, Student(session.exchange, seed=1, returns=returns)

        yield load
