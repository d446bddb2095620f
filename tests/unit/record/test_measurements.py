"""What the judge measures has the shape that pages and audit read, in a record of 0.1 and in what is measured now."""

import json
from pathlib import Path

import msgspec
import pytest
import torch
from made_samples import samples

from torchgrade.checks.mismatch import mismatch
from torchgrade.judge.race.samples import Batch
from torchgrade.judge.race.sentences import as_measurements
from torchgrade.judge.race.verdict import Curve, Limit, decide
from torchgrade.record import measurement_of
from torchgrade.record.measurements import Gradient, Memory, Mismatch, Race, RaceBatch
from torchgrade.record.reading import read_record

SHAPES = {"race": Race, "memory": Memory, "mismatch": Mismatch, "gradient": Gradient}
OLD = read_record(json.loads(Path(__file__).with_name("record_of_0.1.json").read_text(encoding="utf-8")))


def names_in(shape, value):
    """The value has the shape, and no field that the shape does not name."""
    msgspec.convert(value, shape, strict=True)
    return set(value) <= set(shape.__annotations__)


@pytest.mark.parametrize("name", ["race", "memory", "mismatch", "gradient"])
def test_what_0_1_measured_has_the_shape_that_is_read(name):
    found = [measurement_of(check, name) for check in OLD.checks if name in check.measurements]
    assert found
    assert all(names_in(SHAPES[name], each) for each in found)


def test_what_a_grader_measured_under_a_name_of_its_own_is_kept():
    assert [check.measurements["samples"] for check in OLD.checks if "samples" in check.measurements] == [
        {f"worker {worker} of rank {rank}": 16 for rank in (0, 1) for worker in (0, 1)}
    ]


@pytest.mark.parametrize("curve", [None, Curve("reference", 3.0, 9.0)])
def test_what_a_race_measures_has_the_shape_that_is_read(curve):
    limits, some = [Limit("reference", 3.0)], samples(1.2)
    batches = [Batch(some, some, some, some)] * 3
    verdict = decide(batches, limits, curve, spent=True)
    kept = as_measurements(verdict, batches, limits, curve, {"clock": "/proc", "calls_a_sample": 2})
    assert names_in(Race, kept)
    assert all(names_in(RaceBatch, each) for each in kept["batches"])


def test_a_mismatch_has_the_shape_that_is_read():
    assert names_in(Mismatch, mismatch(torch.tensor([True, False]), torch.tensor([0.5, 0.0])))


@pytest.mark.parametrize("odd", [3, "text", [1], True])
def test_what_a_grader_measured_in_another_form_under_such_a_name_is_nothing_to_draw(odd):
    check = OLD.checks[0]
    changed = type(check)(check.name, check.title, check.visibility, check.outcome, 0.0, 1.0, measurements={"race": odd})
    assert measurement_of(changed, "race") is None
