"""What torchgrade.compat.nbgrader reaches for is where it was, and does what it did."""

import contextlib
import copy
import importlib
import inspect
import pkgutil
from pathlib import Path

import jsonschema
import nbgrader.converters
import nbgrader.preprocessors
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import BaseConverter
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import common
from nbgrader.nbgraderformat.v3 import MetadataValidatorV3
from traitlets.config import Config

from torchgrade.compat.nbgrader import (
    OPEN_A_GRADEBOOK,
    AutogradeInHalves,
    FeedbackElsewhere,
    gradebooks_opened_by,
    schemas_checked_once,
)
from torchgrade.gradebook.nbgrader_course import own_programs_on_path

FACTS = {"schema_version": 3, "grade_id": "a", "grade": True, "solution": False, "locked": True, "points": 1, "task": False}


def test_the_steps_that_open_a_gradebook_are_these():
    found = set()
    for package in (nbgrader.converters, nbgrader.preprocessors):
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if vars(importlib.import_module(each.name)).get("Gradebook") is Gradebook:
                found.add(each.name)
    assert found == set(OPEN_A_GRADEBOOK)


def test_they_open_ours_within_the_block_and_their_own_after_it(tmp_path):
    from nbgrader.preprocessors import SaveAutoGrades

    opened = []

    def ours(*arguments):
        opened.append(arguments)
        return contextlib.nullcontext()

    resources = {"nbgrader": {"notebook": "a", "assignment": "a", "student": "ann", "db_url": f"sqlite:///{tmp_path}/own.db"}}
    with gradebooks_opened_by(ours):
        SaveAutoGrades().preprocess(new_notebook(), resources)
    assert opened == [(resources["nbgrader"]["db_url"],)]
    assert not (tmp_path / "own.db").exists()
    with own_programs_on_path():
        SaveAutoGrades().preprocess(new_notebook(), resources)
    assert len(opened) == 1
    assert (tmp_path / "own.db").exists()


def test_a_schema_is_checked_once_for_many_cells_and_the_cells_still_are(monkeypatch):
    checked = []
    kind = jsonschema.validators.validator_for(MetadataValidatorV3().schema)
    check = kind.check_schema
    monkeypatch.setattr(kind, "check_schema", lambda schema, **kw: (checked.append(schema), check(schema, **kw)))
    good = new_code_cell("", metadata={"nbgrader": FACTS})
    bad = copy.deepcopy(good)
    bad.metadata["nbgrader"]["grade"] = "perhaps"
    validator = MetadataValidatorV3()
    for _ in range(2):
        validator.validate_cell(good)
    assert len(checked) == 2, "nbgrader checks it once itself: schemas_checked_once has had its day"
    own = common.jsonschema
    with schemas_checked_once():
        for _ in range(3):
            validator.validate_cell(good)
        with pytest.raises(jsonschema.ValidationError, match="perhaps"):
            validator.validate_cell(bad)
    assert len(checked) <= 3
    assert common.jsonschema is own


def test_each_half_of_autograding_takes_its_own_steps_from_its_own_folder(tmp_path, monkeypatch):
    converted = []

    def convert(self, notebook):
        converted.append((notebook, [*self.exporter._preprocessors], self._format_source("a", "ann")))

    monkeypatch.setattr(BaseConverter, "convert_single_notebook", convert)
    steps = {"sanitize_preprocessors": ["nbgrader.preprocessors.ClearOutput"]}
    steps["autograde_preprocessors"] = ["nbgrader.preprocessors.LimitOutput"]
    config = Config(Autograde=steps, CourseDirectory={"root": str(tmp_path)})

    class Halves(AutogradeInHalves):
        def init_notebooks(self):
            self.assignments, self.notebooks = {}, []

    halves = Halves(coursedir=CourseDirectory(config=config), config=config)
    halves.start()
    halves.sanitize_notebook(Path("x.ipynb"))
    halves.autograde_notebook(Path("y.ipynb"))
    assert [(name, [type(step).__name__ for step in steps], Path(folder).parts[-3]) for name, steps, folder in converted] == [
        ("x.ipynb", ["ClearOutput"], "submitted"),
        ("y.ipynb", ["LimitOutput"], "autograded"),
    ]
    assert halves._sanitizing


def test_a_page_is_written_where_it_is_told(tmp_path):
    config = Config(CourseDirectory={"root": str(tmp_path)})
    pages = FeedbackElsewhere(coursedir=CourseDirectory(config=config), config=config)
    assert Path(pages._format_dest("a", "ann")) == tmp_path / "feedback" / "ann" / "a"
    pages.elsewhere = tmp_path / "aside"
    assert Path(pages._format_dest("a", "ann")) == tmp_path / "aside"
    # All that writes asks it.
    for method in (GenerateFeedback.write_single_notebook, GenerateFeedback.init_assignment, GenerateFeedback.set_permissions):
        assert "self._format_dest(" in inspect.getsource(method)
