"""The commands: parse, call, print. Nothing is decided here.

    main ──► commands/<name>: options, help ──► <name>: the work ──► by_kind ──► checks/ or classic/: where kinds of course differ

A command's module imports its work when it is called, so that ``--help`` is quick.
"""

from torchgrade.cli.main import main

__all__ = ["main"]
