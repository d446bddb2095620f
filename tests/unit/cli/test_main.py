"""The command line itself: how it is called, what its help says, how quickly."""

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

import torchgrade
from torchgrade.cli import main


def test_the_module_is_the_command():
    line = [sys.executable, "-m", "torchgrade", "--version"]
    assert (
        subprocess.run(line, capture_output=True, text=True, check=True).stdout
        == f"torchgrade, version {torchgrade.__version__}\n"
    )


@pytest.mark.parametrize("package", ["click", "traitlets", "nbgrader"])
def test_where_only_a_students_part_is_installed_one_line_says_what_to_install(tmp_path, package):
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    program = f"import sys; sys.modules[{package!r}] = None; from torchgrade.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "release", "a", "--no-audit"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"Error: the command torchgrade needs the package '{package}', which is not installed: pip install "
        "'torchgrade[grading]'. A student's notebook needs neither\n"
    )


def test_a_module_of_our_own_that_is_missing_is_not_a_package_to_install():
    program = "import sys; sys.modules['torchgrade.cli.commands'] = None; from torchgrade.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "pip install" not in done.stderr
    assert "ModuleNotFoundError" in done.stderr


def test_help_says_the_exit_statuses_and_how_to_complete():
    said = CliRunner().invoke(main, ["--help"]).output
    assert "Exit status:" in said
    assert "_TORCHGRADE_COMPLETE=bash_source" in said


def test_help_imports_nothing_slow():
    program = (
        "import sys; from torchgrade.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "slow = {'torch', 'numpy', 'nbgrader', 'nbformat', 'pytest', 'rich', 'sqlalchemy', 'traitlets', 'IPython', 'jinja2'}\n"
        "print('slow:', sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "slow: []"


def test_a_shell_completes_commands_and_options():
    environment = {"_TORCHGRADE_COMPLETE": "bash_complete", "COMP_WORDS": "torchgrade doc", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", "from torchgrade.cli import main; main(prog_name='torchgrade')"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ["plain,doctor", "plain,docs"]


def test_the_documents_come_along():
    listed = CliRunner().invoke(main, ["docs"]).output
    assert re.search(r"^authoring +An exercise of your own$", listed, re.MULTILINE)
    assert "\npackage" not in listed
    assert CliRunner().invoke(main, ["docs", "docs/authoring.md"]).output.startswith("# An exercise of your own\n")
    missing = CliRunner().invoke(main, ["docs", "poems"])
    assert missing.exit_code == 1
    assert "there is no page 'poems'; there are: architecture, auditing, authoring, classic" in missing.output
