"""The rooms of the engine, who may import whom, and what may appear nowhere. Read from the source, so that nothing slips in."""

import ast
import graphlib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "torchgrade"
# Each room and what it may import: the drawing of docs/architecture.md. An arrow never runs up.
MAY_IMPORT = {
    "cli": {
        *("files", "authoring", "bank", "classic", "gradebook", "audit", "runs", "judge", "checks", "jail", "notebook", "record"),
        *("report", "course"),
    },
    "classic": {"compat", "files", "gradebook", "kernels", "runs", "checks", "notebook", "record", "report", "course"},
    "gradebook": {"compat", "files", "bank", "runs", "judge", "checks", "notebook", "record", "report", "course"},
    "audit": {"files", "bank", "runs", "judge", "checks", "notebook", "record", "report", "course"},
    "bank": {"judge", "checks", "record", "course"},
    "authoring": {"notebook", "course"},
    "kernels": {"compat", "jail", "course"},
    "runs": {"compat", "files", "judge", "notebook", "record", "course"},
    "judge": {"jail", "checks", "notebook", "record", "course"},
    # What may cross is the same in a student's kernel, where it crosses nothing.
    "student": {"checks", "record", "report", "jail.protocol"},
    "jail": {"checks", "notebook"},
    "checks": {"compat", "record"},
    "report": {"files", "record"},
    "record": {"files"},
    "notebook": {"files", "course"},
    "course": set(),
    "files": set(),
    "errors": set(),  # which every room may import
    # Each of its files speaks to one other package, and to none of ours.
    "compat": set(),
}
FILES = sorted(PACKAGE.rglob("*.py"))


def imports(path):
    """Every absolute import of a file, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        yield from imports_of(node)


def imports_of(node):
    """What one node of a syntax tree imports, as dotted names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "a relative import"
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_for_types(node):
    """Whether a node is ``if TYPE_CHECKING:``."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


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
        allowed = MAY_IMPORT[room] | {room, "errors"}
        assert any(inner == other or inner.startswith(f"{other}.") for other in allowed), f"{room} imports {name}"


def test_no_files_import_each_other_in_a_circle():
    """Imports for annotations alone (under ``TYPE_CHECKING``) are no part of it; those inside functions are."""
    names = {
        ".".join(("torchgrade", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in FILES
    }
    graph = {}
    for module, path in names.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path.name == "__init__.py":
            continue  # a room's door: it hands on what stands in its files
        skipped = {id(inner) for node in ast.walk(tree) if is_for_types(node) for inner in ast.walk(node)}
        found = {name for node in ast.walk(tree) if id(node) not in skipped for name in imports_of(node)}
        graph[module] = {name if name in names else name.rpartition(".")[0] for name in found} & names.keys()
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_what_a_student_sent_is_never_executed_outside_the_worker(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set(imports(path))
    assert not names & {"pickle", "dill", "cloudpickle", "marshal", "shelve"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in ("eval", "pickle.loads"), called
            assert called != "torch.load" or "inside" in path.parts, f"torch.load in {path}"  # there, of what the judge sends
            assert called != "exec" or "inside" in path.parts, f"exec in {path}"


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
