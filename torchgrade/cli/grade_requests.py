"""The requests that ``torchgrade grade`` understands. A request's fields are the options that it takes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClassRequest:
    """Grade what a class handed in, and enter the marks."""

    assignments: tuple[str, ...]
    students: tuple[str, ...] = ()
    workers: int | None = None
    ray: str | None = None
    regrade: bool = False
    only: str | None = None
    quiet: bool = False
    unsafe_no_jail: bool = False

    def __post_init__(self) -> None:
        if self.ray and self.only == "provisional":
            raise click.UsageError("--only provisional completes what waits for a GPU on this machine; --ray does not go with it")


@dataclasses.dataclass(frozen=True, kw_only=True)
class FileRequest:
    """Grade one notebook file without the gradebook, and print its record."""

    assignments: tuple[str, ...]
    notebook: Path
    as_json: bool = False
    seed: int | None = None
    checks: tuple[str, ...] = ()
    unsafe_no_jail: bool = False

    def __post_init__(self) -> None:
        if len(self.assignments) > 1:
            raise click.UsageError(f"--notebook is a file of one ASSIGNMENT; there are {len(self.assignments)}")
