"""The pytest plugin for instructors: ``pytest graders/<assignment> --submission my.ipynb``, with pytest's usual options.

The plugin is installed with the package and does nothing unless ``--submission`` is given, or a grader is collected without one.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import pytest

_STASH = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--submission``, ``--torchgrade-seed`` and ``--torchgrade-device``."""
    group = parser.getgroup("torchgrade", "grading a submission")
    group.addoption("--submission", metavar="FILE.ipynb", help="the notebook that the graders are to look at")
    group.addoption(
        "--torchgrade-seed", type=int, metavar="N", help="repeat a run: the seed stands in its record and in the header"
    )
    devices = ("auto", "cpu", "cuda")
    group.addoption("--torchgrade-device", choices=devices, default="auto", help="where to grade; auto: a GPU if there is one")


def pytest_configure(config: pytest.Config) -> None:
    """Start the submission's session when a submission is named."""
    config.addinivalue_line("markers", "gpu: this check needs a GPU; it is deferred on a machine that has none")
    if config.getoption("submission", None) is None:
        return
    from torchgrade.judge.standalone import Standalone, StandaloneError  # noqa: PLC0415 - imports torch and the jail

    seed = config.getoption("torchgrade_seed")
    try:
        runner = Standalone(config, secrets.randbits(63) if seed is None else seed)
    except StandaloneError as error:
        raise pytest.UsageError(str(error)) from error
    config.stash[_STASH] = runner
    config.pluginmanager.register(runner.plugin, "torchgrade-asking")


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the submission's processes."""
    if (runner := config.stash.get(_STASH, None)) is not None:
        runner.close()


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Name the submission and the seed."""
    runner = config.stash.get(_STASH, None)
    return runner.header() if runner is not None else []


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the points of each exercise."""
    if (runner := config.stash.get(_STASH, None)) is not None:
        terminalreporter.section("points")
        for line in runner.summary():
            terminalreporter.write_line(line)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Collect public checks too: they are graders, although pytest's own pattern does not match their files."""
    if file_path.name.startswith("public_") and file_path.suffix == ".py" and _STASH in parent.config.stash:
        module: pytest.Module = pytest.Module.from_parent(parent, path=file_path)
        return module
    return None


@pytest.fixture
def student(request: pytest.FixtureRequest) -> Any:
    """The submission's names. This one takes their place if no submission was given, and says so."""
    raise pytest.UsageError(
        f"{request.node.name} is a grader and needs a submission: pytest {request.path.parent.name} --submission FILE.ipynb"
    )
