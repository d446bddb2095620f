"""The pages that students and instructors meet, in a real browser."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from browser import REPOSITORY, chromium, jupyter, picture, run_all_cells

from torchgrade.course import find_course
from torchgrade.notebook import compose, load_assignment, read_notebook, write_notebook

A = "numerical_stability"
TOOLS = Path(sys.executable).parent
NAIVE = """def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    exps = logits.exp()
    return exps / exps.sum(dim, keepdim=True)
"""
HOSTILE = (
    "def softmax(logits, dim=-1):\n"
    "    raise ValueError('<script>document.title=\"owned\"</script><img src=x onerror=\"document.title=\\'owned\\'\">')\n"
)


def torchgrade(root, *arguments):
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    line = [str(TOOLS / "torchgrade"), *arguments]
    done = subprocess.run(line, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A copy of the course with two graded students."""
    root = tmp_path_factory.mktemp("course")
    for name in ("assignments", "graders", "solutions"):
        (root / name).mkdir()
        shutil.copytree(REPOSITORY / name / A, root / name / A, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "graders" / "__init__.py", root / "graders")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    course = find_course(root)
    torchgrade(root, "release", A, "--no-audit")
    exercises = load_assignment(course.assignments, A).exercises
    reference = {exercise.name: course.solutions / A / exercise.name / "reference.py" for exercise in exercises}
    right = {name: path.read_text() for name, path in reference.items()}
    for student, cells in {
        "ada": right,
        "bob": {**right, "softmax": NAIVE},
        "eve": {**right, "softmax": HOSTILE},
    }.items():
        path = course.submission(student, A)
        path.parent.mkdir(parents=True)
        write_notebook(compose(load_assignment(root / "assignments", A), cells), path)
    torchgrade(root, "grade", A)
    torchgrade(root, "feedback", A)
    return course


def open_page(browser, address, scheme="light"):
    page = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme=scheme)
    errors = []
    # nbgrader's own pages take MathJax from the internet, which a test machine need not reach.
    page.on("pageerror", lambda error: "MathJax" in str(error) or errors.append(str(error)))
    page.goto(address, wait_until="load")
    return page, errors


def test_a_feedback_page_shows_each_check_and_runs_no_script(graded):
    with chromium() as browser:
        page, errors = open_page(browser, (graded.feedback / "bob" / A / f"{A}.html").as_uri())
        text = page.inner_text("body")
        assert "Logits of 1000 and -1000 give probabilities, not nan" in text
        assert "nan instead of" in text
        assert "points" in text
        page.locator("text=Logits of 1000 and -1000").first.scroll_into_view_if_needed()
        picture(page, "feedback")
        assert errors == []


def test_text_of_a_hostile_submission_is_shown_as_text(graded):
    with chromium() as browser:
        page, _ = open_page(browser, (graded.feedback / "eve" / A / f"{A}.html").as_uri())
        assert page.title() != "owned"
        assert "<script>document.title" in page.inner_text("body")
        assert page.locator("img[src=x]").count() == 0


def test_formgrader_lists_the_submissions_and_shows_the_same_table(graded, tmp_path):
    with jupyter(graded.root, tmp_path) as address, chromium() as browser:
        page, errors = open_page(browser, f"{address}/formgrader/gradebook/{A}/{A}")
        page.wait_for_selector("text=Submission", timeout=20_000)
        page.goto(f"{address}/formgrader/manage_submissions/{A}")
        page.wait_for_selector("text=bob", timeout=20_000)
        picture(page, "formgrader")
        page.goto(f"{address}/formgrader/gradebook/{A}/{A}")
        page.wait_for_selector("tbody a", timeout=20_000)
        page.locator("tbody a").first.click()
        page.wait_for_selector(".torchgrade", timeout=20_000)
        assert "Logits of 1000 and -1000" in page.inner_text("body")
        page.locator(".torchgrade-table caption").first.scroll_into_view_if_needed()
        picture(page, "formgrader-submission")
        assert errors == []


def test_a_student_sees_the_table_of_the_public_checks_in_jupyterlab(graded, tmp_path):
    desk = tmp_path / "desk"
    shutil.copytree(graded.release / A, desk)
    released = read_notebook(desk / f"{A}.ipynb")
    for cell in released.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "softmax":
            cell.source = NAIVE
    write_notebook(released, desk / f"{A}.ipynb")
    with jupyter(desk, tmp_path) as address, chromium() as browser:
        page, _ = open_page(browser, f"{address}/lab/tree/{A}.ipynb")
        page.wait_for_selector(".jp-Notebook", timeout=60_000)
        page.wait_for_selector(".jp-RenderedMarkdown h1", timeout=30_000)
        page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=60_000)
        run_all_cells(page)
        page.wait_for_selector(".torchgrade-table", timeout=120_000, state="attached")
        table = page.locator(".torchgrade").first
        table.scroll_into_view_if_needed()
        page.locator(".torchgrade-hint summary").first.click()
        assert "nan instead of 0.5" in table.inner_text()
        assert "hidden checks follow" in table.inner_text()
        picture(page, "check-in-jupyterlab")
