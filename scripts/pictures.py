"""The documentation's pictures of the class page and of a feedback page, taken of the demo's class.

    scripts/demo && python scripts/pictures.py

The others (JupyterLab, Formgrader, an audit) are taken by the browser tests, with TORCHGRADE_PICTURES=1.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
ASSIGNMENT = "numerical_stability"
GUESS = "it looks as if"


def main() -> None:
    """Take the pictures; exit with a line where the demo has not run."""
    report = ROOT / "results" / "reports" / f"{ASSIGNMENT}.html"
    pages = sorted((ROOT / "feedback").glob(f"*/{ASSIGNMENT}/{ASSIGNMENT}.html"))
    if not report.is_file() or not pages:
        sys.exit("there are no pages to take pictures of: run scripts/demo first")
    feedback = next((page for page in pages if GUESS in page.read_text(encoding="utf-8")), pages[0])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        keep(opened(browser, report, height=1500), "report")
        students = opened(browser, report, height=1200, dark=True)
        students.evaluate("[...document.querySelectorAll('h2')].at(-2).scrollIntoView()")
        keep(students, "report-students")
        keep(opened(browser, feedback, height=800), "feedback")
        browser.close()


def opened(browser: Browser, path: Path, *, height: int, dark: bool = False) -> Page:
    """A page in a window of 1280 pixels."""
    page = browser.new_page(viewport={"width": 1280, "height": height}, color_scheme="dark" if dark else "light")
    page.goto(path.as_uri(), wait_until="load")
    return page


def keep(page: Page, name: str) -> None:
    """Write what the window shows into ``docs/images``."""
    page.screenshot(path=IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
