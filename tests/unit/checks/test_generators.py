"""One seed for all generators, those of a GPU that is not set up yet among them."""

import random

import numpy as np
import pytest
import torch

from torchgrade.checks.generators import seed_all
from torchgrade.judge.asking import _own_state
from torchgrade.judge.race import sides


def drawn():
    return torch.rand(3).tolist(), random.random(), np.random.rand()  # noqa: NPY002 - what students use


def test_each_generator_repeats_what_it_drew():
    seed_all(2**63 - 1)
    first = drawn()
    seed_all(2**63 - 1)
    assert drawn() == first


@pytest.fixture
def seeds(monkeypatch):
    """The seeds that GPUs got, or will get once they are set up."""
    given = []
    monkeypatch.setattr(torch.cuda, "manual_seed_all", given.append)
    return given


def test_a_gpu_is_seeded_before_it_is_set_up_only_where_there_is_one(seeds):
    seed_all(5)
    assert seeds == []
    seed_all(5, cuda=True)
    assert seeds == [5]


@pytest.mark.parametrize("there", [True, False])
def test_checks_and_races_draw_from_their_secret_on_a_gpu_too(seeds, monkeypatch, there):
    monkeypatch.setattr("torchgrade.judge.environment.has_gpu", lambda: there)
    monkeypatch.setattr(sides, "has_gpu", lambda: there)
    with _own_state(7):
        pass
    draw = sides.Draw(lambda: (), 7)
    draw()
    draw()
    assert len(set(seeds)) == (3 if there else 0)
