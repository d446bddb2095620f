"""What all tests share: one thread, as in a judge; fakes that are called as the real thing; subjects. Helpers lie in helpers/."""

import os
import shutil
import tempfile
from multiprocessing.util import Finalize
from pathlib import Path

import pytest
import torch
from faithful import FaithfulMonkeyPatch
from subjects import SUBJECTS
from warm_process import look_the_revision_up_once

_MINUTES = ("tests/end_to_end/", "tests/attacks/", "tests/unit/runs/", "tests/unit/jail/", "tests/unit/judge/")


def pytest_configure(config):
    """Whatever the tests, and what they start, leave in the system's folder for temporary files goes with them.

    Pytest's own folders stay where they are, for a look at what failed.
    """
    if hasattr(config, "workerinput"):  # one of xdist's processes: it has the folder from the one that started it
        return
    os.environ["PYTEST_DEBUG_TEMPROOT"] = tempfile.gettempdir()
    folder = os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(prefix="tests-")
    Path(folder).chmod(0o1777)  # as the system's is: some tests run as an ordinary user
    # Not when pytest ends: multiprocessing takes its own folders away after that, at -100.
    Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=-200)


@pytest.fixture(autouse=True)
def gradebooks_are_made_at_once():
    look_the_revision_up_once()


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def monkeypatch():
    """Pytest's, with fakes that are held against what they replace."""
    with FaithfulMonkeyPatch.context() as patch:
        yield patch


@pytest.hookimpl(tryfirst=True)  # before pytest looks at -m
def pytest_collection_modifyitems(items):
    """What has a subject takes long; files that take a minute come before those that take seconds, or one process ends alone."""
    items.sort(key=lambda item: not item.nodeid.startswith(_MINUTES))
    for item in items:
        if any(mark.name in SUBJECTS for mark in item.iter_markers()):
            item.add_marker(pytest.mark.long)
