"""The work of ``torchgrade init``: a course made, or torchgrade added to one of nbgrader's."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from torchgrade.authoring import Founding, found_course


def make_course(folder: Path, *, yes: bool) -> None:
    """Show what is to be written, ask where somebody else's files are concerned (unless ``yes``), write, say what is next."""
    founding = found_course(folder)
    click.echo(f"{founding.folder}: {founding.what}")
    if founding.asks:
        _ask(founding, yes=yes)
    written = founding.write() if founding.new or founding.changed else []
    for path in written:
        click.echo(str(path.relative_to(founding.folder)) if path.is_relative_to(founding.folder) else str(path))
    click.echo("Next:" if written else "Nothing was changed. Next:")
    if Path.cwd() != founding.folder.resolve():
        click.echo(f"  cd {shlex.quote(str(founding.folder))}")
    for line in founding.next:
        click.echo(f"  {line}")


def _ask(founding: Founding, *, yes: bool) -> None:
    click.echo(f"\n{founding.diff()}")
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.ClickException("nothing was written: there is no terminal to ask on. Give --yes to make this change")
    if not click.confirm("Make this change?"):
        raise click.ClickException("nothing was written")
