"""``torchgrade docs``."""

from __future__ import annotations

from pathlib import Path

import click

import torchgrade

_FOLDER = Path(torchgrade.__file__).with_name("docs")
_NOT_FOR_READING = "package"  # what a package index shows


@click.command("docs")
@click.argument("page", required=False)
def command(page: str | None) -> None:
    """List the documents, or print the one named PAGE.

    PAGE is authoring, grading-api, settings or another of the list.
    """
    pages = {path.stem: path for path in sorted(_FOLDER.glob("*.md")) if path.stem != _NOT_FOR_READING}
    if page is None:
        width = max(map(len, pages))
        for name, path in pages.items():
            click.echo(f"{name:{width}}  {_title(path)}")
        click.echo(f"They lie in {_FOLDER.resolve()}")
        return
    name = Path(page).stem  # docs/authoring.md, as messages name it, is meant too
    if name not in pages:
        raise click.ClickException(f"there is no page {page!r}; there are: {', '.join(pages)}")
    click.echo_via_pager(pages[name].read_text(encoding="utf-8"))


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().lstrip("# ").strip()
