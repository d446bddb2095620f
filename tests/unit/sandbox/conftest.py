"""A real warm worker in a real jail, one for all tests of a module, with small limits."""

import contextlib

import pytest

from torchgrade.sandbox import Bounds, Session, Student, WarmWorker

BOUNDS = Bounds(call_seconds=2.0, cells_seconds=3.0, memory=400 << 20, scratch=16 << 20, processes=40, output=64 << 10)


@pytest.fixture(scope="package")
def worker():
    warm = WarmWorker(BOUNDS)
    yield warm
    warm.close()


def cells(*sources):
    """A program in wire form: one cell for each source."""
    return [{"number": n, "grade_id": None, "source": text, "python": text} for n, text in enumerate(sources, start=1)]


@pytest.fixture
def submission(worker):
    """A function that loads cells and gives the session and its ``student``."""
    with contextlib.ExitStack() as stack:

        def load(*sources, probes=None, seconds=60.0, returns=None):
            session = stack.enter_context(Session(worker, cells(*sources), probes=probes, seconds=seconds))
            session.load()
            return session, Student(session.exchange, seed=1, returns=returns, processor_seconds=session.processor_seconds)

        yield load
