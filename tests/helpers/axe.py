"""Axe, which looks for what shuts out people with a screen reader or a keyboard. From the npm registry, and never kept."""

import functools
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

VERSION = "4.14.1"


def violations(page):
    """What axe finds on a page that matters: ``serious`` and ``critical``, as readable lines."""
    page.evaluate(_source())
    found = page.evaluate("() => axe.run()")["violations"]
    return [
        f"{rule['id']}: {rule['help']}: {node['html'][:200]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


@functools.cache
def _source():
    """Axe's script; the test is skipped, and says so, where it cannot be had."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"no npm on this machine: install it to look at the pages with axe-core {VERSION}")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", "--silent", f"axe-core@{VERSION}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            pytest.skip(f"npm cannot give axe-core {VERSION}: {done.stderr.strip()[-200:]}")
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as package:
            return package.extractfile("package/axe.min.js").read().decode()
