"""The pages that students and instructors meet, in a real browser."""

import shutil

import pytest
from axe import violations
from browser import REPOSITORY, chromium, jupyter, picture, run_all_cells
from warm_commands import torchgrade

from torchgrade.course import find_course
from torchgrade.notebook import compose, load_assignment, read_notebook, write_notebook

A = "numerical_stability"
NAIVE = """def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    exps = logits.to(torch.promote_types(logits.dtype, torch.float32)).exp()
    return exps / exps.sum(dim, keepdim=True)
"""
MARKERS = """all => all.map(each => {
    const style = getComputedStyle(each.querySelector("summary"));
    return {display: style.display, type: style.listStyleType};
})"""
HOSTILE = (
    "def softmax(logits, dim=-1):\n"
    "    raise ValueError('<script>document.title=\"owned\"</script><img src=x onerror=\"document.title=\\'owned\\'\">')\n"
)


def run(root, *arguments):
    done = torchgrade(root, *arguments)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A copy of the course with a few graded students."""
    root = tmp_path_factory.mktemp("course")
    for name in ("assignments", "graders", "solutions"):
        (root / name).mkdir()
        shutil.copytree(REPOSITORY / name / A, root / name / A, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "graders" / "__init__.py", root / "graders")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    course = find_course(root)
    run(root, "release", A, "--no-audit")
    exercises = load_assignment(course.assignments, A).exercises
    reference = {exercise.name: course.solutions / A / exercise.name / "reference.py" for exercise in exercises}
    right = {name: path.read_text() for name, path in reference.items()}
    for student, cells in {
        "ada": right,
        "bob": {**right, "softmax": NAIVE},
        "eve": {**right, "softmax": HOSTILE},
        "gail": {**right, "softmax": NAIVE, "softmax_cross_entropy": "def softmax_cross_entropy(:\n    return 0\n"},
        "fred": {},
    }.items():
        path = course.submission(student, A)
        path.parent.mkdir(parents=True)
        write_notebook(compose(load_assignment(root / "assignments", A), cells), path)
    run(root, "grade", A)
    run(root, "feedback", A)
    return course


def open_page(browser, address, scheme="light", *, network=True):
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    errors = []
    if not network:
        page.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    # nbgrader's own pages take MathJax from the internet, which a test machine need not reach.
    page.on("pageerror", lambda error: "MathJax" in str(error) or errors.append(str(error)))
    page.on("requestfailed", lambda request: network or errors.append(request.url))
    page.goto(address, wait_until="load")
    return page, errors


def is_in_view(page, locator):
    box = locator.bounding_box()
    return box is not None and box["height"] > 0 and box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


@pytest.fixture
def feedback_of(graded):
    """A student's feedback page in a browser whose network is cut."""
    with chromium() as browser:

        def opened(student, scheme="light"):
            return open_page(browser, (graded.feedback / student / A / f"{A}.html").as_uri(), scheme, network=False)

        yield opened


def test_a_feedback_page_begins_with_what_cost_points(feedback_of):
    page, errors = feedback_of("bob")
    assert is_in_view(page, page.get_by_text("What cost you points").first)
    assert is_in_view(page, page.get_by_text("It looks as if the formula is computed as it stands").first)
    first = page.get_by_text("Logits of any size give probabilities").first
    assert is_in_view(page, first)
    assert is_in_view(page, page.get_by_text("nan instead of").first)
    assert errors == []


def test_the_notebook_is_folded_below_and_its_formulas_are_set_without_a_network(feedback_of):
    page, errors = feedback_of("bob")
    notebook = page.locator("details#notebook-folded")
    assert not page.get_by_text("What it does").first.is_visible()
    notebook.locator("> summary").click()
    formula = page.locator("math[display=block]").first
    fraction = formula.locator("mfrac").first.bounding_box()
    assert fraction["height"] > fraction["width"] / 10
    assert fraction["height"] > 20
    assert "$$" not in page.inner_text("body")
    assert errors == []


@pytest.mark.parametrize("student", ["bob", "gail"])
def test_every_fold_has_a_triangle_that_turns(feedback_of, student):
    page, _ = feedback_of(student)
    folds = page.locator("details")
    assert folds.count() > 3
    closed = {"display": "list-item", "type": "disclosure-closed"}
    assert all(each == closed for each in folds.evaluate_all(MARKERS))
    folds.evaluate_all("all => all.forEach(each => each.open = true)")
    assert all(each == {**closed, "type": "disclosure-open"} for each in folds.evaluate_all(MARKERS))


def test_the_assignments_title_stands_above_and_in_the_tab(feedback_of):
    page, _ = feedback_of("bob")
    assert page.locator("h1").first.inner_text().startswith("Numerical stability ")
    assert page.title() == "Numerical stability"


def test_a_cell_that_does_not_run_comes_first(feedback_of):
    page, _ = feedback_of("gail")
    headings = page.locator("h2.torchgrade-heading").all_inner_texts()
    assert headings == ["What did not run", "What cost you points", "Marks"]
    assert "did not run: syntax error in line 1" in page.locator("li").first.inner_text()
    first = page.locator(".torchgrade-costs > li").first
    assert "Not run: softmax_cross_entropy has a syntax error in line 1." in first.inner_text()


def test_a_page_says_where_it_went_wrong_by_the_exercises_name(feedback_of):
    page, _ = feedback_of("eve")
    assert "(in softmax, line 2: raise ValueError(" in page.locator(".torchgrade-costs").inner_text()
    page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
    assert "(cell " not in page.inner_text("body")


def test_nothing_is_said_of_grading_by_hand_where_a_cell_is_as_it_was_handed_out(feedback_of):
    page, _ = feedback_of("fred")
    assert "graded by hand" not in page.inner_text("body")
    assert "This mark is final." in page.inner_text("body")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_a_feedback_page(graded, feedback_of, scheme):
    page, _ = feedback_of("gail", scheme)
    page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
    assert violations(page) == []


def test_the_page_of_solutions_shows_code_and_reasons(graded, tmp_path):
    torchgrade(graded.root, "solutions", A)
    with chromium() as browser:
        page, errors = open_page(browser, (graded.results / "solutions" / f"{A}.html").as_uri(), network=False)
        assert page.title() == "Numerical stability: solutions"
        assert is_in_view(page, page.get_by_text("Multiplying numerator and denominator by the same factor").first)
        assert "exps = (x - x.amax(dim=dim, keepdim=True)).exp()" in page.inner_text("body")
        assert "Fails" not in page.inner_text("body")
        assert violations(page) == []
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


@pytest.mark.lab
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
