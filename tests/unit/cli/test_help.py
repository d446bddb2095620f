"""What ``--help`` says of the commands, on a terminal of 80 columns."""

import pytest
from click.testing import CliRunner

from torchgrade.cli import main

SAYS_WHAT_IT_DOES = ("release", "audit", "grade", "feedback", "watch", "report", "solutions", "export")


def help_of(*arguments):
    done = CliRunner().invoke(main, [*arguments, "--help"], terminal_width=80)
    assert done.exit_code == 0
    return done.output


def test_a_summary_is_a_whole_sentence():
    listed = help_of().partition("Commands:\n")[2].partition("\n\n")[0].splitlines()

    assert [line.split()[0] for line in listed] == list(main.list_commands(None))
    for line in listed:
        assert line.endswith("."), line
        assert not line.endswith("..."), line


@pytest.mark.parametrize("command", SAYS_WHAT_IT_DOES)
def test_quiet_is_the_same_option_everywhere(command):
    assert "-q, --quiet" in help_of(command)
    assert "Print problems only." in help_of(command)
