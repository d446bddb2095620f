"""The tiny course."""

import pytest
from tiny_course import TinyCourse


@pytest.fixture
def tiny(tmp_path):
    """A course of one assignment."""
    return TinyCourse(tmp_path)
