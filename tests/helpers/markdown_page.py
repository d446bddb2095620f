"""A page of the documentation, taken apart: what a reader is told to type, write and expect, in the page's order."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

from markdown_it import MarkdownIt

DOCS = Path(__file__).parents[2] / "docs"
ANY = "…"
"""In an output that a page shows: anything, over several lines too."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A paragraph (``language`` is empty) or a block of code, with the heading above it and the text right before it."""

    text: str
    language: str
    heading: str
    before: str


def parts_of(name):
    """The paragraphs and blocks of ``docs/<name>``."""
    heading = before = ""
    tokens = MarkdownIt().parse((DOCS / name).read_text(encoding="utf-8"))
    for index, token in enumerate(tokens):
        if token.type == "fence":
            yield Part(token.content, token.info.strip(), heading, before)
        elif token.type == "inline" and tokens[index - 1].type == "heading_open":
            heading = token.content
        elif token.type == "inline":
            before = " ".join(token.content.split())
            yield Part(before, "", heading, "")


def rows_of(name):
    """The rows of every table of ``docs/<name>``, a tuple of cells each; heads are left out."""
    tokens = MarkdownIt().enable("table").parse((DOCS / name).read_text(encoding="utf-8"))
    row, rows = None, []
    for index, token in enumerate(tokens):
        if token.type == "tr_open":
            row = []
        elif token.type == "inline" and tokens[index - 1].type == "td_open":
            row.append(token.content)
        elif token.type == "tr_close" and row:
            rows.append(tuple(row))
    return rows


def commands_of(block):
    """The commands of a console block, each with the output that the page shows."""
    for typed in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = typed.partition("\n")
        yield command, output.strip("\n")


def shows(output, real):
    """Whether the output that a page shows is the real one, but for what it leaves out."""
    pattern = ".*?".join(re.escape(part) for part in output.split(ANY))
    plain = "\n".join(line.rstrip() for line in real.splitlines()).strip("\n")
    return re.fullmatch(pattern, plain, flags=re.DOTALL) is not None


def type_in(command, folder):
    """Run a command as it stands in a shell in ``folder``; exit status, and output as a terminal would show it."""
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "COLUMNS": "120"}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout
