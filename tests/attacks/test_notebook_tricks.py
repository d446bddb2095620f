"""Tricks on the notebook file itself: what a stranger's JSON, metadata and paths could do to a mark, a page or the judge."""

import copy
import gzip
import io
import json
import os
import re
import resource
import time
import zipfile
from pathlib import Path

import nbformat
import pytest
from attacked_course import REPOSITORY, SECRET

from torchgrade.notebook import NotebookError, compose, load_assignment, parse_notebook
from torchgrade.notebook.files import read_bytes
from torchgrade.notebook.reading import MAX_KEPT
from torchgrade.record import Outcome
from torchgrade.report.pages import exercise_html, record_text

A = "numerical_stability"
ZEROS = "def softmax(logits, dim=-1):\n    return torch.zeros_like(logits)"


def honest():
    """A submission with a wrong answer, as plain JSON."""
    return json.loads(nbformat.writes(compose(load_assignment(REPOSITORY / "assignments", A), {"softmax": ZEROS})))


def facts(cell):
    return cell["metadata"].get("nbgrader", {})


def with_id(notebook, grade_id):
    return next(cell for cell in notebook["cells"] if facts(cell).get("grade_id") == grade_id)


def code(source, **more):
    return {"cell_type": "code", "id": "x", "metadata": {}, "source": source, "outputs": [], "execution_count": None} | more


def duplicated_grade_cells(notebook):
    """The grade cell three times, each of which prints full marks."""
    cell = with_id(notebook, "softmax-check")
    cell["source"] = "12.0"
    cell["outputs"] = [{"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "12.0"}}]
    notebook["cells"] += [copy.deepcopy(cell), copy.deepcopy(cell)]


def deleted_grade_cells(notebook):
    """No grade cell at all: one that does not fail."""
    notebook["cells"] = [cell for cell in notebook["cells"] if not facts(cell).get("grade")]


def changed_points(notebook):
    """A thousand points for each exercise, and a checksum to match."""
    for cell in notebook["cells"]:
        if facts(cell).get("grade"):
            facts(cell).update(points=1000, checksum="0", solution=True, locked=False)


def exchanged_ids(notebook):
    """The ids of solution and grade cells exchanged, so that the stub is the answer and the answer is a check."""
    one, other = with_id(notebook, "softmax"), with_id(notebook, "softmax-check")
    one["metadata"], other["metadata"] = other["metadata"], one["metadata"]


def odd_ids(notebook):
    """Ids that are no text, too long, of markup, of paths, and all the same."""
    for cell, odd in zip(notebook["cells"], [5, None, "x" * 10**5, "<script>", "../../etc", ["a"], {}] * 9, strict=False):
        cell["id"] = odd
        if not facts(cell).get("solution"):
            cell["metadata"] = {"nbgrader": {"grade_id": odd, "grade": True, "points": -5}}


def changed_locked_cells(notebook):
    """Locked cells that define another torch, another check, and the answer of the judge."""
    for cell in notebook["cells"]:
        if facts(cell).get("locked") and cell["cell_type"] == "code":
            cell["source"] = "import torch\ntorch.zeros_like = torch.softmax\ncheck = lambda *_: 12.0"


def hidden_cells(notebook):
    """Cells that JupyterLab hides, nbconvert leaves out, and that say to be no students'."""
    hide = {
        "jupyter": {"source_hidden": True},
        "tags": ["remove_cell", "demo", "hide-input"],
        "editable": False,
        "deletable": False,
    }
    notebook["cells"].insert(0, code("raise SystemExit", metadata=hide))


def magics(notebook):
    """Every way to run a command, or a file of the machine, that IPython knows."""
    commands = "!touch /tmp/torchgrade-attack\n%run /etc/passwd\n%load_ext sql\n%cd /\n%system touch /tmp/torchgrade-attack"
    notebook["cells"] += [
        code(commands),
        code("%%bash\ntouch /tmp/torchgrade-attack-bash"),
        code("%%writefile /tmp/torchgrade-attack\nx"),
    ]
    notebook["cells"] += [
        code("%autoreload 2\n%pip install x\nget_ipython().system('touch /tmp/torchgrade-attack')"),
        code("!!" * 5000),
    ]


def outputs_that_act(notebook):
    """Outputs that are scripts, pictures from elsewhere, widgets, and marks."""
    data = {
        "text/html": "<script>alert(1)</script>",
        "image/svg+xml": "<svg onload=alert(1)/>",
        "application/javascript": "alert(1)",
    }
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": data}, {"output_type": "nonsense"}]
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"x": "<script>"}}}


def another_kernel(notebook):
    """A kernel whose start is a command."""
    notebook["metadata"]["kernelspec"] = {
        "name": "../../tmp/x",
        "display_name": "<b>",
        "argv": ["touch", "/tmp/torchgrade-attack"],
    }


def many_cells(notebook):
    """As many cells as there may be, each of which raises."""
    notebook["cells"] += [code("1 / 0") for _ in range(1900)]


def solution_that_is_text(notebook):
    """A solution cell of another kind, and a second one behind it with the answer of the stub."""
    with_id(notebook, "softmax").update(cell_type="raw")


def lone_surrogates(notebook):
    """Halves of characters in sources, names and metadata, which no file can hold."""
    notebook["cells"].append(code("x = '\ud800'\nraise ValueError('\udfff')"))
    notebook["metadata"]["title"] = "\ud800"


def odd_text(notebook):
    """Null bytes, form feeds, other line ends, and directions of writing in a source."""
    notebook["cells"].append(code("x = 1\x00\x0c\u2028\u202e# \x1b[2J"))


def long_tags(notebook):
    """20,000 tags that the validator compares in pairs."""
    notebook["cells"][0]["metadata"]["tags"] = [{"a": n} for n in range(20_000)]


def deep_python(notebook):
    """Python that is nested too deeply for a parser, in several ways."""
    notebook["cells"] += [
        code("(" * 5000),
        code("-" * 50_000 + "1"),
        code("x = " + "[" * 90 + "]" * 90),
        code("f(" * 3000 + ")" * 3000),
    ]


def attachments(notebook):
    """Pictures that are scripts, attached to text."""
    cell = {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "![x](attachment:x.svg) <script>alert(1)</script>"}
    cell["attachments"] = {"x.svg": {"image/svg+xml": "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+"}}
    notebook["cells"].append(cell)


TRICKS = [
    duplicated_grade_cells,
    deleted_grade_cells,
    changed_points,
    exchanged_ids,
    odd_ids,
    changed_locked_cells,
    hidden_cells,
    magics,
    outputs_that_act,
    another_kernel,
    many_cells,
    solution_that_is_text,
    lone_surrogates,
    odd_text,
    long_tags,
    deep_python,
    attachments,
]


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.__name__)
def test_a_trick_on_the_notebook_gains_nothing(trick, judge, tmp_path):
    notebook = honest()
    trick(notebook)
    path = tmp_path / "tricked.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    started = time.monotonic()
    record = judge.grade(A, "eve", path, exercise="softmax", seed=1)
    assert time.monotonic() - started < 30
    assert record.points == 0
    assert (record.max_points, [e.name for e in record.exercises][:1]) in ((12.0, ["softmax"]), (24.0, ["softmax"]))
    assert not any(c.outcome is Outcome.UNGRADED for e in record.exercises for c in e.checks)
    page = record_text(record) + "".join(map(exercise_html, record.exercises))
    page = re.sub(r'<figure class="torchgrade-heat"><svg [^<]*(<(rect|path) [^<]*)*</svg>', "", page)  # ours, of shapes alone
    for part in ("<script", "<svg", "\x1b", SECRET):
        assert part not in page
    assert list(Path("/tmp").glob("torchgrade-attack*")) == []


def zipped(text):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../../../tmp/torchgrade-attack.ipynb", text)
        archive.writestr("zeros", b"\0" * 10_000_000)
    return buffer.getvalue()


FILES = {
    "an archive": lambda: zipped("{}"),
    "compressed": lambda: gzip.compress(json.dumps(honest()).encode()),
    "another encoding": lambda: json.dumps(honest()).encode("utf-16"),
    "broken bytes": lambda: b'{"cells": "\xff\xfe\xc3"}',
    "nothing": lambda: b"",
    "zeros": lambda: b"\0" * 1000,
    "deep": lambda: b"[" * 100_000,
    "deep objects": lambda: b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "a long number": lambda: b'{"nbformat": ' + b"9" * 100_000 + b"}",
    "no object": lambda: b"[1, 2]",
    "a future format": lambda: b'{"nbformat": 99, "cells": []}',
    "a minor format that is an object": lambda: (  # found by fuzzing: nbformat asserts
        b'{"nbformat": 3, "nbformat_minor": {}, "metadata": {}, "worksheets": [{"cells": [{"cell_type": "code"}]}]}'
    ),
    "cells of another kind": lambda: b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [5, null, "x", []]}',
    "many values": lambda: b'{"nbformat":4,"nbformat_minor":5,"cells":[],"metadata":{"x":[' + b'{"a":{}},' * 320_000 + b"0]}}",
    "many kept values": lambda: json.dumps(honest() | {"metadata": {f"k{n}": n for n in range(MAX_KEPT)}}).encode(),
    "too large": lambda: b" " * 20_000_001,
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_notebook_is_refused_in_one_line_and_bounded_memory(name):
    data = FILES[name]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.monotonic()
    with pytest.raises(NotebookError) as refused:
        parse_notebook(data, "x.ipynb")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500
    assert time.monotonic() - started < 15
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes


def test_a_link_to_anothers_submission_is_refused(tmp_path):
    alice = tmp_path / "alice" / A
    alice.mkdir(parents=True)
    (alice / "x.ipynb").write_text("{}")
    eve = tmp_path / "eve"
    eve.mkdir()
    (eve / A).symlink_to(alice)
    (eve / "file").mkdir()
    (eve / "file" / "x.ipynb").symlink_to(alice / "x.ipynb")
    assert read_bytes(alice / "x.ipynb", below=tmp_path) == b"{}"
    for path in (eve / A / "x.ipynb", eve / "file" / "x.ipynb"):
        with pytest.raises(NotebookError, match="symbolic link"):
            read_bytes(path, below=tmp_path)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "socket"])
def test_what_is_no_file_does_not_keep_the_judge_waiting(kind, tmp_path):
    path = tmp_path / "x.ipynb"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        import socket

        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path)[-100:] if len(str(path)) > 100 else str(path))
    with pytest.raises(NotebookError):
        read_bytes(path, below=tmp_path)
