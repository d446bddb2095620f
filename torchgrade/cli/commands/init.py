"""``torchgrade init``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("init", short_help="Make a course, or add torchgrade to one of nbgrader's.")
@click.argument("target", metavar="[FOLDER]", required=False, type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Write changes of files that are there already without asking.")
@click.pass_obj
def command(folder: Path, target: Path | None, yes: bool) -> None:
    """Make a course of FOLDER (this one by default), with a first assignment; or of an nbgrader course one of torchgrade's.

    No file is written over. Where one has to change, you see the change and are asked; without a terminal and without --yes
    nothing is written, and the exit status is 1.
    """
    from torchgrade.cli.init import make_course

    make_course(target or folder, yes=yes)
