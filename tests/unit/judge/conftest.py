"""A track to race on, one for all tests of a module."""

import pytest
from small_race import Track


@pytest.fixture(scope="package")
def track(tmp_path_factory):
    made = Track(tmp_path_factory.mktemp("track"))
    yield made
    made.close()
