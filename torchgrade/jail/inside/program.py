"""The notebook as a module: its cells run in order in one namespace, and errors point at the cell's own lines.

The module is named ``submission``, and a DataLoader worker that was started by spawn can import it: the program as JSON and a
file that loads it again are put beside it.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import linecache
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODULE = "submission"
_AGAIN = "from torchgrade.jail.inside.program import load_again\n\nload_again(__name__, __file__)\n"
_MOST_TEXT = 2_000
_MOST_LINES = 5


class Program:
    """The cells of a submission, and the probes of the assignment's graders.

    ``message`` is ``{"cells": [{"number", "grade_id", "source", "python"}], "skip": [numbers], "probes": {module: source}}``: the
    probes are ``probes.py``, and the files of public checks, whose functions may run here as well.
    """

    def __init__(self, message: dict[str, Any], folder: Path) -> None:
        self.message, self.folder = message, folder
        self.module = types.ModuleType(MODULE)
        self._probes: dict[str, types.ModuleType] = {}
        self._labels: dict[str, list[str]] = {}

    def run(self, before: Callable[[int], None]) -> list[dict[str, Any]]:
        """Run the cells; those that raise are reported and do not stop the ones that follow. Then load the probes."""
        self._write()
        sys.modules[MODULE] = self.module
        self.module.__file__ = str(self.folder / f"{MODULE}.py")
        self.module.__dict__["display"] = lambda *_, **__: None  # IPython's; there is nobody to look
        errors = []
        for index, cell in enumerate(self.message["cells"]):
            label = _label(cell)
            self._remember(label, cell["source"])
            if index in self.message["skip"]:
                continue
            before(index)
            try:
                code = compile(cell["python"], label, "exec", dont_inherit=True)
                exec(code, self.module.__dict__)  # noqa: S102 - the one place for it: a student's cell, in the jail
            except BaseException as error:  # noqa: BLE001 - SystemExit and KeyboardInterrupt as well
                errors.append({"cell": index, "grade_id": cell["grade_id"], **self.describe(error)})
        if "probes" in self.message["probes"]:
            with contextlib.suppress(BaseException):  # a request for one of them loads them again, and is told why that fails
                self._load_probes("probes")
        return errors

    def probe(self, name: str) -> Any:
        """The probe ``name``: a function of ``probes.py``, or ``public_softmax.f`` from a file of public checks."""
        module, _, function = name.rpartition(".")
        module = module or "probes"
        # Few submissions are asked for a function of public checks, so those files are loaded only when one is asked for.
        return getattr(self._probes.get(module) or self._load_probes(module), function)

    def _load_probes(self, name: str) -> types.ModuleType:
        module = sys.modules[name] = types.ModuleType(name)
        exec(compile(self.message["probes"][name], f"{name}.py", "exec", dont_inherit=True), module.__dict__)  # noqa: S102
        self._probes[name] = module
        return module

    def _write(self) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / f"{MODULE}.py").write_text(_AGAIN, encoding="utf-8")
        (self.folder / "program.json").write_text(json.dumps(self.message), encoding="utf-8")
        for module, source in self.message["probes"].items():
            (self.folder / f"{module}.py").write_text(source, encoding="utf-8")
        sys.path.append(str(self.folder))

    def _remember(self, label: str, source: str) -> None:
        lines = source.split("\n")  # splitlines would also break at form feeds, and so count lines differently from Python
        self._labels[label] = lines
        linecache.cache[label] = (len(source), None, [line + "\n" for line in lines], label)

    def describe(self, error: BaseException) -> dict[str, Any]:
        """An exception as bounded text: the name of its type, what it says, and the notebook's lines that it went through."""
        lines, probe = [], None
        if isinstance(error, SyntaxError) and error.filename in self._labels:
            lines.append(self._line(error.filename, error.lineno or 1))
        trace = error.__traceback__
        while trace is not None:
            if (label := trace.tb_frame.f_code.co_filename) in self._labels:
                lines.append(self._line(label, trace.tb_lineno))
                probe = None
            elif (source := self.message["probes"].get(label.removesuffix(".py"))) is not None:
                probe = _line_of(source.split("\n"), label, trace.tb_lineno)
            trace = trace.tb_next
        told = {"kind": _bounded(type(error).__name__, 100), "text": _text_of(error), "lines": lines[-_MOST_LINES:]}
        return told | ({"probe": probe} if probe is not None else {})

    def _line(self, label: str, number: int) -> dict[str, Any]:
        return _line_of(self._labels[label], label, number)


def _line_of(lines: list[str], label: str, number: int) -> dict[str, Any]:
    text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return {"cell": label, "number": number, "text": _bounded(text, 200)}


def load_again(name: str, file: str) -> None:
    """Run the program that lies beside ``file`` in the module ``name``: this is how a spawned process imports ``submission``."""
    message = json.loads((Path(file).parent / "program.json").read_text(encoding="utf-8"))
    silence_check()
    namespace = sys.modules[name].__dict__
    for index, cell in enumerate(message["cells"]):
        if index not in message["skip"]:
            with contextlib.suppress(BaseException):
                exec(compile(cell["python"], _label(cell), "exec", dont_inherit=True), namespace)  # noqa: S102


def _label(cell: dict[str, Any]) -> str:
    return f"cell {cell['number']}" if cell["number"] else f"the locked cell {cell['grade_id']}"


def silence_check() -> None:
    """Make ``check()``, which is for the student's own kernel, do nothing in a grading run, so that its imports cost no time."""
    stub = types.ModuleType("torchgrade.student")
    stub.check = lambda *_, **__: None  # type: ignore[attr-defined]
    sys.modules["torchgrade.student"] = stub


def _text_of(error: BaseException) -> str:
    try:
        if isinstance(error, SyntaxError) and error.msg:
            return _bounded(error.msg, _MOST_TEXT)
        return _bounded(builtins.str(error), _MOST_TEXT)
    except BaseException as second:  # noqa: BLE001 - the student's own __str__
        return f"(its text raised {type(second).__name__[:100]})"


def _bounded(text: str, limit: int) -> str:
    plain = str(text)[: limit + 1]
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"
