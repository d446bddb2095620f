"""The short form of the attacks, as an instructor runs it on their own machine."""

import pytest
from click.testing import CliRunner
from walls import ChangedBubblewrap

from torchgrade.cli import main
from torchgrade.jail.bubblewrap import Bubblewrap
from torchgrade.jail.diagnose import attack_check


@pytest.fixture(scope="module")
def tried(course):
    return {each.name: each for each in attack_check.attack(course.root)}


def test_every_wall_of_this_machine_holds(tried):
    assert [each for each in tried.values() if not each.held] == []
    assert all(each.wall for each in tried.values())


def test_the_command_says_how_many_there_are(tried):
    assert len(tried) == 15
    assert "in fifteen bounded ways" in " ".join(CliRunner().invoke(main, ["doctor", "--help"]).output.split())


def test_a_wall_that_does_not_hold_is_named():
    wall = ChangedBubblewrap(lambda line: [word for word in line if word not in ("--unshare-net", "--clearenv")])
    tried = {each.name: each for each in attack_check.attack(wall=wall)}
    assert not tried["environment read"].held
    assert tried["environment read"].detail
    assert tried["files read"].held


def test_a_machine_that_cannot_jail_gets_one_line_that_says_so(tmp_path):
    (only,) = attack_check.attack(wall=Bubblewrap(str(tmp_path / "bwrap")))
    assert (only.held, only.wall) == (False, "bubblewrap")
    assert "cannot jail" in only.detail
