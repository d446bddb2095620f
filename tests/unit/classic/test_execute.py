"""A notebook run in the jail's kernel: whose time it is."""

import asyncio

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from torchgrade.classic.execute import ExecuteInJail
from torchgrade.kernels.provisioner import JailedKernelManager

SECONDS = 2.0


class SlowToStart(JailedKernelManager):
    """As on a machine that is busy: the kernel takes longer to start than a notebook may take."""

    async def _async_pre_start_kernel(self, **kw):
        await asyncio.sleep(SECONDS + 0.2)
        return await super()._async_pre_start_kernel(**kw)


@pytest.fixture
def outputs(tmp_path):
    """Run cells with these sources, in a kernel that is slow to start; the outputs of each."""

    def run(*sources, total=SECONDS, manager=SlowToStart, timeout=30):
        config = Config({"Limits": {"submission_seconds": total}, "Execute": {"timeout": timeout}})
        step = ExecuteInJail(config=config, kernel_manager_class=manager)
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = new_notebook(cells=[new_code_cell(source) for source in sources], metadata={"kernelspec": kernel})
        ran, _ = step.preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
        return [cell.outputs for cell in ran.cells]

    return run


def test_the_time_that_a_kernel_takes_to_start_is_not_the_notebooks(outputs):
    ((output,),) = outputs("6 * 7")
    assert output.get("data") == {"text/plain": "42"}, output


def test_the_time_of_its_cells_is(outputs):
    (late,) = outputs(f"import time\ntime.sleep({SECONDS} + 5)", "6 * 7")[1]
    assert late.evalue == "This cell was not run: the notebook took longer than 2 s in all (c.Limits.submission_seconds)."


def test_a_cell_that_is_interrupted_says_first_how_long_it_took_and_then_where_it_was(outputs):
    loop, after = outputs("print('begun')\nwhile True:\n    pass", "6 * 7", total=60, manager=JailedKernelManager, timeout=1)
    printed, late, interrupt = loop
    assert printed.text == "begun\n"
    assert (late.ename, late.evalue) == ("TookTooLong", "This cell took longer than 1 s; it was interrupted.")
    assert interrupt.ename == "KeyboardInterrupt"
    assert after[0].data == {"text/plain": "42"}


def test_a_cell_that_is_interrupted_at_the_end_of_all_time_says_so(outputs):
    ((late, _),) = outputs("while True: pass", manager=JailedKernelManager)
    assert late.evalue == "The notebook took longer than 2 s in all (c.Limits.submission_seconds); it was interrupted."


def test_an_error_in_time_is_its_own(outputs):
    ((error,),) = outputs("raise KeyboardInterrupt", manager=JailedKernelManager)
    assert error.ename == "KeyboardInterrupt"
