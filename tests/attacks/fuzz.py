"""Fuzzing of what meets a stranger's bytes first: the wire's decoder and the notebook reader.

    python tests/attacks/fuzz.py wire --seconds 3600        coverage-guided, where the package atheris is installed
    pytest tests/attacks/test_fuzz.py                       a few seconds of mutations, anywhere

A target takes bytes and returns; it lets out nothing but what its module promises to raise. Anything else is a finding, as are
an input that takes more than 5 s, and 200 MB of memory.
"""

from __future__ import annotations

import argparse
import base64
import copy
import json
import random
import struct
import sys
import tempfile
from pathlib import Path

import torch

from torchgrade.jail.protocol import wire
from torchgrade.jail.protocol.values import WireError, decode, encode
from torchgrade.notebook import NotebookError, compose, load_assignment, parse_notebook

REPOSITORY = Path(__file__).parents[2]
CORPUS = Path(__file__).with_name("fuzz_corpus")
TOKENS = [b'{"$":"tensor","v":0}', b'{"$":"dict","v":[[1,2]]}', b'"s":[1]', b'"on":"cuda"', b"1e999", b"NaN", b"\\ud800", b"null"]
TOKENS += [
    b'"nbformat":4',
    b'"cells":[]',
    b'"metadata":{}',
    b'"source":',
    b'"tags":[',
    b"9" * 30,
    b"[" * 40,
    b"]" * 40,
    b"\xff\xfe",
    b"\0",
]


def refuse(reference):
    raise WireError(f"a {reference.kind}")


def fuzz_wire(data: bytes) -> None:
    """One body of a message, as the judge takes it apart."""
    try:
        message, tensors = wire._parse(data)
        value = decode(message.get("result"), tensors, refuse)
        encode(value, [])
    except WireError:
        return
    except RuntimeError:  # what the judge's proxy turns into the submission's failure
        return


def fuzz_notebook(data: bytes) -> None:
    """One file, as nbgrader collected it."""
    try:
        parse_notebook(data, "x.ipynb")
    except NotebookError:
        return


def wire_seeds() -> list[bytes]:
    """Bodies of messages of every kind that there is."""
    values = [
        torch.randn(2, 3),
        torch.randn(4, 3).T,
        torch.zeros(2, dtype=torch.complex64),
        torch.zeros(0, 5),
        {"a": (1, 2.5, None, True), (1, 2): [b"x", Path("/a"), torch.float32]},
        [float("nan"), 2**70, 1 + 2j, "text"],
    ]
    bodies = []
    for value in values:
        tensors: list[torch.Tensor] = []
        text = json.dumps({"n": 1, "result": encode(value, tensors)}).encode()
        bodies.append(b"".join(map(bytes, [struct.pack(">I", len(text)), text, *wire._pack(tensors)])))
    return bodies


def notebook_seeds() -> list[bytes]:
    """Small notebooks of both formats, and a whole submission."""
    import nbformat

    small = {
        "cell_type": "code",
        "id": "a",
        "metadata": {"tags": ["x"]},
        "source": ["x = 1"],
        "outputs": [],
        "execution_count": None,
    }
    whole = nbformat.writes(compose(load_assignment(REPOSITORY / "assignments", "numerical_stability"), {})).encode()
    four = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [small]}).encode()
    old = {"cell_type": "code", "input": "x", "language": "python", "metadata": {}, "outputs": [], "collapsed": False}
    sheets = [{"cells": [old], "metadata": {}}]
    three = json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": sheets}).encode()
    return [four, three, whole]


TARGETS = {"wire": (fuzz_wire, wire_seeds), "notebook": (fuzz_notebook, notebook_seeds)}


def known(name: str) -> list[bytes]:
    """Inputs that reached new code in earlier runs, one in base64 on each line."""
    return [base64.b64decode(line) for line in (CORPUS / f"{name}.txt").read_text().split()]


def mutated(seed: bytes, random: random.Random) -> bytes:
    """A seed with a few bytes changed, cut, doubled, or tokens put in."""
    data = bytearray(seed)
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(data) + 1)
        kind = random.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] = random.randrange(256)
        elif kind == 1:
            del data[at : at + random.randint(1, 20)]
        elif kind == 2:
            data[at:at] = data[at : at + random.randint(1, 60)] * random.choice([1, 2, 50])
        elif kind == 3:
            data[at:at] = random.choice(TOKENS)
        elif kind == 4:
            data[at : at + 8] = random.choice(
                [b"\xff" * 8, b"\0" * 8, b"\x7f" + b"\xff" * 7, struct.pack("<Q", random.getrandbits(40))]
            )
        else:
            data[at : at + random.randint(1, 8)] = random.choice([b"[", b"]", b"{", b"}", b",", b":", b'"', b"0", b"-1", b"1e9"])
    return bytes(data)


VALUES = [None, True, -1, 0, 1, 2**63, 1e308, "", "a", "code", "markdown", "\ud800", "x" * 500, [], {}, [[]], [1, 2], {"a": 1}]
KEYS = ["$", "v", "s", "d", "on", "t", "cells", "metadata", "source", "outputs", "nbformat", "worksheets", "id", "tags"]


def changed(document, random: random.Random):
    """A document, changed in place: a few parts deleted, doubled, renamed or moved, so that it is JSON still."""
    for _ in range(random.randint(1, 4)):
        places = list(_places(document))
        if not places:
            return random.choice(VALUES)
        holder, key = random.choice(places)
        kind = random.randrange(5)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, list):
            holder[key:key] = [copy.deepcopy(holder[key]) for _ in range(random.choice([1, 1, 30]))]
        elif kind == 1:
            holder[random.choice(KEYS)] = copy.deepcopy(holder[key])
        elif kind == 2:
            other, at = random.choice(places)
            holder[key] = copy.deepcopy(other[at])
        else:
            holder[key] = copy.deepcopy(random.choice([*VALUES, *KEYS]))
    return document


def _places(value):
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield value, key
        yield from _places(item)


def changed_notebook(data: bytes, random: random.Random) -> bytes:
    return json.dumps(changed(json.loads(data), random)).encode()


def changed_body(data: bytes, random: random.Random) -> bytes:
    """The message changes, its length is told as it is, and the tensors stay."""
    (length,) = struct.unpack(">I", data[:4])
    text = json.dumps(changed(json.loads(data[4 : 4 + length]), random)).encode()
    return struct.pack(">I", len(text)) + text + data[4 + length :]


CHANGES = {"wire": changed_body, "notebook": changed_notebook}


def main() -> None:
    """Coverage-guided fuzzing of one target, until the time is over or a finding is made."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--folder", type=Path, default=None, help="where inputs that reach new code are kept")
    options = parser.parse_args()
    import atheris

    target, seeds = TARGETS[options.target]
    folder = options.folder or Path(tempfile.mkdtemp(prefix="fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate([*seeds(), *known(options.target)]):
        (folder / f"seed-{number}").write_bytes(seed)
    for module in ("torchgrade.jail.protocol.values", "torchgrade.jail.protocol.wire", "torchgrade.notebook.reading"):
        for name, value in list(vars(sys.modules[module]).items()):
            if callable(value) and getattr(value, "__module__", "") == module and hasattr(value, "__code__"):
                setattr(sys.modules[module], name, atheris.instrument_func(value))
    flags = [f"-max_total_time={options.seconds}", "-timeout=5", "-rss_limit_mb=1200", "-max_len=20000", "-print_final_stats=1"]

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        """Half of the time a change that the parser accepts; otherwise one of the fuzzer's own."""
        rng = random.Random(seed)
        if rng.random() < 0.5:
            try:
                return CHANGES[options.target](data, rng)[:longest]
            except (ValueError, struct.error, RecursionError):
                pass
        return atheris.Mutate(data, longest)

    atheris.Setup([sys.argv[0], *flags, str(folder)], target, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
