"""A fake of a function that has drifted from it fails the test that uses it."""

import shutil

import pytest


def test_a_fake_refuses_what_the_real_function_would_refuse(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_named: "there")
    assert shutil.which("git", path="/") == "there"
    with pytest.raises(AssertionError, match="would refuse this call"):
        shutil.which("git", paths="/")
