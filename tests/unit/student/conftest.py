"""A folder as a release has it, and the places where `check` runs: a script, IPython."""

import atexit
import contextlib
import io
import sys

import pytest
from made_folder import write_folder


class Run:
    """What one ``check`` showed: the plain text that a terminal gets."""

    def __init__(self, namespace):
        self.namespace = namespace

    def __call__(self, call='check("softmax")'):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(call, "<stdin>", "exec"), self.namespace)
        return printed.getvalue()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A student's folder, which is the current one."""
    write_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder):
    """``run(source)(…)``: define things in a plain Python namespace, then call ``check`` there."""

    def define(source, *, file="solution.py"):
        from torchgrade.student import check

        path = folder / file
        path.write_text(source, encoding="utf-8")
        namespace = {"__name__": "__main__", "__file__": str(path), "check": check}
        exec(compile(source, str(path), "exec"), namespace)
        return Run(namespace)

    return define


@pytest.fixture
def shell(folder, monkeypatch):
    """A running IPython, as in a terminal; ``shell.show(cell)`` gives what the cell displayed and printed."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    before = sys.excepthook, sys.displayhook
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # the shell puts its own there, and leaves it
    monkeypatch.setenv("IPYTHONDIR", str(folder / ".ipython"))
    ipython = InteractiveShell.instance(colors="nocolor", history_length=0)
    ipython.history_manager.enabled = False

    def show(cell):
        with capture_output() as captured:
            ran = ipython.run_cell(cell, store_history=True)
        ran.raise_error()
        return captured

    ipython.show = show
    ipython.run_cell("from torchgrade import check", store_history=True)
    yield ipython
    InteractiveShell.clear_instance()
    ipython.atexit_operations()
    atexit.unregister(ipython.atexit_operations)
    sys.excepthook, sys.displayhook = before
