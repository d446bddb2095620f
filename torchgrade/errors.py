"""The errors that users read: one line each, saying what was expected, what came, and what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


class TorchgradeError(Exception):
    """The base of all errors for users. The command line prints the text as it is, and exits with 1."""


@contextlib.contextmanager
def cannot(what: str, error: type[TorchgradeError], *, then: str = "") -> Iterator[None]:
    """Within the block, turn an :class:`OSError` into ``error``: "cannot WHAT: its reason", followed by ``then``."""
    try:
        yield
    except OSError as caught:
        raise error(f"cannot {what}: {caught.strerror or caught}{'. ' if then else ''}{then}") from caught
