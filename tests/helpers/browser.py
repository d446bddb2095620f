"""A real browser and a real Jupyter server for the tests of pages. Both are ended with the test that started them."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

TOOLS = Path(sys.executable).parent
REPOSITORY = Path(__file__).parents[2]
IMAGES = REPOSITORY / "docs" / "images"
# Chromium would look for its maker's servers at each start.
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-sync", "--no-first-run"]
QUIET += ["--disable-background-networking", "--disable-component-update"]


@contextlib.contextmanager
def chromium():
    """A headless Chromium; the test is skipped, and says so, where there is none."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium on this machine: install the package 'chromium' to test the pages")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield browser
        browser.close()


@contextlib.contextmanager
def jupyter(folder, home):
    """A Jupyter server on ``folder``, with a configuration of its own; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "PATH": f"{TOOLS}:{os.environ['PATH']}",
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
    }
    settings = {
        # All cells at once: JupyterLab otherwise leaves out those that are not in view, and a test cannot look at them.
        "notebook-extension/tracker": {"windowingMode": "none"},
        # No question about news in front of the page.
        "apputils-extension/notification": {"fetchNews": "false"},
    }
    for name, values in settings.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))
    command = [
        str(TOOLS / "jupyter"), "lab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
        "--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.ip=127.0.0.1",
        "--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    log = (home / "jupyter.log").open("wb")
    server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, server, home / "jupyter.log")
        yield address
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


def _wait_for(address, server, log):
    for _ in range(300):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/api", timeout=2):
            return
        assert server.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(f"Jupyter did not start: {log.read_text()}")


A_CELL_HAS_BEGUN = "[...document.querySelectorAll('.jp-InputPrompt')].some(prompt => /\\[(\\*|\\d+)\\]/.test(prompt.textContent))"


def run_all_cells(page):
    """By the menu, as a student does; and once more where JupyterLab, still busy with its start, did nothing."""
    from playwright.sync_api import TimeoutError as TookTooLong

    for _ in range(4):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        with contextlib.suppress(TookTooLong):
            page.wait_for_function(A_CELL_HAS_BEGUN, timeout=15_000)
            return
        page.keyboard.press("Escape")
    raise AssertionError(f"no cell ran: {page.locator('body').inner_text()[:2000]}")


def picture(page, name, **options):
    """Take a screenshot; into docs/images when TORCHGRADE_PICTURES is set, so that the pictures of docs/ are real pages."""
    data = page.screenshot(**options)
    if os.environ.get("TORCHGRADE_PICTURES"):
        IMAGES.mkdir(parents=True, exist_ok=True)
        (IMAGES / f"{name}.png").write_bytes(data)
    return data
