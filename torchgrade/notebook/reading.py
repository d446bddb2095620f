"""From a hostile file to a valid notebook: opened without following links, bounded before it is parsed, and checked.

path ──► bytes (regular file, not too large) ──► JSON ──► nbformat 4, validated, plain text throughout
"""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from torchgrade.notebook.errors import NotebookError

MAX_BYTES = 20_000_000
MAX_CELLS = 2_000
MAX_SOURCE = 4_000_000
_MAX_DEPTH = 100


def read_notebook(path: Path, *, max_bytes: int = MAX_BYTES) -> NotebookNode:
    """The notebook at ``path``. Raises :class:`NotebookError` for whatever is not one."""
    return parse_notebook(read_bytes(path, max_bytes), path.name)


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The file's content. Only a regular file is opened, never through a symbolic link, and never one that is too large."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise NotebookError(f"{path.name}{_why(error, path)}") from error
    try:
        _must_be_acceptable(os.fstat(descriptor), path.name, max_bytes)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(max_bytes + 1)[:max_bytes]
    finally:
        os.close(descriptor)


def _must_be_acceptable(status: os.stat_result, name: str, max_bytes: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise NotebookError(f"{name} is a directory; expected a notebook file")
    if not stat.S_ISREG(status.st_mode):
        raise NotebookError(f"{name} is no regular file; expected a notebook")
    if status.st_size > max_bytes:
        size, most = status.st_size / 1e6, max_bytes / 1e6
        raise NotebookError(f"{name} has {size:.1f} MB; at most {most:g} MB are accepted. Clear its outputs and hand it in again")


def _why(error: OSError, path: Path) -> str:
    if error.errno == errno.ELOOP:
        return " is a symbolic link; hand in the notebook itself"
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        others = sorted(p.name for p in path.parent.glob("*.ipynb"))[:3] if path.parent.is_dir() else []
        return f": no such file{'; there is ' + ', '.join(others) if others else ''}"
    return f": {error.strerror or error}"


def parse_notebook(data: bytes, name: str) -> NotebookNode:
    """The notebook that ``data`` holds; ``name`` is how errors call it."""
    if not data.strip():
        raise NotebookError(f"{name} is empty; expected a notebook")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotebookError(f"{name} is no UTF-8 text (byte {error.start}); expected a notebook") from error
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise NotebookError(f"{name} is not JSON{where}; expected a notebook") from error
    if not isinstance(content, dict) or not isinstance(content.get("nbformat"), int):
        raise NotebookError(f"{name} is JSON but not a notebook: it has no nbformat number")
    if content["nbformat"] not in (3, 4):
        raise NotebookError(
            f"{name} has notebook format {content['nbformat']}; 3 and 4 are supported. Open and save it in JupyterLab"
        )
    if _depth(content) > _MAX_DEPTH:
        raise NotebookError(f"{name} is nested more than {_MAX_DEPTH} deep; expected a notebook")
    return _checked(_plain(content), name)


def _checked(content: dict[str, Any], name: str) -> NotebookNode:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbformat warns of what it repairs; missing cell ids, above all
        try:
            notebook = nbformat.from_dict(content)
            if content["nbformat"] != nbformat.current_nbformat:
                notebook = nbformat.convert(notebook, nbformat.current_nbformat)
            notebook = _normalized(notebook)
        except Exception as error:
            raise NotebookError(f"{name} is not a valid notebook: {_first_line(error)}") from error
    if len(notebook.cells) > MAX_CELLS:
        raise NotebookError(f"{name} has {len(notebook.cells)} cells; at most {MAX_CELLS} are accepted")
    if sum(len(cell.source) for cell in notebook.cells) > MAX_SOURCE:
        raise NotebookError(f"{name} has more than {MAX_SOURCE // 1_000_000} MB of text in its cells")
    return notebook


def _normalized(notebook: NotebookNode) -> NotebookNode:
    """Sources as one string each, cell ids unique, and all of it as nbformat's schema wants it."""
    for cell in notebook.cells:
        if isinstance(cell.source, list):
            cell.source = "".join(cell.source)
        cell.setdefault("metadata", NotebookNode())
    # Outputs are never looked at; a broken one must not cost a student the notebook.
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    fixed: NotebookNode = nbformat.validator.normalize(notebook)[1]
    nbformat.validate(fixed)
    return fixed


def _first_line(error: Exception) -> str:
    return (getattr(error, "message", None) or str(error) or type(error).__name__).splitlines()[0][:200]


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level:
        deepest += 1
        below: list[Any] = []
        for item in level:
            if isinstance(item, Mapping):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        level = [item for item in below if isinstance(item, dict | list)]
    return deepest


def _plain(value: Any) -> Any:
    """The same with lone surrogates replaced: JSON may hold them, UTF-8 and what is written later may not."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8") if any("\ud800" <= c <= "\udfff" for c in value) else value
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value


def write_notebook(notebook: NotebookNode, path: Path) -> None:
    """Write the notebook, whole or not at all."""
    text = nbformat.writes(notebook) + "\n"
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
