"""The rooms of the engine, who may import whom, and what may appear nowhere. Read from the source, so that nothing slips in."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "torchgrade"
# Each room and what it may import; the design's table. An arrow never runs up.
CROSSING = ("sandbox.crossing", "sandbox.values")  # what crosses is the same in a student's kernel
MAY_IMPORT = {
    "files": set(),
    "compat": set(),
    "cli": {
        *("files", "classic", "gradebook", "report", "audit", "runs", "grading", "checks", "sandbox", "notebook", "record"),
        *("course", "authoring"),
    },
    "gradebook": {"compat", "files", "runs", "report", "record", "notebook", "course", "grading.plan", "checks"},
    "report": {"files", "record"},
    "audit": {"files", "runs", "grading.plan", "grading.environment", "checks", "record", "notebook", "course"},
    "runs": {"compat", "files", "grading", "record", "notebook", "course"},
    "grading": {"sandbox", "checks", "notebook", "record", "course"},
    "classic": {"compat", "files", "gradebook", "runs", "kernels", "notebook", "record", "course", "checks.faults"},
    "kernels": {"compat", "sandbox", "course"},
    "sandbox": {"checks", "notebook"},
    "checks": {"compat", "record"},
    "authoring": {"notebook", "course"},
    "notebook": {"files"},
    "record": {"files"},
    "course": set(),
    "student": {"checks", "report", "record", *CROSSING},
}
FILES = sorted(PACKAGE.rglob("*.py"))


def imports(path):
    """Every absolute import of a file, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(path):
    parts = path.relative_to(PACKAGE).parts
    if len(parts) > 1:
        return parts[0]
    return path.stem if path.stem in MAY_IMPORT else None


def test_every_room_is_in_the_table():
    assert {room_of(path) for path in FILES} - {None} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", [p for p in FILES if room_of(p)], ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_only_what_the_table_allows(path):
    room = room_of(path)
    for name in imports(path):
        if not name.startswith("torchgrade."):
            continue
        inner = name.removeprefix("torchgrade.")
        allowed = MAY_IMPORT[room] | {room}
        assert any(inner == other or inner.startswith(f"{other}.") for other in allowed), f"{room} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_what_a_student_sent_is_never_executed_outside_the_worker(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set(imports(path))
    assert not names & {"pickle", "dill", "cloudpickle", "marshal", "shelve"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in ("eval", "torch.load", "pickle.loads"), called
            assert called != "exec" or "jailed" in path.parts, f"exec in {path}"


def test_a_student_needs_neither_the_jail_nor_pytest():
    import subprocess
    import sys

    program = (
        "import sys; before = set(sys.modules); import torch; known = set(sys.modules)\n"
        "import torchgrade; torchgrade.check; torchgrade.assert_close\n"
        "new = set(sys.modules) - known\n"
        "print(sorted(n for n in new if n.split('.')[0] in"
        " ('pytest', '_pytest', 'nbgrader', 'nbformat', 'fcntl', 'resource', 'safetensors', 'pebble', 'click', 'traitlets',"
        " 'msgspec')"
        " or n.startswith(('torchgrade.jail.worker', 'torchgrade.jail.session', 'torchgrade.notebook'))))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
