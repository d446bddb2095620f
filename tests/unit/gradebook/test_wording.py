"""What a release says of its text: words that are left for the author, and figures of points that are not the exercise's."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from nbformat.v4 import new_markdown_cell, new_notebook
from tiny_course import assignment_notebook

from torchgrade.cli import main
from torchgrade.course import find_course
from torchgrade.gradebook.cells import own_notebook
from torchgrade.gradebook.handout import unfit
from torchgrade.gradebook.leaks import unfinished_text

COURSE = find_course(Path(__file__).parents[3])
POINTS = {"add": 4.0, "double": 6.0}


def said(text, files=()):
    """What is said of a notebook with this text in the cell ``introduction``."""
    cell = new_markdown_cell(text, metadata={"nbgrader": {"grade_id": "introduction"}})
    return unfinished_text(new_notebook(cells=[cell]), dict(files), POINTS)


@pytest.mark.parametrize("text", ["*For the author: say why.*", "# T\n\n> For the author: say why.", "- *For the author: x*"])
def test_words_for_the_author_are_named_by_their_cell(text):
    assert said(text) == ["what begins with 'For the author:' is still in the cell 'introduction': replace it"]


def test_all_places_with_words_for_the_author_are_one_line():
    files = {"public_add.py": b"# For the author: students get this.\n", "public_double.py": b"x = 'For the author: '\n"}
    (line,) = said("*For the author: say why.*", files)
    assert "in the cell 'introduction', public_add.py: replace it" in line


TABLE = "| exercise | time | points |\n|---|---|---|\n"


@pytest.mark.parametrize(
    "text",
    [
        TABLE + "| `add` | 5 minutes | 8 |\n| `double` | 5 minutes | 6 |",
        "| Points | Exercise |\n|--:|:-:|\n| 8 | `add` |",
        "### Exercise: `add` \u00b7 \u25cf\u25cb\u25cb\u25cb\u25cb \u00b7 15 minutes \u00b7 8 points",
        "Exercise 2: `add` \u00b7 8 points\n---",
    ],
)
def test_a_figure_that_is_not_the_grade_cells_is_named_with_both(text):
    assert said(text) == ["the cell 'introduction' says 8 points for 'add', whose grade cell has 4: change one of them"]


@pytest.mark.parametrize(
    "text",
    [
        TABLE + "| `add` | 5 minutes | 4 |\n| `double` | 5 minutes | 6.0 |",
        TABLE + "| `add` | by hand | 1 |\n| `add` | at random | 3 |",
        TABLE + "| `add`, first part | 5 minutes | 3 |\n| `other` | 5 minutes | 3 |\n| `double` | | six |",
        "| what is looked at | points |\n|---|---|\n| `add` | 3 |",
        "```\n" + TABLE + "| `add` | 5 minutes | 8 |\n```",
        "`add` is worth 8 points.",
        "### The second part of `add` \u00b7 8 points",
        "### Exercise: `add` and `double` \u00b7 10 points",
        "    ### Exercise: `add` \u00b7 8 points",
    ],
)
def test_of_a_figure_that_may_mean_something_else_nothing_is_said(text):
    assert said(text) == []


def test_the_text_of_every_assignment_here_is_finished_and_its_figures_are_looked_at():
    for assignment in COURSE.assignment_names():
        notebook = own_notebook(COURSE.assignments / assignment / f"{assignment}.ipynb")
        assert unfit(COURSE, assignment, notebook) == []
        points = dict.fromkeys([path.name for path in (COURSE.solutions / assignment).iterdir()], 99.0)
        # In the introduction's table and in the heading of the task.
        assert len(unfinished_text(notebook, {}, points)) == 2 * len(points)


def test_nbgraders_own_command_refuses_it_too(tiny):
    notebook = assignment_notebook()
    notebook.cells[0].source = "*For the author: say why.*\n\n### Exercise: `add` \u00b7 8 points"
    tiny.write(tiny.root / "assignments/sums/sums.ipynb", notebook)
    done = tiny.nbgrader("generate_assignment", "sums", "--force")
    assert done.returncode == 1
    assert "sums is not released: what begins with 'For the author:' is still in the cell 'title'" in done.stderr
    assert "; the cell 'title' says 8 points for 'add', whose grade cell has 4" in done.stderr


def test_a_new_exercise_is_not_released_as_it_is_and_an_audit_does_not_come_first(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text("from torchgrade.gradebook import configure\nc = get_config()\nconfigure(c)\n")
    assert CliRunner().invoke(main, ["--course", str(tmp_path), "new", "statistics", "centred"]).exit_code == 0
    done = CliRunner().invoke(main, ["--course", str(tmp_path), "release", "statistics"])
    assert done.exit_code == 1
    (line,) = done.output.splitlines()
    cells = ", ".join(f"the cell {name!r}" for name in ("introduction", "centred-text", "centred-task"))
    assert line.endswith(f"is still in {cells}, public_centred.py: replace it")
