"""A classic course of one assignment: in its notebook ``ps`` are tests and an exercise with checks, in ``more`` only tests."""

from __future__ import annotations

import shutil

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from quickstart import run

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "mixed"
c.JailProvisioner.preload = "torch"
from torchgrade.classic import configure
configure(c)
"""
HIDDEN = "assert mean([1.0, 3.5]) == 2.25"
CELLS = {
    "imports": "import torch\nfrom torch import Tensor\nfrom torchgrade import check",
    "mean": "### BEGIN SOLUTION\ndef mean(values):\n    return sum(values) / len(values)\n### END SOLUTION",
    "mean-test": f"assert mean([1, 2, 3]) == 2\n### BEGIN HIDDEN TESTS\n{HIDDEN}, 'not for every list'\n### END HIDDEN TESTS",
    "double": 'def double(x: Tensor) -> Tensor:\n    """Twice x."""\n    raise NotImplementedError',
    "double-check": 'check("double")',
    "essay": "Why?",
    "share": "share = 0.0",
    "share-test": "share",
}
POINTS = {"mean-test": 2, "double-check": 4, "essay": 3, "share-test": 1}
ANSWERS = {"mean", "double", "essay", "share"}
PUBLIC = '''
import torch
from torchgrade import assert_close, points

@points(1)
def test_example(student):
    """Twice three is six."""
    assert_close(student.double(torch.tensor([3.0])), torch.tensor([6.0]), hint="Try it with one number.")
'''
GRADERS = '''
import torch
from torchgrade import assert_close, points

@points(3)
def test_secret(student):
    """Every element is doubled."""
    x = torch.randn(5, 7)
    assert_close(student.double(x), 2 * x.double(), scale=10.0, hint="Each element is doubled.")
'''
REFERENCE = '"""Right."""\n\n\ndef double(x):\n    twice = x.new_tensor(2)\n    return twice * x\n'
RIGHT = {
    "mean": "def mean(values):\n    return sum(values) / len(values)\n",
    "double": "def double(x):\n    return 2 * x\n",
    "essay": "Because.",
    "share": "share = 1.0",
}


def cell(name, **flags):
    """A cell of the assignment."""
    facts = {"grade": name in POINTS, "solution": name in ANSWERS, "locked": name not in ANSWERS, "task": False}
    facts |= {"grade_id": name, "schema_version": 3} | ({"points": POINTS[name]} if name in POINTS else {}) | flags
    new = new_markdown_cell if name == "essay" else new_code_cell
    return new(CELLS[name], id=name, metadata={"nbgrader": facts})


def write(path, cells):
    """Write a notebook of these cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=list(cells), metadata={"kernelspec": kernel}), path)


def make_mixed(root, *lines):
    """The course, with these lines in its configuration."""
    files = {
        "nbgrader_config.py": CONFIG + "".join(f"{line}\n" for line in lines),
        "graders/__init__.py": "",
        "graders/ps/__init__.py": "",
        "graders/ps/public_double.py": PUBLIC,
        "graders/ps/test_double.py": GRADERS,
        "solutions/ps/double/reference.py": REFERENCE,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    write(root / "source/ps/ps.ipynb", map(cell, CELLS))
    write(root / "source/ps/more.ipynb", map(cell, ("mean", "mean-test")))
    status, said = run(root, "torchgrade", "release", "ps", "--no-audit")
    assert status == 0, said


def hand_in(root, student, change=lambda notebook: None, **answers):
    """Hand in what was released, with right answers but for these; ``change`` may do more to ``ps``."""
    folder = root / "submitted" / student / "ps"
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(root / "release" / "ps", folder)
    answer(folder, change, **answers)


def answer(folder, change=lambda notebook: None, **answers):
    """Solve what was released in its own folder, or in a copy, as :func:`hand_in` says."""
    for name in ("ps", "more"):
        notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
        for each in notebook.cells:
            grade_id = each.metadata.get("nbgrader", {}).get("grade_id")
            each.source = (RIGHT | answers).get(grade_id, each.source)
        if name == "ps":
            change(notebook)
        nbformat.write(notebook, folder / f"{name}.ipynb")
