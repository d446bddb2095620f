"""The tiny course, with the parts that other rooms would grade with replaced by ones that read files."""

import sys

import pytest
from tiny_course import TinyCourse


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A course of one assignment. Its configuration puts stand-ins in place; they are taken away after the test."""
    # So that what is there now, or its absence, comes back.
    monkeypatch.setitem(sys.modules, "torchgrade.runs", None)
    monkeypatch.setitem(sys.modules, "torchgrade.judge.plan", None)
    return TinyCourse(tmp_path)
