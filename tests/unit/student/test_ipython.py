"""`check()` in IPython and in a real kernel."""

import nbformat
import pytest
from made_folder import SOFTMAX
from nbformat.v4 import new_code_cell, new_notebook


def outputs_of(captured):
    return [output.data for output in captured.outputs]


def test_a_notebook_gets_html_and_a_terminal_the_same_as_text(shell):
    shell.show(SOFTMAX)
    (data,) = outputs_of(shell.show('check("softmax")'))

    assert "4 / 4 points in the public checks" in data["text/html"]
    assert "✓ 1 / 1  Probabilities sum to 1" in data["text/plain"]


def test_nothing_else_is_printed(shell):
    shell.show(SOFTMAX)
    captured = shell.show('check("softmax")')

    assert (captured.stdout, captured.stderr, len(captured.outputs)) == ("", "", 1)


def test_a_line_of_a_cell_is_named_by_the_cells_number(shell):
    shell.show("def softmax(x, dim=-1):\n    y = x * 2\n    return y[5, 5, 5]\n")
    number = shell.execution_count - 1
    (data,) = outputs_of(shell.show('check("softmax")'))

    assert f"(cell In [{number}], line 3: return y[5, 5, 5])" in data["text/plain"]


def test_a_stub_in_a_cell_is_not_written_yet(shell):
    shell.show("def softmax(x, dim=-1):\n    raise NotImplementedError('your code here')\n")

    assert "softmax is not written yet." in outputs_of(shell.show('check("softmax")'))[0]["text/plain"]


def test_check_works_inside_a_function_of_the_notebook(shell):
    shell.show(SOFTMAX + "\ndef all_checks():\n    check('softmax')\n")

    assert "4 / 4 points" in outputs_of(shell.show("all_checks()"))[0]["text/plain"]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook that a real kernel ran, in its folder."""
    import sys

    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from made_folder import write_folder
    from nbclient import NotebookClient

    class Manager(AsyncKernelManager):
        @property
        def kernel_spec(self):
            return KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"])

    folder = tmp_path_factory.mktemp("kernel")
    write_folder(folder)
    cells = [
        "from torchgrade import check",
        SOFTMAX,
        'check("softmax")',
        "import torch\ndef softmax(x, dim=-1):\n    return x.nope()\n",
        'check("softmax")',
        "del softmax",
        'check("softmax")',
    ]
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    nbformat.validate(notebook)
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}, kernel_manager_class=Manager)
    client.execute()
    return notebook


def text_of(executed, index):
    (output,) = executed.cells[index].outputs
    assert output.output_type == "display_data"
    return output.data["text/plain"]


def test_a_real_kernel_shows_the_table_as_html(executed):
    assert "4 / 4 points" in text_of(executed, 2)
    assert executed.cells[2].outputs[0].data["text/html"].startswith("<div")


def test_a_real_kernel_names_the_cell_that_raised(executed):
    text = text_of(executed, 4)

    assert "Your code raised AttributeError: 'Tensor' object has no attribute 'nope'" in text
    assert "(cell In [4], line 3: return x.nope())" in text


def test_a_real_kernel_says_when_a_name_is_gone(executed):
    assert "softmax is not defined yet: run the cell above first." in text_of(executed, 6)
