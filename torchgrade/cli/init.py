"""``torchgrade init``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from torchgrade.authoring import Founding


@click.command("init", short_help="Make a course, or add torchgrade to one of nbgrader's.")
@click.argument("target", metavar="[FOLDER]", required=False, type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Write changes of files that are there already without asking.")
@click.pass_obj
def command(folder: Path, target: Path | None, yes: bool) -> None:
    """Make a course of FOLDER (this one by default), with a first assignment; or of an nbgrader course one of torchgrade's.

    No file is written over. Where one has to change, you see the change and are asked; without a terminal and without --yes
    nothing is written, and the exit status is 1.
    """
    from torchgrade.authoring import found_course  # noqa: PLC0415 - slow imports only where they are used

    founding = found_course(target or folder)
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
