"""The command line, and nothing else: parse, call, print. Nothing is decided here.

    commands: options, help ──► grade · watch · pages · authoring · audit · doctor: the work; shared: parts of it

Courses differ in facts, which ``course.kind`` holds; four functions ask for them: those that grade a class, watch it, show it,
and print a history.
"""

from torchgrade.cli.commands import main

__all__ = ["main"]
