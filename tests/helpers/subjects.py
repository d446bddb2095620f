"""What takes minutes is tested by subject: where a change calls for it, and each night.

    a long test file: pytestmark = pytest.mark.<subject> ──► tests/conftest.py marks it ``long``, too
    paths that changed ──► SUBJECTS ──► the subjects that they call for ──► pytest -m "not long or <subject> or ..."

``python tests/helpers/subjects.py [REV]`` prints that expression for what changed since a revision (HEAD: what is not committed);
``scripts/test --changed [REV]`` runs it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
_ENGINE = ("torchgrade/jail/*", "torchgrade/checks/*", "torchgrade/judge/*", "torchgrade/notebook/*", "torchgrade/record/*")
_CLASS = ("torchgrade/course.py", "torchgrade/errors.py", "torchgrade/files.py", "torchgrade/gradebook/*", "torchgrade/runs/*")
_COMMANDS = ("torchgrade/__init__.py", "torchgrade/__main__.py", "torchgrade/cli/*", "torchgrade/compat/*")
SUBJECTS = {
    # Each subject with the paths that call for it. A test file or a helper of the tests calls for the subjects it is marked with.
    "authoring": ("docs/authoring.md", "torchgrade/audit/*", "torchgrade/authoring/*", "torchgrade/cli/*"),
    "banks": ("torchgrade/checks/*", "torchgrade/judge/*", "torchgrade/notebook/*", "torchgrade/student/*"),
    "classic": ("docs/classic.md", "torchgrade/classic/*", "torchgrade/kernels/*", *_COMMANDS, *_CLASS, *_ENGINE),
    "cluster": ("docs/cluster.md", "torchgrade/runs/*", "torchgrade/judge/*"),
    "cold": _COMMANDS,
    "faults": (*_CLASS, *_COMMANDS, *_ENGINE),
    "gpu_box": ("docs/gpu-box.md", "scripts/gpu*", "benchmarks/*", *_ENGINE),
    "gradebooks": ("torchgrade/gradebook/*", "torchgrade/runs/*", "torchgrade/cli/*", "torchgrade/compat/*"),
    "lab": ("scripts/lab*", "docs/handing-in.md", "torchgrade/gradebook/*", "torchgrade/kernels/*", "torchgrade/student/*"),
    "walls": _ENGINE,
}
_QUICK = (
    # What the ordinary tests, the course step of CI, or nothing at all looks at.
    *(
        "*.md",
        "docs/*",
        "LICENSE",
        "MANIFEST.in",
        ".gitignore",
        ".ci/*",
        "assignments/*",
        "graders/*",
        "release/*",
        "solutions/*",
    ),
    *("benchmarks/audits/*", "scripts/*", "tests/unit/*", "torchgrade/bank.py", "torchgrade/report/*", "torchgrade/docs/*"),
)


def subjects_of(paths: Iterable[str]) -> set[str] | None:
    """The subjects that these paths call for; ``None``, which means all, where a path is not known to call for fewer."""
    found: set[str] = set()
    for path in paths:
        called = {name for name, patterns in SUBJECTS.items() if any(fnmatch(path, pattern) for pattern in patterns)}
        called |= _of_a_test_file(path)
        if not called and not any(fnmatch(path, pattern) for pattern in _QUICK) and not _is_a_test_file(path):
            return None
        found |= called
    return found


def _is_a_test_file(path: str) -> bool:
    return fnmatch(path, "tests/*/test_*.py") or fnmatch(path, "tests/attacks/corpus/*")


def _of_a_test_file(path: str) -> set[str]:
    """The subjects that a test file is marked with."""
    file = REPOSITORY / path
    if not _is_a_test_file(path) or not file.is_file() or file.suffix != ".py":
        return set()
    return set(re.findall(r"pytest\.mark\.(\w+)", file.read_text(encoding="utf-8"))) & SUBJECTS.keys()


def changed_since(revision: str) -> list[str]:
    """The paths that differ from a revision, untracked files included."""
    commands = (["git", "diff", "--name-only", revision], ["git", "ls-files", "--others", "--exclude-standard"])
    return [
        path
        for command in commands
        for path in subprocess.run(
            command, cwd=REPOSITORY, capture_output=True, text=True, encoding="utf-8", check=True
        ).stdout.splitlines()
    ]


def expression(paths: Iterable[str]) -> str:
    """What pytest's ``-m`` is to be: empty, which means all tests, or the ordinary ones and some subjects."""
    subjects = subjects_of(paths)
    return "" if subjects is None else " or ".join(["not long", *sorted(subjects)])


if __name__ == "__main__":
    print(expression(changed_since((sys.argv[1:] or ["HEAD"])[0])))  # noqa: T201 - scripts/test reads it
