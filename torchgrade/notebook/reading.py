"""Turns untrusted bytes into a valid notebook of the current format, or into one line that says why that is not possible.

    bytes ──► size, JSON, nesting ──► notebook of format 3 or 4 ──► repaired ──► valid nbformat 4.5

Whatever can be repaired without touching what the student wrote is repaired quietly: cell ids, text that cannot be written as
UTF-8. Outputs are dropped: nothing depends on them, and a broken one must not cost a student the notebook. Everything is
bounded before it is worked on.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import nbformat

from torchgrade.notebook.errors import NotebookError, one_line
from torchgrade.notebook.files import MAX_BYTES, read_bytes, too_large
from torchgrade.notebook.pictures import pictures_of

MAX_CELLS = 2_000
MAX_SOURCE = 1_000_000
"""The most characters in all cells together."""
MAX_DEPTH = 100
"""The most levels of nesting; a notebook with a plot in it has about 20."""
MAX_VALUES = 1_000_000
"""The most values in the JSON: each takes up to 200 bytes of memory, however few it takes in the file."""
MAX_KEPT = 100_000
"""The most values without the outputs, which are dropped: in a notebook object, each takes up to 1,000 bytes."""
MAX_TAGS = 100
"""The most tags of a cell. The validator compares them in pairs, so 20,000 of them would keep it busy for minutes."""

_OLD, _CURRENT = 3, 4
REFUSALS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    nbformat.ValidationError,
)
"""Exceptions that nbformat raises for a malformed notebook; not all of them are validation errors."""
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def read_notebook(
    path: Path, *, max_bytes: int = MAX_BYTES, max_cells: int = MAX_CELLS, pictures: bool = False
) -> nbformat.NotebookNode:
    """The notebook in the regular file ``path``, as nbformat 4.5; raises :class:`NotebookError` if there is none."""
    return parse_notebook(read_bytes(path, max_bytes), path.name, max_bytes=max_bytes, max_cells=max_cells, pictures=pictures)


def parse_notebook(
    data: bytes,
    name: str,
    *,
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
    max_source: int = MAX_SOURCE,
    pictures: bool = False,
) -> nbformat.NotebookNode:
    """The notebook that ``data`` holds, as nbformat 4.5: valid, with unique ids, newlines as line ends, and no outputs.

    ``name`` is what error messages call it; with ``pictures``, the pictures among the outputs are kept. Raises
    :class:`NotebookError`, and nothing else, for data that is not a notebook.
    """
    name = one_line(name, 200)
    if len(data) > max_bytes:
        raise too_large(name, len(data), max_bytes)
    try:
        document = _parse_json(data, name)
        notebook = _upgrade(document, name, max_cells, pictures=pictures)
        _repair(notebook)
    except RecursionError:
        raise _too_deep(name) from None
    try:
        _check(notebook, _CURRENT)
    except REFUSALS as error:
        raise _invalid(name, error) from None
    written = 0
    for cell in notebook.cells:
        cell.source = cell.source.replace("\r\n", "\n").replace("\r", "\n")
        written += len(cell.source)
    if written > max_source:
        raise NotebookError(f"{name} has {written} characters in its cells, the limit is {max_source}")
    return notebook


Container = dict[str, object] | list[object]


def _parse_json(data: bytes, name: str) -> dict[str, object]:
    if not data.strip():
        raise NotebookError(f"{name} is empty")
    if sum(map(data.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise NotebookError(f"{name} has more than {MAX_VALUES} values in it; clear the outputs and save it again")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotebookError(f"{name} is not UTF-8 text (byte {error.start}); a notebook is needed") from None
    try:
        document: object = json.loads(text)
    except ValueError as error:
        where = f": {error.msg} in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise NotebookError(f"{name} is not a notebook: it is not JSON{where}") from None
    if not isinstance(document, dict):
        raise NotebookError(f"{name} is not a notebook: it is JSON, but not an object")
    _bound_depth(document, name)
    plain: dict[str, object] = _without_surrogates(document) if _SURROGATE_ESCAPE.search(data) else document
    return plain


def _bound_depth(document: Container, name: str) -> None:
    """Refuse a document that json can read but that could not be copied or written later."""
    level: list[Container] = [document]
    for _ in range(MAX_DEPTH):
        values = (value for node in level for value in (node.values() if isinstance(node, dict) else node))
        level = [value for value in values if isinstance(value, dict | list)]
        if not level:
            return
    raise _too_deep(name)


def _too_deep(name: str) -> NotebookError:
    return NotebookError(f"{name} is not JSON that can be read: it is nested too deeply")


def _without_surrogates(value: Any) -> Any:
    """The same value with half surrogate pairs replaced: no file, page or database could hold them."""
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def _upgrade(document: dict[str, Any], name: str, max_cells: int, *, pictures: bool) -> nbformat.NotebookNode:
    version = document.get("nbformat")
    if type(version) is not int:
        raise NotebookError(f"{name} is not a notebook: it is JSON, but has no nbformat number")
    if version not in (_OLD, _CURRENT):
        raise NotebookError(
            f"{name} is in nbformat {one_line(str(version))}, needed is 4 (or 3); save it with a current JupyterLab"
        )
    sheets: Any = [document] if version == _CURRENT else document.get("worksheets")
    if not _are_objects(sheets) or not all(_are_objects(sheet.get("cells")) for sheet in sheets):
        raise NotebookError(f"{name} is not a notebook: it has no list of cells")
    if (count := sum(len(sheet["cells"]) for sheet in sheets)) > max_cells:
        raise NotebookError(f"{name} has {count} cells, the limit is {max_cells}")
    for cell in (cell for sheet in sheets for cell in sheet["cells"]):
        if cell.get("cell_type") == "code":
            cell["outputs"] = pictures_of(cell.get("outputs")) if pictures and version == _CURRENT else []
        _drop_odd_tags(cell.get("metadata"))
    if _count(document) > MAX_KEPT:
        raise NotebookError(f"{name} has more than {MAX_KEPT} values in it besides outputs; so it cannot be graded")
    try:
        notebook: nbformat.NotebookNode = nbformat.versions[version].to_notebook_json(document, minor=0)
        if version == _OLD:
            _check(notebook, _OLD)  # before nbformat does, which would log what it finds
            notebook = nbformat.versions[_CURRENT].upgrade(notebook, from_version=_OLD, from_minor=0)
    except REFUSALS as error:
        raise _invalid(name, error) from None
    # Every minor version of 4 is read as the newest one that we know: later ones have added things, and changed none.
    notebook.nbformat, notebook.nbformat_minor = nbformat.current_nbformat, nbformat.current_nbformat_minor
    return notebook


def _drop_odd_tags(metadata: object) -> None:
    if isinstance(metadata, dict) and "tags" in metadata:
        tags = metadata["tags"]
        if not (isinstance(tags, list) and len(tags) <= MAX_TAGS and all(isinstance(tag, str) for tag in tags)):
            del metadata["tags"]


def _count(document: Container) -> int:
    """How many values there are; a list of text (a cell's lines) counts as one."""
    count = 0
    waiting: list[Container] = [document]
    while waiting and count <= MAX_KEPT:
        node = waiting.pop()
        inner = list(node.values() if isinstance(node, dict) else node)
        containers = [value for value in inner if isinstance(value, dict | list)]
        count += 1 + (len(inner) if isinstance(node, dict) else len(containers))
        waiting += containers
    return count


def _are_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _repair(notebook: nbformat.NotebookNode) -> None:
    """Give every cell an id of its own, the same one each time."""
    seen: set[str] = set()
    for number, cell in enumerate(notebook.cells, 1):
        if cell.get("cell_type") == "code":
            cell.execution_count = None  # it belonged to outputs that are gone
        given = cell.get("id")
        if not isinstance(given, str) or not _CELL_ID.fullmatch(given) or given in seen:
            cell.id = unused_id(f"cell-{number}", seen)
        seen.add(cell.id)


def unused_id(wanted: str, taken: set[str]) -> str:
    """A cell id that begins like ``wanted`` and is not ``taken``."""
    identity, count = wanted[:50], 1
    while identity in taken:
        count += 1
        identity = f"{wanted[:50]}-{count}"
    return identity


def _check(notebook: nbformat.NotebookNode, version: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nbformat.validate(notebook, version=version, relax_add_props=True)


def _invalid(name: str, error: Exception) -> NotebookError:
    text = (getattr(error, "message", None) or str(error)).strip().partition("\n")[0]
    return NotebookError(f"{name} is not a valid notebook: {one_line(text, 150)}")
