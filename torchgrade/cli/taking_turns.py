"""Parts that the commands that grade a class share: their turn, an orderly end, and what they say of it."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import click

from torchgrade.course import Course
from torchgrade.record import RecordError
from torchgrade.runs import first_signal, turn


def take_turn(ours: contextlib.ExitStack, course: Course, assignments: Iterable[str]) -> None:
    """Wait for another run of the same assignment; until the end of ``ours`` the next one waits for this one.

    Raises :class:`torchgrade.record.RecordError` where results cannot be written, before an hour of grading and not after it.
    """
    _require_writable(course.results)
    try:
        ours.enter_context(turn(course.results, assignments, tell=lambda line: click.echo(line, err=True)))
    except KeyboardInterrupt:
        click.echo("\nStopped waiting; this run has graded nothing.", err=True)
        raise SystemExit(128 + signal.SIGINT) from None


@contextlib.contextmanager
def ending_in_order(finish: Callable[[], None]) -> Iterator[list[int]]:
    """Within the block the first Ctrl-C calls ``finish``, and says so; gives the signals that came."""

    def told() -> None:
        finish()
        click.echo("\nFinishing what is in flight; Ctrl-C again stops at once.", err=True)

    signals: list[int] = []
    try:
        with first_signal(told) as signals:
            yield signals
    except KeyboardInterrupt:
        click.echo(
            "\nStopped at once. What was graded is kept; the same command grades what was in flight, and the rest.", err=True
        )
        raise SystemExit(128 + (signals[-1] if signals else signal.SIGINT)) from None


def end(signals: Sequence[int], *, problems: bool) -> None:
    """The end of the command: its exit status is that of the signal, or 1 where there were problems."""
    if signals:
        click.echo("Stopped. Nothing that was graded is lost; the same command goes on where this one stopped.", err=True)
        raise SystemExit(128 + signals[0])
    if problems:
        raise SystemExit(1)


def _require_writable(results: Path) -> None:
    try:
        results.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=results) as file:
            file.write(b"\0" * 65536)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise RecordError(f"cannot write to {results}: {error.strerror or error}. Nothing was graded.") from error
