"""The command line, and nothing else: parse, call, print. Nothing is decided here.

    commands: options, help ──► grade · watch · pages · authoring · audit · doctor: the work; shared: parts of it

``course.kind`` says by facts where courses differ; four functions ask it: how a class is graded, watched, shown, and its history.
"""

from torchgrade.cli.commands import main

__all__ = ["main"]
