"""The one line of an instructor's configuration."""

import subprocess
import sys
from pathlib import Path

import pytest
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from torchgrade.course import Limits
from torchgrade.gradebook import configure, settings

CONFIG = Path(__file__).parents[3] / "nbgrader_config.py"


def test_the_configuration_imports_neither_torch_nor_nbgrader():
    code = (
        "import sys; from pathlib import Path; from torchgrade.course import find_course; "
        f"find_course(Path({str(CONFIG.parent)!r})); print([m for m in ('torch', 'nbgrader', 'nbconvert') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=CONFIG.parent, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", sorted({*settings.SANITIZE, *settings.AUTOGRADE, *settings.GENERATE}))
def test_every_step_that_the_configuration_names_exists(name):
    assert import_item(name)


def test_nothing_in_autograding_runs_a_notebook():
    assert not any("Execute" in name for name in settings.SANITIZE + settings.AUTOGRADE)


def test_what_an_instructor_sets_after_it_counts():
    c = Config()
    configure(c)
    c.OverwriteCells.add_missing_cells = False
    assert c.OverwriteCells.add_missing_cells is False


def test_the_courses_configuration_names_every_limit_with_its_default():
    lines = CONFIG.read_text().splitlines()
    for name, trait in Limits.class_own_traits(config=True).items():
        assert f"# c.Limits.{name} = {trait.default_value}" in lines
