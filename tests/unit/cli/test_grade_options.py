"""What goes together on the command line of ``torchgrade grade``, which has a class or a single file to grade."""

import dataclasses

import pytest
from click.testing import CliRunner

from torchgrade.cli import main
from torchgrade.cli.commands import ClassRequest, FileRequest
from torchgrade.cli.commands import grade as command

OF_A_CLASS = [
    ["--student", "ann"],
    ["--workers", "2"],
    ["--ray", "auto"],
    ["--regrade"],
    ["--only", "ungraded"],
    ["--quiet"],
]
OF_A_FILE = [["--json"], ["--seed", "0"], ["--check", "test_it"]]


def refused(*arguments):
    done = CliRunner().invoke(main, ["grade", *arguments])
    assert done.exit_code == 2
    return done.output


@pytest.mark.parametrize("option", OF_A_CLASS, ids=lambda option: option[0])
def test_options_of_a_class_are_refused_beside_one_file(option):
    assert f"Error: {option[0]}: not with --notebook" in refused("small", "--notebook", "x.ipynb", *option)


@pytest.mark.parametrize("option", OF_A_FILE, ids=lambda option: option[0])
def test_options_of_one_file_are_refused_without_it(option):
    assert f"Error: {option[0]}: only with --notebook FILE" in refused("small", *option)


def test_one_file_is_of_one_assignment():
    assert "is a file of one ASSIGNMENT, but there are 2" in refused("small", "large", "--notebook", "x.ipynb")


def test_a_cluster_does_not_complete_what_waits_for_a_gpu():
    assert "leave --ray out" in refused("small", "--ray", "auto", "--only", "provisional")


def test_each_option_belongs_to_a_request_and_stands_in_the_help_once():
    fields = {field.name for kind in (ClassRequest, FileRequest) for field in dataclasses.fields(kind)}
    taken = {param.name for param in command.params if param.expose_value}
    lines = CliRunner().invoke(main, ["grade", "--help"]).output.splitlines()

    assert taken == fields
    for param in command.params[1:]:
        assert sum(line.split()[:1] in ([param.opts[0]], [f"{param.opts[-1]},"]) for line in lines) == 1, param.opts
