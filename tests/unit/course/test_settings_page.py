"""``docs/settings.md`` against the code: every setting is there, as it is, and nothing else."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest
import traitlets
from click.testing import CliRunner
from markdown_page import DOCS, rows_of
from traitlets.config import Config, Configurable

import torchgrade
from torchgrade.cli import main
from torchgrade.gradebook import configure

SETTING = re.compile(r"`c\.([\w.]+)`")
DOCUMENTED = {found[1]: row[1:] for row in rows_of("settings.md") if (found := SETTING.fullmatch(row[0]))}
# One table says type, unit, default, effect and occasion; the other what configure() sets.
DESCRIBED = {name: row for name, row in DOCUMENTED.items() if len(row) == 5}
SET_BY_CONFIGURE = {name for name, row in DOCUMENTED.items() if len(row) == 2}
TYPES = {traitlets.Int: "int", traitlets.Float: "float", traitlets.Bool: "bool", traitlets.Unicode: "str", traitlets.Enum: "str"}


def own_settings():
    """Every trait that torchgrade declares as a setting, wherever it is, by the name that a configuration gives it."""
    found = {}
    package = Path(torchgrade.__file__).parent
    for path in sorted(package.rglob("*.py")):
        # Only those: a fork server's or a jail's module, once imported, would end this process in its own way.
        if "config=True" not in path.read_text(encoding="utf-8"):
            continue
        module = ".".join(("torchgrade", *path.relative_to(package).with_suffix("").parts))
        for name, value in vars(importlib.import_module(module)).items():
            if inspect.isclass(value) and issubclass(value, Configurable) and value.__module__ == module:
                found |= {f"{name}.{trait}": made for trait, made in value.class_own_traits(config=True).items()}
    return found


OWN = own_settings()


def nbgraders():
    from nbgrader.converters import Autograde
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.exchange.default import Exchange
    from nbgrader.plugins import LateSubmissionPlugin

    classes = (Autograde, CourseDirectory, Exchange, LateSubmissionPlugin)
    return {f"{each.__name__}.{name}": trait for each in classes for name, trait in each.class_traits(config=True).items()}


def type_of(trait):
    word = next(word for kind, word in TYPES.items() if isinstance(trait, kind))
    least = getattr(trait, "min", None)
    return word if least is None else f"{word}, at least {least:g}"


def test_torchgrade_has_settings_and_each_is_documented():
    assert len(OWN) >= 12
    assert sorted(set(OWN) - set(DESCRIBED)) == []


def test_each_documented_setting_exists():
    assert sorted(set(DESCRIBED) - set(OWN) - set(nbgraders())) == []


@pytest.mark.parametrize("name", sorted(DESCRIBED))
def test_type_least_value_and_default_are_those_of_the_code(name):
    kind, _, default, *_ = DESCRIBED[name]
    trait = (OWN | nbgraders())[name]
    assert kind == type_of(trait)
    assert ast.literal_eval(default.strip("`")) == trait.default_value


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_setting_says_its_unit_what_it_does_and_when_to_change_it(name):
    _, unit, _, effect, occasion = DESCRIBED[name]
    assert all(len(text) > least for text, least in ((unit, 2), (effect, 20), (occasion, 20)))
    assert OWN[name].help


def test_what_configure_sets_is_documented_and_nothing_else():
    config = Config()
    configure(config)
    assert {f"{owner}.{name}" for owner, traits in config.items() for name in traits} == SET_BY_CONFIGURE


def test_each_setting_that_the_courses_configuration_names_is_documented():
    named = set(re.findall(r"\bc\.([A-Z]\w+\.\w+)", (DOCS.parent / "nbgrader_config.py").read_text(encoding="utf-8")))
    assert named - set(DOCUMENTED) == set()
    assert set(OWN) <= named


def test_each_setting_stands_once_on_the_page():
    names = [found[1] for row in rows_of("settings.md") if (found := SETTING.fullmatch(row[0]))]
    assert sorted(names) == sorted(DOCUMENTED)


@pytest.mark.parametrize(("line", "command"), [("Limits.memory_mb = 1", "audit"), ("Watch.every_seconds = 'soon'", "watch")])
def test_a_value_that_cannot_be_is_refused_in_a_line_that_names_the_setting(tmp_path, line, command):
    config = f"from torchgrade.gradebook import configure\nc = get_config()\nconfigure(c)\nc.{line}\n"
    (tmp_path / "nbgrader_config.py").write_text(config)
    assert CliRunner().invoke(main, ["--course", str(tmp_path), "new", "statistics", "centred"]).exit_code == 0
    done = CliRunner().invoke(main, ["--course", str(tmp_path), command, "statistics"])
    assert done.exit_code == 1
    refusal = done.output.splitlines()[-1]
    assert refusal.startswith("Error: ")
    assert "nbgrader_config.py" in refusal
    assert line.partition(" ")[0].partition(".")[2] in refusal
