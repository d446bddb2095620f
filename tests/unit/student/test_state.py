"""The kernel's state before and after a check."""

import os
import random
import warnings

import numpy as np
import pytest
import torch
from made_folder import SOFTMAX, one_check, write_folder

ROUGH = """
import os, random, tempfile, warnings
import numpy as np
import torch

def softmax(x, dim=-1):
    random.random(), np.random.rand(3), torch.rand(3)
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(3)
    torch.use_deterministic_algorithms(True)
    torch.set_float32_matmul_precision("medium")
    torch.backends.cudnn.deterministic = True
    torch.set_default_device("meta")
    warnings.simplefilter("ignore")
    os.chdir(tempfile.gettempdir())
    raise ValueError
"""

READ = {
    "python's generator": random.getstate,
    "numpy's generator": lambda: repr(np.random.get_state()),  # noqa: NPY002 - the one that students use
    "torch's generator": lambda: torch.get_rng_state().tolist(),
    "grad mode": torch.is_grad_enabled,
    "default dtype": torch.get_default_dtype,
    "default device": torch.get_default_device,
    "threads": torch.get_num_threads,
    "determinism": torch.are_deterministic_algorithms_enabled,
    "cudnn": lambda: torch.backends.cudnn.deterministic,
    "precision": torch.get_float32_matmul_precision,
    "warnings": lambda: list(warnings.filters),
    "folder": os.getcwd,
}


@pytest.mark.parametrize("what", READ)
def test_a_check_leaves_the_kernel_as_it_was(run, what):
    notebook = run(ROUGH)
    before = READ[what]()
    text = notebook()

    assert "ValueError" in text
    assert READ[what]() == before


@pytest.mark.parametrize(("what", "value"), [("grad mode", False), ("default dtype", torch.float64)])
def test_what_the_student_set_stays_set(run, what, value):
    notebook = run(SOFTMAX)
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    try:
        text = notebook()
        assert READ[what]() == value
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
    assert "4 / 4 points" in text


def test_inputs_do_not_depend_on_the_students_seed(run, folder):
    write_folder(folder, one_check("raise CheckFailed(str(torch.randn(4).tolist()))"))
    notebook = run(SOFTMAX)
    shown = set()
    for _ in range(2):
        torch.manual_seed(0)
        shown.add(notebook())

    assert len(shown) == 2


def test_checks_run_in_float32_with_gradients_whatever_is_set(run, folder):
    write_folder(folder, one_check("assert torch.is_grad_enabled() and torch.get_default_dtype() == torch.float32, 'set'"))
    notebook = run(SOFTMAX)
    with torch.no_grad():
        assert "✓ 1 / 1" in notebook()
