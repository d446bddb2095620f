"""When the commands import what is slow to load."""

import subprocess
import sys

SLOW = ("torch", "nbgrader", "sqlalchemy")


def loaded_by(module):
    """Those of :data:`SLOW` that are loaded together with a module."""
    program = f"import sys, {module}; print(*({set(SLOW)!r} & sys.modules.keys()))"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_judges_are_started_before_nbgrader_is_loaded():
    """Both take seconds; so they go on side by side."""
    assert loaded_by("torchgrade.cli.grade") == []
    assert "nbgrader" in loaded_by("torchgrade.gradebook.recording")


def test_the_server_that_workers_are_forked_from_is_started_before_nbgrader_is_loaded():
    assert loaded_by("torchgrade.classic.fork_server, torchgrade.cli.grade") == []
    assert "nbgrader" in loaded_by("torchgrade.classic.grading")
