"""A course of one assignment with two exercises and real graders, made in a folder."""

from __future__ import annotations

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from torchgrade.course import find_course
from torchgrade.notebook import compose, load_assignment, write_notebook

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "small"
c.CourseDirectory.source_directory = "assignments"
c.Limits.call_seconds = 2.0
c.Limits.cells_seconds = 3.0
c.Limits.submission_seconds = 20.0
c.Limits.memory_mb = 400
from torchgrade.gradebook import configure
configure(c)
"""
STUBS = {
    "double": "def double(x: Tensor) -> Tensor:\n    raise NotImplementedError",
    "total": "def total(x: Tensor) -> Tensor:\n    raise NotImplementedError",
}
POINTS = {"double": 7.0, "total": 3.0}
GRADERS = {
    "public_double.py": '''
import torch
from torchgrade import assert_close, points

@points(1)
def test_example(student):
    """Twice three is six."""
    assert_close(student.double(torch.tensor([3.0])), torch.tensor([6.0]), hint="Try it with one number.")
''',
    "test_double.py": '''
import pytest
import torch
from torchgrade import assert_close, assert_dtype, assert_gradients, assert_inputs_untouched, award, points, race

from . import probes

@points(2)
def test_values(student):
    """Every element is doubled."""
    x = torch.randn(5, 7)
    assert_close(student.double(x), 2 * x.double(), scale=1 + x.abs().max(), hint="Each element is doubled.")

@points(1, kind="gradients", needs=test_values)
def test_gradient(student):
    """The gradient is 2."""
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert_gradients(student.double, reference=lambda x: 2 * x, inputs=[(x,)])

@points(1, kind="inputs", needs=test_values)
def test_untouched(student):
    """The input stays as it is."""
    assert_inputs_untouched(student.double, torch.randn(4))

@points(1, kind="dtypes", needs=test_values)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dtype(student, dtype):
    """The dtype stays."""
    assert_dtype(student.double(torch.ones(2, dtype=dtype)), dtype)

@points(1, kind="speed", needs=[test_values])
def test_speed(student):
    """It is as fast as can be."""
    race(
        student.double,
        make_inputs=lambda: (torch.randn(3000, 4),),
        verify=lambda result, x: assert_close(result, 2 * x.double(), scale=10.0),
        at_most=5.0,
    )
''',
    "test_total.py": '''
import torch
from torchgrade import assert_close, assert_shape, award, points

from . import probes

@points(2)
def test_values(student):
    """The sum is right."""
    for x in torch.randn(2, 50):
        total = student.run(probes.total_of, x)
        assert_shape(total, ())
        if bool(total == total.round()):
            award(0.5, "Rounded.")
            return
        assert_close(total, x.double().sum(), scale=50.0)

@points(1)
def test_empty(student):
    """The sum of nothing is 0."""
    nothing = student.total(torch.zeros(0))
    assert_shape(nothing, ())
    assert float(nothing) == 0, "the sum of nothing is 0"
''',
    "probes.py": "def total_of(student, x):\n    return student.total(x)\n",
}
RIGHT = {
    "double": '"""Right."""\n\n\ndef double(x):\n    return 2 * x\n',
    "total": '"""Right."""\n\n\ndef total(x):\n    return x.sum()\n',
}


def _meta(grade_id, **flags):
    facts = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}
    return {"nbgrader": {**facts, "grade_id": grade_id, **flags}}


def make_course(root):
    """Write the course to ``root``."""
    cells = [
        new_markdown_cell("# Small", id="title", metadata=_meta("title")),
        new_code_cell(
            "import torch\nfrom torch import Tensor\nfrom torchgrade import check",
            id="imports",
            metadata=_meta("imports"),
        ),
    ]
    for name, stub in STUBS.items():
        cells.append(new_code_cell(stub, id=name, metadata=_meta(name, locked=False, solution=True)))
        graded = _meta(f"{name}-check", grade=True, points=POINTS[name])
        cells.append(new_code_cell(f'check("{name}")', id=f"{name}-check", metadata=graded))
    notebook = new_notebook(cells=cells)
    files = {
        "nbgrader_config.py": CONFIG,
        "graders/__init__.py": "",
        "graders/small/__init__.py": "",
        **{f"graders/small/{name}": text for name, text in GRADERS.items()},
        **{f"solutions/small/{name}/reference.py": text for name, text in RIGHT.items()},
        "assignments/small/small.ipynb": nbformat.writes(notebook),
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return find_course(root)


def submit(course, student="alice", **solutions):
    """Hand in a notebook with these solution cells; right ones where none is given, the stub for ``None``."""
    chosen = {name: solutions.get(name, text) for name, text in RIGHT.items()}
    notebook = compose(load_assignment(course.assignments, "small"), {n: t for n, t in chosen.items() if t is not None})
    path = course.submission(student, "small")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_notebook(notebook, path)
    return path


def submit_killer(course, student):
    """Hand in what a grader, from now on, answers by ending the judge that runs it."""
    path = course.graders / "small" / "test_total.py"
    title = '"""The sum is right."""\n'
    assert path.read_text().count(title) == 1
    path.write_text(path.read_text().replace(title, title + _KILLER))
    submit(course, student, total="def total(x):\n    return x.sum() * 0 + 99\n")


_KILLER = """
    import os, signal
    if float(student.total(torch.ones(4))) == 99:
        os.kill(os.getpid(), signal.SIGKILL)
"""
