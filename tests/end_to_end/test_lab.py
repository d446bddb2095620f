"""`scripts/lab` in a real browser: a student's whole way by clicks, from fetching to feedback, and an instructor's in Formgrader.

ada: fetch ─► solve ─► check ─► Validate ─► submit ─┐                                            ┌─► ada: fetch feedback, read it
                         ben has submitted already ─┴─► Formgrader: Collect, Autograde, Feedback ─┴─► manual points, comments
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from browser import REPOSITORY, chromium, run_all_cells
from nbgrader.api import Gradebook
from warm_commands import torchgrade

pytestmark = pytest.mark.lab

A = "numerical_stability"
TOOLS = Path(sys.executable).parent
NAIVE = """def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    exps = logits.exp()
    return exps / exps.sum(dim, keepdim=True)
"""
# What the pages say without our doing, and why.
NOT_OURS = {
    "cdnjs.cloudflare.com/ajax/libs/mathjax": "Formgrader takes it from the internet, which a test machine need not reach",
    "MathJax is not defined": "Formgrader's own script, where MathJax did not come",
    "Blocked script execution in 'blob:": "JupyterLab shows any HTML file that is not trusted yet without its scripts",
}


class Lab:
    """The running script: the links that it printed, and the folder that it made."""

    def __init__(self, folder):
        self.folder = folder
        line = [sys.executable, str(REPOSITORY / "scripts" / "lab_servers.py"), str(folder), A]
        self.process = subprocess.Popen(line, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = ""
        late = threading.Timer(180, self.process.kill)
        late.start()
        for text in self.process.stdout:
            self.said += text
            if "Ctrl-C ends everything" in text:
                break
        late.cancel()
        self.links = dict(re.findall(r"^ +(\w+) +(http://127\.0\.0\.1:\d+/lab\?token=\S+)$", self.said, re.MULTILINE))
        assert set(self.links) == {"instructor", "ada", "ben"}, self.said

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=30)

    def processes(self):
        """Command lines of whatever runs in one of the lab's homes."""
        homes = [f"HOME={self.folder / person}".encode() for person in self.links]
        found = []
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if set(homes) & set(Path(entry.path, "environ").read_bytes().split(b"\0")):
                        found.append(Path(entry.path, "cmdline").read_bytes().replace(b"\0", b" ").decode())
        return found


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def lab(browser, tmp_path_factory):
    made = Lab(tmp_path_factory.mktemp("lab") / "here")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def errors():
    """What any page of this file reported as an error."""
    return []


@pytest.fixture(scope="module")
def desk(lab, browser, errors):
    """``desk(person)``: their JupyterLab."""

    def open_lab(person):
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.on("console", lambda m: m.type == "error" and errors.append(f"{m.text} {m.location}"))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(lab.links[person])
        page.locator(".jp-LauncherCard").first.wait_for(timeout=60_000)
        return page

    return open_lab


@pytest.fixture(scope="module")
def ada(desk):
    """What ada met on the way from her Assignment List to a submission: her page, and the texts that she read."""
    page = desk("ada")
    page.get_by_role("menuitem", name="Nbgrader", exact=True).click()
    seen = {"menu": page.locator(".lm-Menu").last.inner_text()}
    page.get_by_role("menuitem", name="Assignment List").click()
    page.get_by_role("button", name="Fetch", exact=True).click()
    page.locator("#fetched_assignments_list .assignment-notebooks-link").click()
    page.locator("#fetched_assignments_list .nested_list_item a").click()
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=60_000)
    page.wait_for_selector(".jp-RenderedMarkdown mjx-container", timeout=30_000)
    cell = page.locator(".jp-CodeCell", has_text="The softmax of").first
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(NAIVE)
    run_all_cells(page)
    page.wait_for_selector(".torchgrade-table >> nth=1", timeout=60_000, state="attached")
    page.locator(".torchgrade-hint summary").first.click()
    page.get_by_text("exp(1000) is infinite").wait_for()
    seen["check"] = page.locator(".torchgrade").first.inner_text()
    page.get_by_role("button", name="Validate").first.click()
    page.wait_for_selector(".jp-Dialog", timeout=60_000)
    seen["validate"] = page.locator(".jp-Dialog").inner_text()
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    page.locator(".lm-TabBar-tab", has_text="Assignments").click()
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_selector("#submitted_assignments_list .list_item", timeout=20_000)
    return page, seen


@pytest.fixture(scope="module")
def instructor(desk):
    return desk("instructor")


@pytest.fixture(scope="module")
def graded(lab, ada, browser):
    """The instructor has collected, graded and released feedback by the buttons of Formgrader: rows of its table, by student."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(lab.links["instructor"].replace("/lab?", "/formgrader?"))

    def press(row, button):
        page.locator("tbody tr", has_text=row).locator(f".glyphicon-{button}").click()
        window = page.locator("#success-modal, #error-modal")
        window.wait_for(timeout=90_000)
        assert "Success" in window.locator(".modal-title").inner_text(), window.inner_text()
        window.locator("button", has_text="OK").click()
        window.wait_for(state="detached")

    press(A, "cloud-download")
    page.locator("tbody tr", has_text=A).get_by_role("link", name="2", exact=True).click()
    for student in ("ada", "ben"):
        page.locator("tbody tr", has_text=student).get_by_text("needs autograding").wait_for()
        press(student, "flash")
        press(student, "comment")
        press(student, "envelope")
    rows = {student: page.locator("tbody tr", has_text=student).inner_text() for student in ("ada", "ben")}
    page.close()
    return rows


def test_a_student_has_an_assignment_list_and_no_formgrader(ada):
    _, seen = ada
    assert "Assignment List" in seen["menu"]
    assert "Formgrader" not in seen["menu"]


def test_check_shows_its_table_in_the_fetched_notebook(ada):
    _, seen = ada
    assert "softmax: 1 / 1.5 points in the public checks" in seen["check"]
    assert "nan instead of 0.5" in seen["check"]
    assert "Where it differs in shape [3, 3]" in seen["check"]
    assert "20 hidden checks follow" in seen["check"]


def test_validate_names_the_exercise_whose_public_checks_fail(ada):
    _, seen = ada
    assert 'check("softmax")' in seen["validate"]
    assert "✗   0 / 0.5  Logits of 1000 and -1000 give probabilities, not nan" in seen["validate"]


def test_formgraders_buttons_collect_and_grade_both_submissions(lab, graded):
    assert "7.5 / 24" in graded["ada"]
    assert "needs autograding" not in graded["ben"]
    results = lab.folder / "course" / "results"
    assert {path.parent.name for path in results.rglob(f"{A}.json")} == {"ada", "ben"}


def test_watch_has_nothing_left_to_grade_after_that(lab, graded):
    before = {path: path.read_bytes() for path in (lab.folder / "course" / "results").rglob(f"{A}.json")}
    done = torchgrade(lab.folder / "course", "watch", A, "--once", HOME=str(lab.folder / "instructor"))
    assert done.returncode == 0, done.stderr
    assert {path: path.read_bytes() for path in before} == before


def test_the_student_fetches_the_feedback_and_reads_it_in_jupyterlab(ada, graded):
    page, _ = ada
    page.get_by_role("button", name="Fetch Feedback", exact=True).click()
    page.locator("#submitted_assignments_list a", has_text="view feedback").click()
    page.locator(".jp-DirListing-item", has_text=f"{A}.html").dblclick()
    feedback = page.frame_locator(".jp-HTMLViewer iframe")
    feedback.get_by_text("Logits of 1000 and -1000").first.wait_for(timeout=20_000)
    assert "Numerical stability 7.5 of 24.0 points" in feedback.locator("body").inner_text()


def test_torchgrade_is_at_hand_in_a_terminal_of_the_instructors_jupyterlab(lab, instructor):
    instructor.locator(".jp-LauncherCard", has_text="Terminal").click()
    instructor.locator(".jp-Terminal .xterm-screen").click()
    instructor.keyboard.type("which torchgrade > found; pwd >> found; mv found there\n")
    there = lab.folder / "course" / "there"
    deadline = time.monotonic() + 20
    while not there.exists() and time.monotonic() < deadline:
        instructor.wait_for_timeout(100)
    assert there.read_text().split() == [str(TOOLS / "torchgrade"), str(lab.folder / "course")]


def test_the_instructor_goes_through_the_submissions_in_formgrader(lab, instructor, graded):
    page = instructor
    page.get_by_role("menuitem", name="Nbgrader", exact=True).click()
    page.get_by_role("menuitem", name="Formgrader").first.click()
    formgrader = page.frame_locator("iframe")
    formgrader.get_by_role("link", name="Manual Grading").click()
    formgrader.locator("tbody").get_by_role("link", name=A).click()
    formgrader.locator(".breadcrumb .active", has_text=A).wait_for()
    formgrader.locator("tbody").get_by_role("link", name=A).click()
    formgrader.locator("tbody").get_by_role("link", name="Submission #1").click()
    table = formgrader.locator(".torchgrade-table", has_text="Logits of 1000 and -1000")
    table.wait_for(timeout=20_000)
    first = formgrader.locator("a.name-shown").inner_text()
    # Formgrader's script has taken the fields over once it has put into them what it knows.
    formgrader.locator("#softmax-comment[data-autosize-on]").wait_for()
    formgrader.locator("#softmax_cross_entropy-check[placeholder='0']").wait_for()
    for field, text, address in (
        ("#softmax-comment", "Have a look at the hint.", "/api/comment/"),
        ("#softmax_cross_entropy-check", "2.5", "/api/grade/"),
    ):
        formgrader.locator(field).fill(text)
        with page.expect_response(re.compile(address)):
            formgrader.locator(field).press("Tab")
    formgrader.get_by_role("link", name="Next").click()
    formgrader.locator("a.name-shown").filter(has_not_text=first).wait_for(state="attached", timeout=20_000)

    with Gradebook(f"sqlite:///{lab.folder / 'course' / 'gradebook.db'}", "torchgrade") as gradebook:
        notebook = gradebook.find_submission_notebook(A, A, first)
        assert "Have a look at the hint." in {comment.manual_comment for comment in notebook.comments}
        assert [grade.manual_score for grade in notebook.grades] == [None, 2.5]


def test_no_page_reported_an_error_of_ours(ada, errors):
    assert [error for error in errors if not any(words in error for words in NOT_OURS)] == []


@pytest.mark.parametrize(
    ("names", "inside", "words"),
    [((), "thesis.txt", "is not empty and is no lab"), (("softmax",), None, "there is no assignment softmax; there are")],
)
def test_a_lab_is_not_made_among_other_files_nor_of_unknown_assignments(tmp_path, monkeypatch, names, inside, words):
    monkeypatch.syspath_prepend(REPOSITORY / "scripts")
    import lab_folder

    if inside:
        (tmp_path / inside).touch()
    with pytest.raises(lab_folder.LabError, match=words):
        lab_folder.make(tmp_path, REPOSITORY, names)
    assert [path.name for path in tmp_path.iterdir()] == [name for name in (inside,) if name]


def test_ctrl_c_ends_every_process_and_what_was_done_stays(lab, ada):
    assert len(lab.processes()) >= 4  # three servers and a kernel
    lab.stop()
    assert lab.processes() == []
    assert lab.process.returncode == 0
    assert (lab.folder / "ada" / A / f"{A}.ipynb").is_file()
