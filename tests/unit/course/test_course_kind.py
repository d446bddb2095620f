"""The kind of a course: told by its configuration, and asked for by facts alone."""

import re
from pathlib import Path

import pytest

import torchgrade
from torchgrade.classic import settings as classic_settings
from torchgrade.course import CHECKS_COURSE, CLASSIC_COURSE, KINDS, find_course
from torchgrade.gradebook import settings as checks_settings

PACKAGE = Path(torchgrade.__file__).parent
MAY_NAME_A_KIND = {"course.py"}


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("from torchgrade.gradebook import configure\nconfigure(c)\n", CHECKS_COURSE),
        ("from torchgrade.classic import configure\nconfigure(c)\n", CLASSIC_COURSE),
        ("", CHECKS_COURSE),
    ],
)
def test_the_configuration_says_which_kind_a_course_is(tmp_path, lines, kind):
    (tmp_path / "nbgrader_config.py").write_text(f"c = get_config()\n{lines}")
    assert find_course(tmp_path).kind is kind


def test_the_settings_of_a_kind_have_its_step():
    assert CLASSIC_COURSE.step in classic_settings.AUTOGRADE
    assert CHECKS_COURSE.step in checks_settings.AUTOGRADE
    assert CLASSIC_COURSE.step not in checks_settings.AUTOGRADE


def test_nobody_asks_which_kind_a_course_is():
    """Facts are asked for instead. ``CHECKS_COURSE`` may be a default."""
    asks = re.compile(r"\bis_classic\b|\bCLASSIC_COURSE\b|\bkind (?:is|==|in|not)\b.*_COURSE\b")
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if asks.search(path.read_text("utf-8"))}
    assert found <= MAY_NAME_A_KIND


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.step)
def test_a_course_is_of_the_kind_whose_step_it_has(tmp_path, kind):
    (tmp_path / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.Autograde.autograde_preprocessors = [{CHECKS_COURSE.step!r}, {kind.step!r}]\n"
    )
    assert find_course(tmp_path).kind is kind
