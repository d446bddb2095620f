"""A course of one small assignment, and ways to hand in what a student might have made of it."""

import copy
import json

import pytest
from nbformat.v4 import new_notebook
from sums_assignment import ASSIGNMENT, assignment_cells, write_assignment

from torchgrade.notebook import load_assignment, parse_notebook, take_program


@pytest.fixture
def course(tmp_path):
    write_assignment(tmp_path, assignment_cells())
    return tmp_path


@pytest.fixture
def assignment(course):
    return load_assignment(course / "assignments", ASSIGNMENT)


@pytest.fixture
def cells(assignment):
    """The cells of a submission, by what they are, for a test to change; both exercises are solved."""
    found = {cell.id: cell for cell in copy.deepcopy(assignment.notebook).cells}
    found["add"].source = "def add(x):\n    return x.sum()"
    found["scale"].source = "def scale(x, by):\n    return [x * by]"
    return found


@pytest.fixture
def hand_in(assignment):
    """Hands in these cells as a file's bytes, and gives the program."""

    def hand_in(cells):
        data = json.dumps({**new_notebook(), "cells": list(cells)}).encode()
        return take_program(assignment, parse_notebook(data, "sums.ipynb"))

    return hand_in
