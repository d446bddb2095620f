"""``docs/authoring.md``, followed to the letter: each file written, each cell replaced, each command typed, in a fresh course.

A block of code belongs to what the paragraph above it ends with: ``path`` of a file, or the cell ``id``. Of a ``console`` block
each command is run, and what the page shows below it must be what came, but for what ``…`` leaves out.
"""

import re

import nbformat
import pytest
from markdown_page import commands_of, parts_of, shows, type_in

from torchgrade.course import find_course
from torchgrade.judge.judge import Judge
from torchgrade.notebook import compose, load_assignment, write_notebook

pytestmark = pytest.mark.authoring

PAGE = "authoring.md"
FILE = re.compile(r"`([\w/.]+\.(?:py|toml))`:$")
CELL = re.compile(r"cell `([\w-]+)`:$")
POINTS = re.compile(r"Set the points of the cell `([\w-]+)` to (\d+)\.")
NOTEBOOK = "assignments/statistics/statistics.ipynb"


def follow(folder):
    """Do what the page says; what was done with each of its parts, and the outputs."""
    did, outputs = [], []
    for part in parts_of(PAGE):
        if not part.language:
            for cell, points in POINTS.findall(part.text):
                change_cell(folder, cell, points=int(points))
                did.append("points")
        elif part.language == "console":
            for command, output in commands_of(part.text):
                status, real = type_in(command, folder)
                outputs.append(real)
                assert shows(output, real), f"$ {command}\nshows\n{output}\nreally\n{real}"
                assert (status == 0) is ("PROBLEM" not in output and "Error" not in output), real
                did.append("command")
        elif found := CELL.search(part.before):
            change_cell(folder, found[1], source=part.text.rstrip("\n"))
            did.append("cell")
        else:
            found = FILE.search(part.before)
            assert found, f"the page does not say where this belongs:\n{part.text}"
            path = folder / found[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(part.text, encoding="utf-8")
            did.append("file")
    return did, outputs


def change_cell(folder, grade_id, *, source=None, points=None):
    """What an author does in JupyterLab."""
    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    (cell,) = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id]
    if source is not None:
        cell.source = source
    if points is not None:
        cell.metadata.nbgrader["points"] = points
    nbformat.write(notebook, folder / NOTEBOOK)


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    return folder, *follow(folder)


def test_every_step_of_the_page_works_and_shows_what_it_says(followed):
    _, did, _ = followed
    assert {"file", "cell", "points", "command"} == set(did)


def test_the_exercise_of_the_page_is_released(followed):
    folder, _, outputs = followed
    assert {path.name for path in (folder / "release/statistics").iterdir()} == {
        *("statistics.ipynb", "public_masked_mean.py", "checks.json")
    }
    assert "audited: no problems" in "".join(outputs)


def test_nothing_of_the_skeleton_is_left(followed):
    folder, _, _ = followed
    texts = [cell.source for cell in nbformat.read(folder / NOTEBOOK, as_version=4).cells]
    texts += [path.read_text() for path in folder.glob("*/statistics/**/*.py")]
    assert len(texts) > 10
    assert not [text for text in texts if "For the author" in text]


def test_the_stub_earns_nothing_and_the_reference_full_marks(followed):
    folder, _, _ = followed
    reference = (folder / "solutions/statistics/masked_mean/reference.py").read_text(encoding="utf-8")
    with Judge(find_course(folder)) as judge:
        for answers, points in (({}, 0), ({"masked_mean": reference}, 10)):
            write_notebook(compose(load_assignment(folder / "assignments", "statistics"), answers), folder / "mark.ipynb")
            record = judge.grade("statistics", "somebody", folder / "mark.ipynb")
            assert (record.points, record.max_points, record.status.value) == (points, 10, "final")
